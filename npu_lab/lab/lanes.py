"""Draws a timeline as SVG: the calls of the host above, the device's iterations below.

Marks too narrow to be seen are merged, not left out: a run of them becomes one block
with their number on it, and its columns show how much of the time was spent on what.
There are no references by id, so that many drawings can stand in one page.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from npu_lab.lab import svg
from npu_lab.timeline import Span, Timeline

LEFT, RIGHT = 84.0, 708.0  # of the time axis, in pixels of the page
NARROW = 4.0  # what is narrower is merged
COLUMN = 6.0
STOPS = 28  # for the keyboard, in each lane
DIGIT = 7.0
SHORT = 12.0  # calls narrower than this have arrows without heads
IDLE_LABEL = 74.0

Describe = Callable[[Sequence[Span]], str]


@dataclass(frozen=True)
class Mark:
    """One call or iteration, or a run of narrow ones; `count` says how many."""

    spans: tuple[Span, ...]
    count: int = 1

    @property
    def start(self) -> float:
        """When the first span starts."""
        return self.spans[0].start

    @property
    def end(self) -> float:
        """When the last span ends."""
        return max(span.end for span in self.spans)


@dataclass(frozen=True)
class Lanes:
    """Where a timeline is drawn: heights, and pixels for each second."""

    timeline: Timeline
    scale: float
    top: float
    host: float = 22.0
    between: float = 28.0
    device: float = 28.0
    narrow: float = NARROW

    @property
    def device_top(self) -> float:
        """The upper edge of the lower lane."""
        return self.top + self.host + self.between

    @property
    def bottom(self) -> float:
        """The lower edge of the lower lane."""
        return self.device_top + self.device

    @cached_property
    def split(self) -> float:
        """The lower edge of waits and the upper one of computing: apart on overlap."""
        return self.device_top + self.device / 2 if overlaps(self.timeline) else 0.0

    def x(self, time: float) -> float:
        """Where a point in time lies; the timeline starts at the left edge."""
        return LEFT + (time - self.timeline.start) * self.scale

    def marks(self) -> tuple[list[Mark], list[Mark]]:
        """What is drawn in the upper lane, and in the lower one."""
        calls = self._merged([[span] for span in self.timeline.calls], lambda _: 0)
        owner = {span.call: place for place, m in enumerate(calls) for span in m.spans}
        iterations: dict[tuple[int, int | None], list[Span]] = {}
        for span in self.timeline.of("get_next", "compute"):
            iterations.setdefault((span.call, span.iteration), []).append(span)
        # A block does not reach beyond its call, unless that is in a block itself.
        return calls, self._merged(
            iterations.values(), lambda span: owner.get(span.call, -1 - span.call)
        )

    def _merged(
        self, units: Iterable[list[Span]], key: Callable[[Span], int]
    ) -> list[Mark]:
        marks: list[tuple[list[Span], int]] = []
        open_key: int | None = None
        for spans in units:
            end = max(span.end for span in spans)
            narrow = (end - spans[0].start) * self.scale < self.narrow
            own = key(spans[0])
            if narrow and own == open_key:
                marks[-1][0].extend(spans)
                marks[-1] = (marks[-1][0], marks[-1][1] + 1)
            else:
                marks.append((list(spans), 1))
            open_key = own if narrow else None
        return [Mark(tuple(spans), count) for spans, count in marks]


def draw(lanes: Lanes, describe: Describe | None, idle: Callable[[float], str]) -> str:
    """Both lanes with their marks, arrows and numbers.

    `describe` puts marks into words; without it they have none, and no numbers.
    """
    calls, iterations = lanes.marks()
    parts = [_idle(lanes)]
    for marks, one in ((calls, _call), (iterations, _iteration)):
        drawn = [one(lanes, mark) for mark in marks]
        if describe is None:
            parts += drawn
            continue
        size = math.ceil(len(marks) / STOPS) or 1
        for first in range(0, len(marks), size):
            group = marks[first : first + size]
            inner = [
                svg.titled(describe(mark.spans), shape) if size > 1 else shape
                for mark, shape in zip(group, drawn[first:], strict=False)
            ]
            all_spans = [span for mark in group for span in mark.spans]
            parts.append(svg.titled(describe(all_spans), "".join(inner), stop=True))
    parts.append(_arrows(lanes, calls))
    if describe is not None:
        parts += [
            _idle_labels(lanes, idle),
            _numbers(lanes, calls, lanes.top + lanes.host / 2),
            _numbers(
                lanes,
                iterations,
                ((lanes.split or lanes.device_top) + lanes.bottom) / 2,
            ),
        ]
    return "\n".join(filter(None, parts))


def reached(timeline: Timeline) -> dict[int, tuple[float, float]]:
    """For each call, when its first device span starts and its last one ends."""
    found: dict[int, tuple[float, float]] = {}
    for span in timeline.of("get_next", "compute"):
        start, end = found.get(span.call, (span.start, span.end))
        found[span.call] = (min(start, span.start), max(end, span.end))
    return found


def overlaps(timeline: Timeline) -> bool:
    """Whether the device does two things at once, such as several GetNexts."""
    busy = timeline.total("get_next") + timeline.total("compute")
    return busy + timeline.idle_seconds > timeline.seconds * (1 + 1e-9)


def _idle(lanes: Lanes) -> str:
    """The device's whole lane; what it does is drawn over it."""
    end = lanes.x(lanes.timeline.end)
    return svg.box(LEFT, end, lanes.device_top, lanes.bottom, "idle")


def _call(lanes: Lanes, mark: Mark) -> str:
    edges = lanes.top, lanes.top + lanes.host
    if mark.count == 1:
        return svg.box(lanes.x(mark.start), lanes.x(mark.end), *edges, "call")
    return "".join(
        svg.box(x0, x1, edges[1] - min(share, 1) * lanes.host, edges[1], "calls")
        for x0, x1, share in _columns(lanes, mark, "call")
        if share
    )


def _iteration(lanes: Lanes, mark: Mark) -> str:
    bottom = lanes.bottom
    if mark.count == 1:
        edges = {
            "get_next": (lanes.device_top, lanes.split or bottom),
            "compute": (lanes.split or lanes.device_top, bottom),
        }
        return "".join(
            svg.box(
                lanes.x(span.start),
                lanes.x(span.end),
                *edges[span.kind],
                KINDS[span.kind],
            )
            for span in mark.spans
            if span.end > span.start
        )
    shapes = []
    computing = _columns(lanes, mark, "compute")
    waiting = _columns(lanes, mark, "get_next")
    for (x0, x1, busy), (_, _, wait) in zip(computing, waiting, strict=True):
        whole = max(1.0, busy + wait)  # more than all of it where spans overlap
        middle = bottom - busy / whole * lanes.device
        upper = middle - wait / whole * lanes.device
        shapes += [svg.box(x0, x1, middle, bottom, "computes")] if busy else []
        shapes += [svg.box(x0, x1, upper, middle, "wait")] if wait else []
    return "".join(shapes)


KINDS = {"call": "call", "get_next": "wait", "compute": "compute"}


def _columns(lanes: Lanes, mark: Mark, kind: str) -> list[tuple[float, float, float]]:
    """The block in columns: left and right edge, share of the time spent on `kind`."""
    chosen = [span for span in mark.spans if span.kind == kind]
    starts = np.array([span.start for span in chosen])
    ends = np.array([span.end for span in chosen])
    number = max(1, round((mark.end - mark.start) * lanes.scale / COLUMN))
    times = np.linspace(mark.start, mark.end, number + 1)
    columns = []
    for a, b in itertools.pairwise(times):
        inside = np.minimum(ends, b) - np.maximum(starts, a)
        share = float(inside[inside > 0].sum() / (b - a)) if b > a else 0.0
        columns.append((lanes.x(float(a)), lanes.x(float(b)), share))
    return columns


def _arrows(lanes: Lanes, calls: Sequence[Mark]) -> str:
    """A launch and a return for each call; blocks have bare lines, one a column."""
    first_and_last = reached(lanes.timeline)
    upper, lower = lanes.top + lanes.host, lanes.device_top
    launches, returns, heads = "", "", ["", ""]
    for mark in calls:
        if mark.count > 1:
            for x0, x1, _ in _columns(lanes, mark, "call"):
                launches += svg.line(x0, upper, x0, lower)
                middle = (x0 + x1) / 2
                returns += svg.line(middle, lower, middle, upper)
            continue
        call = mark.spans[0]
        if call.call not in first_and_last:
            continue
        start, end = map(lanes.x, first_and_last[call.call])
        wide = (mark.end - mark.start) * lanes.scale >= SHORT
        size = min(3.6, lanes.between / 7) if wide else 0.0
        shaft, head = svg.arrow(lanes.x(call.start), upper, start, lower, size)
        launches, heads[0] = launches + shaft, heads[0] + head * wide
        shaft, head = svg.arrow(end, lower, lanes.x(call.end), upper, size)
        returns, heads[1] = returns + shaft, heads[1] + head * wide
    return (
        svg.path(launches, "launch")
        + svg.path(heads[0], "launch-head")
        + svg.path(returns, "return")
        + svg.path(heads[1], "return-head")
    )


def _idle_labels(lanes: Lanes, label: Callable[[float], str]) -> str:
    y = lanes.device_top + lanes.device / 2
    return "".join(
        svg.text(lanes.x((start + end) / 2), y, label(end - start), "number on-idle")
        for start, end in lanes.timeline.idle
        if (end - start) * lanes.scale >= IDLE_LABEL
    )


def _numbers(lanes: Lanes, marks: Sequence[Mark], y: float) -> str:
    """A number on each mark, or on each second, fifth, tenth ... if they are many."""
    single = [(_middle(lanes, m), _number(m), m) for m in marks if m.count == 1]
    single.sort(key=lambda entry: entry[0])
    steps = (k * 10**power for power in range(9) for k in (1, 2, 5))
    for step in steps:
        shown = [entry for entry in single if entry[1] % step == 0]
        if all(
            right[0] - left[0] >= DIGIT * (1 + len(f"{left[1]}{right[1]}") / 2)
            for left, right in itertools.pairwise(shown)
        ):
            break
    pieces = [
        svg.text(x, y, str(number), f"number on-{KINDS[mark.spans[-1].kind]}")
        for x, number, mark in shown
    ]
    for mark in marks:
        label = f"×{mark.count}"
        x0, x1 = lanes.x(mark.start), lanes.x(mark.end)
        half = DIGIT * len(label) / 2 + 2
        if mark.count > 1 and x1 - x0 >= 2 * half:
            middle = (x0 + x1) / 2
            pieces.append(
                svg.box(middle - half, middle + half, y - 7.5, y + 7.5, "chip")
            )
            pieces.append(svg.text(middle, y, label, "number on-chip"))
    return "".join(pieces)


def _middle(lanes: Lanes, mark: Mark) -> float:
    """Of the computing, where that has room for the number; else of the widest span."""
    room = DIGIT * len(str(_number(mark)))
    widest = max(
        mark.spans,
        key=lambda s: (
            s.kind == "compute" and s.seconds * lanes.scale >= room,
            s.seconds,
        ),
    )
    x = lanes.x((widest.start + widest.end) / 2)
    return min(x, lanes.x(lanes.timeline.end) - room / 2)


def _number(mark: Mark) -> int:
    """Of the call or the iteration, counted from 1."""
    span = mark.spans[0]
    return 1 + (span.call if span.iteration is None else span.iteration)
