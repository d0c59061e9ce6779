"""What the engine and its adapter write to the host log when a graph is compiled.

`lines(graph)` gives the lines of one graph in the documented order, `compiled` writes
them. Names, types and order are the engine's of today; the place in the vendor's source
that heads a line (`file.cc:line`) changes with every version, so the line numbers here
are made up and constant.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from npu_lab.hostlog.writer import HostLog, Line

ENGINE, ADAPTER = "GE", "FMK"  # the adapter is a framework ("FMK") to the logger

GLOBAL_STEP = ("ge_global_step", "Variable")
LOOP_VARIABLES = tuple(
    f"npu_runconfig/{name}"
    for name in ("loop_cond", "one", "zero", "iterations_per_loop")
)
SWITCH = "IteratorCtrl_StreamSwitch"
NET_OUTPUT = "Node_Output"

_FLOW_CONTROL_SOURCE = "flow_ctrl_pass.cc:100"
_GLOBAL_STEP_SOURCE = "global_step_insert_pass.cc:50"
_PARTITION_SOURCE = "tf_adapter/optimizers/om_partition_subgraphs_pass.cc:2000"
_KERNEL_SOURCE = "tf_adapter/kernels/geop_npu.cc:800"
_ADAPTER_LOGGER = "adapter_logger.cc:30"


@dataclass(frozen=True)
class CompiledGraph:
    """What the log says about one compiled graph.

    `loop`: flow control is added; `get_next`: the device's GetNext nodes inside it;
    `present`: loop variables that are already nodes of the graph, so not inserted;
    `training_mode`: graph_run_mode is 1; `need_iteration`: option above 1 and an
    IterationOp in the graph. A loop without its conditions is a ValueError.
    """

    graph_id: int
    iterations_per_loop: int
    mix_compile_mode: bool
    need_iteration: bool
    training_mode: bool
    known_shapes: bool
    loop: bool
    get_next: tuple[str, ...] = ()
    present: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        needed = ("training_mode", "known_shapes", "need_iteration")
        missing = [name for name in needed if not getattr(self, name)]
        if self.loop and missing:
            raise ValueError(
                f"graph {self.graph_id}: a loop is never built without"
                f" {' and '.join(missing)}; set loop=False"
            )


def inserted(name: str, kind: str) -> str:
    """The keyword line: the engine added an operator to the graph."""
    return f"Insert op success, name:{name}, type:{kind}."


def no_flow_control(graph_id: int) -> str:
    """The line of every graph that gets no loop, whatever the reason."""
    return f"No need FlowCtrl for graph {graph_id}."


def partition(
    graph_id: int, iterations_per_loop: int, *, mix_compile_mode: bool
) -> str:
    """The adapter's event when it cuts a graph out for the device."""
    return (
        f"OMPartition subgraph_{graph_id} begin. mix_compile_mode is"
        f" {bool(mix_compile_mode)}, iterations_per_loop is {iterations_per_loop}."
    )


def iteration(graph_id: int, iterations_per_loop: int, *, need_iteration: bool) -> str:
    """The adapter's line at a graph's first run: option seen, IterationOp found."""
    return (
        f"[GEOP] graph id: {graph_id}, iteration_per_loop: {iterations_per_loop},"
        f" need iteration: {int(need_iteration)}"
    )


def model_compiled(graph_id: int) -> str:
    """What TensorFlow's logger prints on stderr, once for each compiled graph."""
    return (
        f"{datetime.now():%Y-%m-%d %H:%M:%S.%f}: I {_KERNEL_SOURCE}] The model has been"
        f" compiled on the Ascend AI processor, current graph id is: {graph_id}"
    )


def flow_control_operators(
    get_next_names: Iterable[str], present: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Name and type of the operators that make a loop, in the order of insertion.

    The loop variables not yet `present`; the big loop's switch with its leave branch
    (reset the count) and its go-on branch (add one); a small loop for each GetNext.
    """
    big = f"{NET_OUTPUT}_{SWITCH}"
    operators = [(name, "Variable") for name in LOOP_VARIABLES if name not in present]
    operators += [
        (big, "StreamSwitch"),
        ("FlowCtrl_LoopCond_ASSIGN", "Assign"),
        (f"{big}_StreamExitActive", "StreamActive"),
        ("FlowCtrl_LoopCond_ASSIGNADD", "AssignAdd"),
        (f"{big}_StreamActive", "StreamActive"),
    ]
    for name in get_next_names:
        small = f"{name}_{SWITCH}"
        operators += [
            (small, "StreamSwitch"),
            (f"{small}_NoOp", "NoOp"),
            (f"{small}_StreamActive", "StreamActive"),
        ]
    return operators


def lines(graph: CompiledGraph) -> list[Line]:
    """All lines of one compiled graph, in order."""
    n = graph.iterations_per_loop
    event = partition(graph.graph_id, n, mix_compile_mode=graph.mix_compile_mode)
    need = iteration(graph.graph_id, n, need_iteration=graph.need_iteration)
    return [
        _adapter("EVENT", _PARTITION_SOURCE, event),
        _adapter("INFO", _KERNEL_SOURCE, need),
        *engine_lines(graph),
    ]


def engine_lines(graph: CompiledGraph) -> list[Line]:
    """The engine's lines alone; those of the adapter differ between its versions."""
    block: list[Line] = []
    if not graph.training_mode:  # the passes below belong to training
        return block
    if graph.known_shapes:
        block.append(_engine(_GLOBAL_STEP_SOURCE, "InsertOp", inserted(*GLOBAL_STEP)))
    if graph.loop:
        block += [
            _engine(_FLOW_CONTROL_SOURCE, "InsertOp", inserted(name, kind))
            for name, kind in flow_control_operators(graph.get_next, graph.present)
        ]
    else:
        none = no_flow_control(graph.graph_id)
        block.append(_engine(_FLOW_CONTROL_SOURCE, "Run", none))
    return block


def compiled(log: HostLog, graph: CompiledGraph) -> None:
    """Write the lines of one compiled graph, together."""
    log.write_block(lines(graph))


def _engine(source: str, function: str, text: str) -> Line:
    content = f"{threading.get_native_id()} {function}:{text}"
    return Line("INFO", ENGINE, source, content)


def _adapter(level: str, source: str, text: str) -> Line:
    content = f"[TF_ADAPTER][{source}]{threading.get_native_id()} {text}"
    return Line(level, ADAPTER, _ADAPTER_LOGGER, content)
