"""The examination room of lessons 05 and 05b: what log, ledger and timeline say.

`examine` trains the same script at each N and sets its findings side by side.  It only
looks, and it holds back the lab's own notes: a real NPU gives none, and they would name
the fault.  `trained` does the same for an answer that a learner wrote.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from npu_lab import hostlog, language
from npu_lab.activation import activate
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab.exercises import Text
from npu_lab.lab.tables import Table
from npu_lab.timeline import Timeline
from npu_lab.trace import Verdict, loops

ROWS: dict[str, Text] = {
    "markers": {"en": "log: markers", "zh": "日志：标志行"},
    "get_next": {
        "en": "log: of these, for GetNext",
        "zh": "日志：其中属于 GetNext",
    },
    "loads": {
        "en": "ledger: loads of loop variables",
        "zh": "账本：加载循环变量的次数",
    },
    "calls": {"en": "ledger: training calls", "zh": "账本：训练调用次数"},
    "iterations": {
        "en": "ledger: steps in device loops",
        "zh": "账本：Device 侧循环内的步数",
    },
    "batches": {
        "en": "ledger: batches pulled on the device",
        "zh": "账本：Device 侧取用的 batch 数",
    },
    "host_batches": {
        "en": "ledger: batches pulled on the host",
        "zh": "账本：Host 侧取用的 batch 数",
    },
    "steps": {"en": "timeline: steps, each call", "zh": "时间线：每次调用的步数"},
    "loss": {"en": "loss returned last", "zh": "最后返回的 loss"},
    "accuracy": {"en": "test accuracy", "zh": "测试精度"},
}
WORDS: dict[str, Text] = {
    "finding": {"en": "finding", "zh": "检查项"},
    "healthy": {"en": "healthy, N = {n}", "zh": "正常，N = {n}"},
    "caption": {
        "en": "Counted on this computer: log, ledger and timeline of each run.",
        "zh": "在本机计数：每次运行的日志、账本和时间线。",
    },
}


@dataclass(frozen=True)
class Findings:
    """Of one run: the figures by their row, the timeline of its training calls."""

    figures: dict[str, str]
    timeline: Timeline


@dataclass(frozen=True)
class Examination:
    """The findings at each N, and those of a healthy run at the last N beside them."""

    runs: dict[int, Findings]
    healthy: Examination | None = None

    @property
    def table(self) -> Table:
        """A row for each finding, a column for each N."""
        now = language.current()
        heads = [f"N = {n}" for n in self.runs]
        runs = list(self.runs.values())
        if self.healthy:
            n, found = list(self.healthy.runs.items())[-1]
            heads.append(WORDS["healthy"][now].format(n=n))
            runs.append(found)
        rows = [
            (text[now], *(run.figures[name] for run in runs))
            for name, text in ROWS.items()
        ]
        header = (WORDS["finding"][now], *heads)
        return Table(WORDS["caption"][now], header, tuple(rows))

    def timeline(self, n: int, first: int = 1, last: int | None = None) -> Timeline:
        """The training calls `first` to `last` at N, renumbered; call 0 compiles."""
        whole = self.runs[n].timeline
        wanted = sorted({span.call for span in whole.spans})[first:last]
        spans = [span for span in whole.spans if span.call in wanted]
        zero = min(span.start for span in spans)
        skipped = min(s.iteration for s in spans if s.iteration is not None)
        moved = (
            replace(
                s,
                start=s.start - zero,
                end=s.end - zero,
                call=s.call - wanted[0],
                iteration=None if s.iteration is None else s.iteration - skipped,
            )
            for s in spans
        )
        return replace(whole, spans=tuple(moved))


def examine(
    train: Callable[[int], tuple[Any, float]],
    numbers: tuple[int, ...] = (1, 10),
    healthy: Examination | None = None,
) -> Examination:
    """Run `train(n)` at each N; it returns its last loss and its test accuracy.

    A loss may stand behind its step, (step, loss).

    Raises:
        Whatever `train` raises.
    """
    return Examination({n: _findings(train, n) for n in numbers}, healthy)


def _findings(train: Callable[[int], tuple[Any, float]], n: int) -> Findings:
    device = activate()
    start, before = len(hostlog.read()), device.ledger.as_dict()
    host_before, loads = device.ledger.host_batches, device.ledger.calls["load"]
    with quiet(), device.trace as trace:
        last, accuracy = train(n)
    inserted = [r.inserted[0] for r in hostlog.read()[start:] if r.inserted]
    markers = [name for name in inserted if hostlog.is_marker(name)]
    counted = device.ledger.since(before)
    timeline = _training(trace.timeline())
    figures = {
        "markers": len(markers),
        "get_next": sum("GetNext" in name for name in markers),
        "loads": device.ledger.calls["load"] - loads,
        "calls": counted["training_calls"],
        "iterations": counted["device_iterations"],
        "batches": counted["batches_pulled"],
        "host_batches": device.ledger.host_batches - host_before,
        "steps": _steps(timeline),
        "loss": f"{last[-1] if isinstance(last, tuple) else last:.1f}",
        "accuracy": f"{accuracy:.0%}",
    }
    return Findings({name: str(value) for name, value in figures.items()}, timeline)


def _training(timeline: Timeline) -> Timeline:
    """Without the calls that trained nothing."""
    calls = {span.call for span in timeline.spans if span.iteration is not None}
    kept = tuple(span for span in timeline.spans if span.call in calls)
    return replace(timeline, spans=kept)


def _steps(timeline: Timeline) -> str:
    """How many steps each call ran, the calls that agree taken together."""
    each: dict[int, int] = {}
    for span in timeline.of("compute"):
        each[span.call] = each.get(span.call, 0) + 1
    sizes = sorted(set(each.values()))
    return ", ".join(map(str, sizes)) or "0"


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back the lab's notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NpuLabWarning)
        yield


@dataclass(frozen=True)
class Trained:
    """What an answer did on the device while it ran at N, and what it returned."""

    n: int
    answer: Any
    calls: int
    loads: int
    iterations: int
    batches: int
    verdict: Verdict | None

    @property
    def code(self) -> str:
        """The first diagnostic of its verdict, or a dash."""
        found = self.verdict.diagnostics if self.verdict else []
        return found[0].code if found else "-"

    @property
    def data(self) -> str:
        """``fresh``, ``repeated`` or ``none``."""
        return self.verdict.data if self.verdict else "none"


def trained(run: Callable[[], Any], n: int) -> Trained:
    """Run an answer without arguments, and count what it did.

    Raises:
        Whatever `run` raises.
    """
    device: Device = activate()
    before, loads = device.ledger.as_dict(), device.ledger.calls["load"]
    known = {id(one): one.calls for one in device.verdicts}
    with quiet():
        answer = run()
    counted = device.ledger.since(before)
    used = [v for v in device.verdicts if v.calls > known.get(id(v), 0)]
    training = loops(used)
    return Trained(
        n,
        answer,
        counted["training_calls"],
        device.ledger.calls["load"] - loads,
        counted["device_iterations"],
        counted["batches_pulled"],
        training[-1] if training else None,
    )
