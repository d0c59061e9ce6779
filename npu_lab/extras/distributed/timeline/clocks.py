"""Puts the traces of ranks on one clock.

Ranks on one host read the same clock.  Those of other hosts differ, by what the traces
themselves tell: no rank can leave an all-reduce before each has come to it, which
bounds the difference from both sides, and all leave it at nearly the same time.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from npu_lab.extras.distributed.timeline.reading import RankTrace
from npu_lab.timeline import Span

TOGETHER = ("all-reduce", "all-gather")  # end for nobody before all have come


@dataclass(frozen=True)
class Clock:
    """How far a host's clock is ahead of the first host's, seconds.

    `error` is how far off that may be at most; None where nothing is known.
    """

    host: str
    offset: float = 0.0
    error: float | None = 0.0


def clocks(traces: Sequence[RankTrace]) -> tuple[Clock, ...]:
    """The clocks of the hosts, in the order in which they come."""
    hosts = dict.fromkeys(trace.host for trace in traces)
    first, *others = hosts
    return (Clock(first), *(_clock(traces, first, host) for host in others))


def on_one_clock(traces: Sequence[RankTrace]) -> tuple[RankTrace, ...]:
    """The traces by the first host's clock; the first thing in them is at 0."""
    offsets = {clock.host: clock.offset for clock in clocks(traces)}
    base = traces[0].zero
    moved = [t.moved(t.zero - base - offsets[t.host]) for t in traces]
    spans = [span.start for t in moved for span in (*t.spans, *t.met.values())]
    begin = min(spans, default=0.0)
    return tuple(trace.moved(-begin) for trace in moved)


def _clock(traces: Sequence[RankTrace], first: str, host: str) -> Clock:
    pairs = list(_pairs(traces, first, host))
    if not pairs:
        return Clock(host, error=None)
    low = max(theirs.start - ours.end for ours, theirs in pairs)
    high = min(theirs.end - ours.start for ours, theirs in pairs)
    guess = statistics.median(theirs.end - ours.end for ours, theirs in pairs)
    offset = min(max(guess, min(low, high)), max(low, high))
    return Clock(host, offset, max(abs(high - offset), abs(offset - low)))


def _pairs(
    traces: Sequence[RankTrace], first: str, host: str
) -> Iterator[tuple[Span, Span]]:
    """Each collective that ranks of both hosts took part in, by their own clocks."""
    base = traces[0].zero
    for ours in (t.moved(t.zero - base) for t in traces if t.host == first):
        for theirs in (t.moved(t.zero - base) for t in traces if t.host == host):
            for key in ours.met.keys() & theirs.met.keys():
                if key[0].name in TOGETHER:
                    yield ours.met[key], theirs.met[key]
