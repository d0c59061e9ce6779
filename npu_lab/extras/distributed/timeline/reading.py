"""Reads the trace of one rank: its spans, by the clock of its own host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from npu_lab import trace_files
from npu_lab.extras.distributed.timeline._texts import text
from npu_lab.timeline import Meeting, Span
from npu_lab.trace_files import TraceFileError

MICROSECOND = 1e-6
KINDS = {"GetNext": "get_next", "compute": "compute"}

Key = tuple[Meeting, int]
"""A collective, and how many like it were before: the same for all of its ranks."""


@dataclass(frozen=True)
class RankTrace:
    """What one rank recorded, in seconds since `zero`, a time of its system's clock.

    `spans` are its host calls, GetNexts and computing, `met` its collectives; `events`
    and `about` what the file has.  All but these has been moved by `moved_by`.
    """

    host: str
    zero: float
    spans: tuple[Span, ...]
    met: Mapping[Key, Span]
    events: tuple[dict[str, Any], ...] = field(repr=False)
    about: Mapping[str, Any] = field(repr=False)
    moved_by: float = 0.0

    def moved(self, seconds: float) -> RankTrace:
        """The same on a clock by which all was so many seconds later."""
        met = {key: _moved(span, seconds) for key, span in self.met.items()}
        spans = tuple(_moved(span, seconds) for span in self.spans)
        return replace(self, spans=spans, met=met, moved_by=self.moved_by + seconds)


def read(path: Path) -> RankTrace:
    """Read a trace that `npu-lab run --trace` wrote.

    Raises:
        TraceFileError: it cannot be read, or is none.
    """
    document = trace_files.document(path)
    about = document.get("otherData", {})
    if "zero" not in about:
        raise TraceFileError(text("not ours", path=path))
    events = [event for event in document["traceEvents"] if event["ph"] == "X"]
    events.sort(key=lambda event: event["ts"])
    met: dict[Key, Span] = {}
    seen: Counter[Meeting] = Counter()
    for span in _collectives(events):
        assert span.meeting is not None  # noqa: S101
        met[span.meeting, seen[span.meeting]] = span
        seen[span.meeting] += 1
    return RankTrace(
        host=str(about.get("host", "")),
        zero=float(about["zero"]),
        spans=tuple(_spans(events)),
        met=met,
        events=tuple(document["traceEvents"]),
        about=about,
    )


def _moved(span: Span, seconds: float) -> Span:
    return replace(span, start=span.start + seconds, end=span.end + seconds)


def _times(event: Mapping[str, Any]) -> tuple[float, float]:
    start = event["ts"] * MICROSECOND
    return start, start + event["dur"] * MICROSECOND


def _spans(events: list[dict[str, Any]]) -> Iterator[Span]:
    calls = {}
    for event in events:
        known = event.get("args", {})
        if event["name"].startswith("iteration "):
            calls[int(event["name"].split()[1])] = known["call"]
    for event in events:
        known, times = event.get("args", {}), _times(event)
        if event["name"].startswith("host call "):
            yield Span("call", *times, int(event["name"].split()[2]))
        elif event["name"] in KINDS:
            number = known["iteration"]
            kind: Any = KINDS[event["name"]]
            yield Span(kind, *times, calls[number], number)


def _collectives(events: list[dict[str, Any]]) -> Iterator[Span]:
    for event in events:
        known = event.get("args", {})
        if "instance" in known:
            keys = known["group"], known["instance"], known["size"]
            meeting, number = Meeting(event["name"], *keys), known["iteration"]
            yield Span("collective", *_times(event), 0, number, meeting)
