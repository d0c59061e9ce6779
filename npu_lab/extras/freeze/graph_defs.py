"""A GraphDef as freezing looks at it: nodes by name, what lies behind, known values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
from tensorflow.python.client import session as tf_session
from tensorflow.python.framework import op_def_registry

from npu_lab._tensorflow import no_deprecation_notices, tf
from npu_lab.device import seam

v1 = tf.compat.v1
PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})
SWITCHES = frozenset({"Switch", "RefSwitch"})
MERGES = frozenset({"Merge", "RefMerge"})
LOOPS = frozenset(
    {"Enter", "RefEnter", "NextIteration", "RefNextIteration", "LoopCond"}
)


def producer(name: str) -> str:
    """The node behind the input `name`: without a leading ^ and the output number."""
    return name.removeprefix("^").partition(":")[0]


class Nodes:
    """The nodes of a graph, or of a function's body, by name and in their order."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        self.by_name = {node.name: node for node in nodes}

    def __getitem__(self, name: str) -> Any:
        return self.by_name[producer(name)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.by_name.values())

    def behind(self, names: Iterable[str], stop: Collection[str] = ()) -> set[str]:
        """Names of all nodes that `names` need, their own included.

        What lies behind the nodes in `stop` is left out, not these themselves.
        """
        found: set[str] = set()
        waiting = [producer(name) for name in names]
        while waiting:
            name = waiting.pop()
            if name not in found and name in self.by_name:
                found.add(name)
                if name not in stop:
                    waiting += map(producer, self.by_name[name].input)
        return found

    def users(self) -> dict[str, list[Any]]:
        """For each node those that take an output of it, control inputs aside."""
        users: dict[str, list[Any]] = {name: [] for name in self.by_name}
        for node in self:
            for name in dict.fromkeys(map(producer, data_inputs(node))):
                if name in users:
                    users[name].append(node)
        return users

    def past(self, name: str, kinds: Collection[str] = ("Identity",)) -> Any:
        """The node behind `name`, past those of `kinds`."""
        node = self[name]
        while node.op in kinds:
            node = self[node.input[0]]
        return node


def data_inputs(node: Any) -> list[str]:
    """The inputs of a node that are tensors."""
    return [name for name in node.input if not name.startswith("^")]


def cut(graph_def: Any, outputs: Iterable[str]) -> Any:
    """A copy with only what `outputs` need, and the functions that are used."""
    with no_deprecation_notices():
        wanted = list(dict.fromkeys(map(producer, outputs)))
        made = v1.graph_util.extract_sub_graph(graph_def, wanted)
    used = {name for node in made.node for name in functions_of(node)}
    by_name = {f.signature.name: f for f in graph_def.library.function}
    waiting = list(used)
    while waiting:
        called = by_name.get(waiting.pop())
        for node in called.node_def if called else ():
            more = functions_of(node) - used
            used |= more
            waiting += more
    made.ClearField("library")
    made.library.function.extend(
        f for f in graph_def.library.function if f.signature.name in used
    )
    for node in made.node:
        node.ClearField("device")
    return made


def functions_of(node: Any) -> set[str]:
    """The functions that a node calls."""
    named = [node.op]
    for attribute in node.attr.values():
        named += [attribute.func.name, *(f.name for f in attribute.list.func)]
    return {name for name in named if name}


def value(graph_def: Any, name: str) -> Any:
    """What a tensor always is, as a NumPy array; None where that depends on anything.

    It depends on an input, a variable, a random number, on all that has a state.
    """
    nodes = Nodes(graph_def.node)
    behind = nodes.behind([name])
    if not behind or any(_varies(nodes[one]) for one in behind):
        return None
    with v1.Graph().as_default() as graph:
        v1.import_graph_def(cut(graph_def, [name]), name="")
        wanted = name if ":" in name else f"{name}:0"
        with HostSession(graph) as session:
            return np.asarray(session.run(wanted))


def _varies(node: Any) -> bool:
    definition = op_def_registry.get(node.op)
    varying = PLACEHOLDERS | SWITCHES | MERGES | LOOPS
    return node.op in varying or definition is None or definition.is_stateful


class HostSession(tf_session.Session):  # type: ignore[misc]
    """A session off the device, in which each operator runs as the graph has it."""

    def __init__(self, graph: Any) -> None:
        super(tf_session.Session, self).__init__("", graph, _plain_config())
        self._default_graph_context_manager = None
        self._default_session_context_manager = None

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """As `Session.run`; nothing of it is counted."""
        return seam.plain_run(self, fetches, feed_dict, options, run_metadata)


def _plain_config() -> Any:
    config = v1.ConfigProto(allow_soft_placement=True)
    config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def set_constant(graph_def: Any, name: str, constant: Any) -> None:
    """Make the placeholder `name` a constant, in place."""
    node = Nodes(graph_def.node)[name]
    kind = tf.as_dtype(node.attr["dtype"].type).as_numpy_dtype
    made = tf.make_tensor_proto(np.asarray(constant, kind))
    node.Clear()
    node.name, node.op = producer(name), "Const"
    node.attr["dtype"].type = made.dtype
    node.attr["value"].tensor.CopyFrom(made)


def add_placeholder(graph_def: Any, name: str, tensor: Any) -> None:
    """Put a placeholder called `name` in the place of `tensor`, in place."""
    replace_input(graph_def, tensor.name, name)
    node = graph_def.node.add()
    node.name, node.op = name, "Placeholder"
    node.attr["dtype"].type = tensor.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())


def replace_input(graph_def: Any, old: str, new: str) -> None:
    """Let all who take the tensor `old` take `new`, in place."""
    same = {old, old.removesuffix(":0")}
    for node in graph_def.node:
        for position, name in enumerate(node.input):
            if name in same:
                node.input[position] = new
