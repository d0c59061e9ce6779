"""Try options, and search the host log: plain functions, and the widgets over them.

Options are judged as the device judges them, but nothing is built and nothing runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

import ipywidgets

from npu_lab import hostlog
from npu_lab.device.conditions import Facts, judge
from npu_lab.device.option_table import PRECISIONS, Value
from npu_lab.lab import pages
from npu_lab.lab._texts import say
from npu_lab.lab.cell_runs import CellRun, LogLines, own_records
from npu_lab.lab.tables import Table
from npu_lab.lab.widgets import WRAPPED, Panel
from npu_lab.trace import Verdict

Setter = Literal["run", "dropped", "not loaded", "not called"]
Data = Literal["dataset", "fed", "one-shot"]
Lines = Literal["keyword", "marker", "all"]

TRAIN, ITERATION_OP = "train_op", "IterationOp"
DATA: dict[str, dict[str, tuple[str, ...]]] = {
    "dataset": {"get_next": ("IteratorGetNext",)},
    "fed": {"feeds": ("images:0", "labels:0")},
    "one-shot": {"get_next": ("IteratorGetNext",), "one_shot": ("OneShotIterator",)},
}
# What these do cannot be judged without data and a graph: told in words.
WITH_NOTE = ("op_execute_timeout", "variable_placement", "precision_mode")
MOST_LINES = 100
DESCRIBED = {"description_width": "210px"}


def judge_options(
    *,
    setter: Setter = "run",
    loaded: int | None = None,
    data: Data = "dataset",
    **options: Value,
) -> CellRun:
    """What one training call does with these session options, and why.

    Where the real stack refuses them, there is no verdict, only the diagnostic.

    Args:
        setter: what became of `set_iteration_per_loop`: its result is "run"; it was
            "dropped" and the original operation is run; the operation was created but
            its variables "not loaded" in this session; "not called" at all.
        loaded: the number that the setter was given; by default iterations_per_loop.
        data: a "dataset" with an initializable iterator, "fed" batches, or a dataset
            with a "one-shot" iterator.
        options: keys of `parameter_map` with their values; what is not given, or None,
            is as the adapter has it.

    Raises:
        ValueError: `setter` or `data` is none of these.
    """
    from npu_lab.device.options import SessionOptions
    from npu_lab.device.programs import state_of

    _check("setter", setter, get_args(Setter))
    _check("data", data, tuple(DATA))
    given = {key: value for key, value in options.items() if value is not None}
    notes = tuple((key, say(f"note {key}")) for key in WITH_NOTE if key in given)
    table = Table("", (say("option"), say("effect")), notes) if notes else None
    called = setter != "not called"
    try:
        read = cast("SessionOptions", SessionOptions.from_config(_config(given)))
        n = read.iterations_per_loop
        facts = Facts(
            n,
            read.use_off_line,
            read.graph_run_mode,
            read.mix_compile_mode,
            read.enable_data_pre_proc,
            trains=True,
            iteration_op=called and setter != "dropped",
            marked_in_graph=called,
            loaded=(loaded or n) if setter in ("run", "dropped") else None,
            fetched=(TRAIN,),
            **cast("Any", DATA[data]),
        )
        outcome = judge(facts)
    except Exception as error:
        if not hasattr(error, "diagnostic"):
            raise
        return CellRun((), (error.diagnostic,), table)
    verdict = Verdict(
        (ITERATION_OP if facts.iteration_op else TRAIN,),
        True,
        facts.iteration_op,
        n,
        facts.loaded,
        state_of(facts, outcome),
        outcome.data,
        [*read.diagnostics, *outcome.diagnostics],
    )
    return CellRun((verdict,), (), table)


def _check(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


def _config(given: Mapping[str, Value]) -> Any:
    """As a script writes it: each value in the proto field of its own type."""
    from npu_lab._tensorflow import tf

    config = tf.compat.v1.ConfigProto()
    optimizer = config.graph_options.rewrite_options.custom_optimizers.add()
    optimizer.name = "NpuOptimizer"
    for key, value in given.items():
        parameter = optimizer.parameter_map[key]
        if isinstance(value, bool):
            parameter.b = value
        elif isinstance(value, int):
            parameter.i = value
        else:
            parameter.s = str(value).encode()
    return config


def log_table(
    folder: str | Path | None = None,
    *,
    lines: Lines = "keyword",
    module: str = "",
    text: str = "",
) -> LogLines:
    """Lines of the host log, without time and process; markers are set off by >.

    Args:
        folder: what `hostlog.read` takes; None for what this process has logged.
        lines: "keyword" for those that report an inserted operator, "marker" for those
            of them that only a built loop has, or "all".
        module: such as "GE"; "" for every module.
        text: what a line must hold, in any case.

    The last 100 of them are shown, and all are counted.

    Raises:
        ValueError: `lines` is none of these.
    """
    _check("lines", lines, get_args(Lines))
    place = None if folder is None else Path(folder)
    records = own_records() if place is None else hostlog.read(place)
    found = []
    for record in records:
        name = record.inserted[0] if record.inserted else ""
        kinds = {"keyword": bool(name), "marker": hostlog.is_marker(name), "all": True}
        of_module = module in ("", record.module)
        if kinds[lines] and of_module and text.lower() in record.message.lower():
            found.append(record)
    return LogLines(tuple(found), place, MOST_LINES)


class OptionExplorer(Panel):
    """The options that matter, a control for each, and the verdict they give.

    `judge_options` is asked whenever one has changed.
    """

    def __init__(self) -> None:
        choices = {  # by its name, what a control offers
            "iterations_per_loop": 10,
            "setter": get_args(Setter),
            "loaded": 10,
            "data": get_args(Data),
            "enable_data_pre_proc": True,
            "use_off_line": True,
            "mix_compile_mode": False,
            "graph_run_mode": (1, 0),
            "dynamic_input": False,
            "dynamic_graph_execute_mode": ("dynamic_execute", "lazy_recompile"),
            "op_execute_timeout": ("", 10, 600),
            "variable_placement": ("", "Device", "Host"),
            "precision_mode": ("", *PRECISIONS),
        }
        self.controls = {name: _control(name, of) for name, of in choices.items()}
        self.verdict = ipywidgets.HTML(layout={"min_height": "150px"})
        grid = ipywidgets.GridBox(
            list(self.controls.values()),
            layout={"grid_template_columns": "repeat(auto-fill, minmax(420px, 1fr))"},
        )
        super().__init__([grid], [self.verdict])
        for control in self.controls.values():
            control.observe(self.guarded(self.show), names="value")
        self.show()

    def judged(self) -> CellRun:
        """What `judge_options` says of the controls as they stand."""
        values = {name: one.value for name, one in self.controls.items()}
        return judge_options(**{k: v for k, v in values.items() if v != ""})

    def show(self) -> None:
        """Bring the verdict up to date."""
        self.verdict.value = pages.styled(self.judged().html)
        self.tell(say("lists"))

    @property
    def text(self) -> str:
        """The widget in words."""
        return "\n".join([say("options text"), str(self.judged())])


def _control(name: str, of: Any) -> Any:
    """A box to tick, a number to type, or a list to choose from; "" is not set."""
    layout = {"width": "420px"}
    if isinstance(of, bool):
        return ipywidgets.Checkbox(
            value=of, description=name, layout=layout, indent=False
        )
    shared = {"description": name, "layout": layout, "style": DESCRIBED}
    if isinstance(of, int):
        return ipywidgets.IntText(value=of, continuous_update=False, **shared)
    options = [(str(one) if one != "" else say("not set"), one) for one in of]
    return ipywidgets.Dropdown(options=options, value=of[0], **shared)


class LogExplorer(Panel):
    """The host log with filters; `folder` is as for `log_table`."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self._folder = folder
        records = own_records() if folder is None else hostlog.read(folder)
        modules = sorted({record.module for record in records})
        named = [(say(f"log {one}"), one) for one in get_args(Lines)]
        self.lines = ipywidgets.Dropdown(options=named, description=say("log show"))
        self.module = ipywidgets.Dropdown(
            options=[(say("log all"), ""), *((one, one) for one in modules)],
            description=say("log module"),
        )
        self.contains = ipywidgets.Text(
            continuous_update=False, description=say("log text")
        )
        # With the focus on it, the arrow keys scroll.
        layout = {"height": "320px", "overflow": "auto"}
        self.shown = ipywidgets.HTML(layout=layout, tabbable=True)
        controls = [self.lines, self.module, self.contains]
        super().__init__([ipywidgets.HBox(controls, layout=WRAPPED)], [self.shown])
        for control in controls:
            control.observe(self.guarded(self.show), names="value")
        self.show()

    def show(self) -> None:
        """Read the log anew."""
        found = log_table(
            self._folder,
            lines=self.lines.value,
            module=self.module.value,
            text=self.contains.value,
        )
        self.shown.value = pages.styled(found.html)
        self.tell(say("lists"))

    @property
    def text(self) -> str:
        """The widget in words."""
        return say("log text fallback")


option_explorer, log_explorer = OptionExplorer, LogExplorer
