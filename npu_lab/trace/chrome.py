"""A timeline as Chrome-trace JSON, which Perfetto opens.

Three lanes: the host's calls, below them the lines of its log, below these the device
with one slice for each iteration, in which GetNext and compute are nested. Of several
ranks a fourth has the collectives, from this rank's arrival to their end; those that
overlap are in lanes of their own. They are
threads of one process, which is named for where the times come from: of several
processes Perfetto shows that first which has most slices.

Arrows lead from a call to its first iteration and from its last one back, and from each
line of the log to the call that wrote it. The names of both are in each other's
arguments as well, so a search for either finds the other.

Times are in microseconds from the start of the timeline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from npu_lab.timeline import Span, Timeline

PROCESS = 1
CALLS, LOG, DEVICE, COLLECTIVES = 1, 2, 3, 4
# The threads in the order in which they are shown.
LANES = {CALLS: "host calls", LOG: "host log", DEVICE: "device"}
LONGEST_NAME = 60

Event = dict[str, Any]


class LogRecord(Protocol):
    """What is needed of a line of the host log; `hostlog.Record` has it."""

    @property
    def time(self) -> Any:
        """When it was written, a naive local `datetime`."""

    @property
    def message(self) -> str:
        """Its text."""

    @property
    def path(self) -> str:
        """The file it stands in."""

    @property
    def lineno(self) -> int:
        """Its line in that file."""


@dataclass(frozen=True)
class Note:
    """A line of the host log: seconds on the timeline, its place, its text."""

    at: float
    place: str
    text: str


def notes(records: Iterable[LogRecord], zero: float) -> list[Note]:
    """The lines of a log on a timeline that began at `zero` (seconds, Unix time)."""
    return [
        Note(
            record.time.timestamp() - zero,
            f"{record.path}:{record.lineno}",
            record.message,
        )
        for record in records
    ]


def calls_of(timeline: Timeline, written: Sequence[Note]) -> list[int | None]:
    """For each note the host call that it was written in, or None."""
    calls = timeline.calls
    starts = [call.start for call in calls]
    found: list[int | None] = []
    for note in written:
        index = bisect_right(starts, note.at) - 1
        inside = index >= 0 and note.at <= calls[index].end
        found.append(calls[index].call if inside else None)
    return found


def document(
    timeline: Timeline,
    written: Sequence[Note] = (),
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The whole trace as a JSON object.

    `otherData` says where the times come from: the timeline's provenance, the injected
    delay in seconds, and N; and what else is known `about` it.
    """
    origin = f"{timeline.provenance}, N={timeline.iterations_per_loop}"
    met = dict(enumerate(_apart(timeline.of("collective")), COLLECTIVES))
    lanes = LANES | dict.fromkeys(met, "collectives")
    events = [*_lanes(origin, lanes), *_slices(timeline, written)]
    for thread, spans in met.items():
        for span in spans:
            about_it = span.meeting._asdict() if span.meeting else {}
            known = {"iteration": span.iteration, **about_it}
            events.append(_slice(known.pop("name", span.kind), span, thread, known))
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "producer": "npu_lab",
            "provenance": timeline.provenance,
            "injected_seconds": timeline.injected,
            "iterations_per_loop": timeline.iterations_per_loop,
            **(about or {}),
        },
    }


def _apart(spans: Iterable[Span]) -> list[list[Span]]:
    """Lanes in which no two spans overlap, as few as will do."""
    lanes: list[list[Span]] = []
    for span in spans:
        free = (lane for lane in lanes if lane[-1].end <= span.start)
        lane = next(free, None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(span)
    return lanes


def _lanes(process: str, lanes: Mapping[int, str]) -> Iterator[Event]:
    at: Event = {"ph": "M", "pid": PROCESS}
    yield {**at, "tid": CALLS, "name": "process_name", "args": {"name": process}}
    for thread, name in lanes.items():
        at["tid"] = thread
        yield {**at, "name": "thread_name", "args": {"name": name}}
        yield {**at, "name": "thread_sort_index", "args": {"sort_index": thread}}


def _slices(timeline: Timeline, written: Sequence[Note]) -> Iterator[Event]:
    passes: dict[int, dict[int, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for span in timeline.of("get_next", "compute"):
        passes[span.call][span.iteration or 0].append(span)
    places: dict[int, list[str]] = defaultdict(list)
    owners = calls_of(timeline, written)
    for note, owner in zip(written, owners, strict=True):
        if owner is not None:
            places[owner].append(note.place)
    arrows = _Arrows()
    for call in timeline.calls:
        known = {"iterations": len(passes[call.call]), "log lines": places[call.call]}
        yield _slice(f"host call {call.call}", call, CALLS, known)
        rows = sorted(passes[call.call].items())
        for iteration, parts in rows:
            whole = Span("call", parts[0].start, parts[-1].end, call.call, iteration)
            known = {"call": call.call}
            yield _slice(f"iteration {iteration}", whole, DEVICE, known)
            for part in parts:
                name = "GetNext" if part.kind == "get_next" else "compute"
                yield _slice(name, part, DEVICE, {"iteration": iteration})
        if rows:
            first, last = rows[0][1][0], rows[-1][1][-1]
            yield from arrows.draw("launch", CALLS, call.start, DEVICE, first.start)
            yield from arrows.draw("return", DEVICE, last.start, CALLS, call.end)
    for note, number in zip(written, owners, strict=True):
        at = Span("call", note.at, note.at, number or 0)
        about = {"place": note.place, "text": note.text, "call": number}
        yield _slice(note.text[:LONGEST_NAME], at, LOG, about)
        if number is not None:
            yield from arrows.draw("written in", LOG, note.at, CALLS, note.at)


def _slice(name: str, span: Span, thread: int, known: Event) -> Event:
    return {
        "name": name,
        "cat": "device" if thread >= DEVICE else "host",
        "ph": "X",
        "ts": _microseconds(span.start),
        # Of whole nanoseconds, or a slice might reach beyond the one it is nested in.
        "dur": _microseconds(span.end, since=span.start),
        "pid": PROCESS,
        "tid": thread,
        "args": known,
    }


def _microseconds(seconds: float, since: float = 0.0) -> float:
    return (round(seconds * 1e9) - round(since * 1e9)) / 1000


class _Arrows:
    """Draws arrows between slices, each with a number of its own."""

    def __init__(self) -> None:
        self._drawn = 0

    def draw(
        self, name: str, source: int, start: float, target: int, end: float
    ) -> Iterator[Event]:
        self._drawn += 1
        same: Event = {"name": name, "cat": "arrow", "id": self._drawn, "pid": PROCESS}
        yield {**same, "ph": "s", "tid": source, "ts": _microseconds(start)}
        # "e": it ends at the slice around it, not at the next one.
        there = {"tid": target, "ts": _microseconds(end), "bp": "e"}
        yield {**same, "ph": "f", **there}
