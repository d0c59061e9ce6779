"""Runs versions of a script in the kernel, and counts what each does.

A script runs as in a process of its own: before the first import of `npu_bridge`, in an
empty graph.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from npu_lab import hostlog, language
from npu_lab._tensorflow import tf as tensorflow
from npu_lab.activation import activate
from npu_lab.device import seam
from npu_lab.diagnostics import Diagnostic
from npu_lab.lab.cell_runs import LogLines
from npu_lab.lab.exercises import Text
from npu_lab.lab.lessons.clinic import quiet
from npu_lab.lab.tables import Table

WORDS: dict[str, Text] = {
    "script": {"en": "script", "zh": "脚本"},
    "calls": {"en": "host calls", "zh": "Host 调用"},
    "training": {"en": "of them training", "zh": "其中训练"},
    "sunk": {"en": "steps in loops", "zh": "循环内的步数"},
    "batches": {"en": "batches on the device", "zh": "Device 侧 batch 数"},
    "graphs": {"en": "graphs for the NPU", "zh": "NPU 上的图"},
    "markers": {"en": "markers", "zh": "标志行"},
    "loss": {"en": "loss", "zh": "loss"},
    "codes": {"en": "diagnostics", "zh": "诊断"},
    "counted": {
        "en": "Counted on this computer: ledger and log of each run.",
        "zh": "在本机计数：每次运行的账本和日志。",
    },
}


@dataclass(frozen=True)
class Ran:
    """What a script did on the device, and what it printed."""

    calls: int
    training: int
    sunk: int
    batches: int
    records: tuple[hostlog.Record, ...]
    graphs: int
    codes: tuple[str, ...]
    printed: tuple[str, ...]

    @property
    def log(self) -> LogLines:
        """The new lines of the host log."""
        return LogLines(self.records)

    @property
    def markers(self) -> int:
        """How many of the lines show a loop."""
        return sum(map(_is_marker, self.records))

    @property
    def keywords(self) -> LogLines:
        """Those that show a loop."""
        return LogLines(tuple(filter(_is_marker, self.records)))

    @property
    def loss(self) -> str:
        """The word printed last."""
        return self.printed[-1].split()[-1] if self.printed else "-"


def _is_marker(record: hostlog.Record) -> bool:
    return bool(record.inserted and hostlog.is_marker(record.inserted[0]))


def run(source: str) -> Ran:
    """Run a script as in a process of its own, and count.

    Raises:
        Whatever the script raises.
    """
    device = activate()
    start, calls = len(hostlog.read()), device.ledger.as_dict()
    verdicts, found = len(device.verdicts), len(device.diagnostics)
    printed = io.StringIO()
    code = compile(source, "<script>", "exec", dont_inherit=True)
    graph = tensorflow.Graph()
    output = contextlib.redirect_stdout(printed)
    with _new_process(), quiet(), graph.as_default(), output:
        exec(code, {"__name__": "__main__"})  # noqa: S102  (a lesson's script)
    counted = device.ledger.since(calls)
    used = device.verdicts[verdicts:]
    news: list[Diagnostic] = device.diagnostics[found:]
    return Ran(
        counted["session_runs"],
        counted["training_calls"],
        counted["device_iterations"],
        counted["batches_pulled"],
        tuple(hostlog.read()[start:]),
        sum(len(one.messages) for one in used),
        tuple(sorted({one.code for one in news})),
        tuple(printed.getvalue().splitlines()),
    )


@contextlib.contextmanager
def _new_process() -> Iterator[None]:
    """Sessions get no defaults of the adapter until `npu_bridge` is imported again."""
    kept = _take_modules()
    had = _take_defaults()
    try:
        yield
    finally:
        _take_modules()
        sys.modules.update(kept)
        if had:
            seam.install_defaults()
        else:
            _take_defaults()


def _take_modules() -> dict[str, Any]:
    names = [one for one in sys.modules if one.partition(".")[0] == "npu_bridge"]
    return {name: sys.modules.pop(name) for name in names}


def _take_defaults() -> bool:
    keys = [key for key in seam._patched if key[1] == "__init__"]
    for owner, name in keys:
        setattr(owner, name, seam._originals[owner, name])
        seam._patched.discard((owner, name))
    return bool(keys)


@dataclass(frozen=True)
class Replay:
    """Several versions of a script, each run."""

    runs: Mapping[str, Ran]

    @property
    def table(self) -> Table:
        """A row for each."""
        columns: dict[str, Callable[[Ran], object]] = {
            "graphs": lambda ran: ran.graphs,
            "calls": lambda ran: ran.calls,
            "training": lambda ran: ran.training,
            "sunk": lambda ran: ran.sunk,
            "batches": lambda ran: ran.batches,
            "markers": lambda ran: ran.markers,
            "loss": lambda ran: ran.loss,
            "codes": lambda ran: ", ".join(ran.codes) or "-",
        }
        now = language.current()
        rows = tuple(
            (name, *(str(column(ran)) for column in columns.values()))
            for name, ran in self.runs.items()
        )
        header = tuple(WORDS[name][now] for name in ("script", *columns))
        return Table(WORDS["counted"][now], header, rows)

    def __getitem__(self, name: str) -> Ran:
        """One of the runs."""
        return self.runs[name]


def replay(versions: Mapping[str, str]) -> Replay:
    """Run each version of a script.

    Raises:
        Whatever a script raises.
    """
    return Replay({name: run(source) for name, source in versions.items()})
