"""The steps of all ranks: who waited in them for whom, and for how long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npu_lab.extras.distributed.timeline.reading import Key, RankTrace
from npu_lab.timeline import Span

OFTEN = 2 / 3  # of the steps in which a straggler is last
MATTERS = 0.1  # of the time, which others must wait for a straggler


@dataclass(frozen=True)
class Part:
    """One collective of one rank: it came, the last one came, it left (seconds)."""

    start: float
    all_there: float
    end: float


@dataclass(frozen=True)
class Share:
    """One step of one rank, and what its time went to (seconds).

    `start` is that of its GetNext, `data` when its batch was there, `end` that of its
    computing.
    """

    start: float
    data: float
    end: float
    parts: tuple[Part, ...]

    @property
    def spent(self) -> dict[str, float]:
        """Seconds on data, on computing, waiting for ranks, and in collectives."""
        late = _covered([(part.start, part.all_there) for part in self.parts])
        met = _covered([(part.start, part.end) for part in self.parts])
        meet, compute = met - late, max(0.0, self.end - self.data - met)
        data = self.data - self.start
        return {"data": data, "compute": compute, "late": late, "meet": meet}


@dataclass(frozen=True)
class Step:
    """One step, counted from 1; `last` is the rank that the others waited for most."""

    number: int
    shares: Mapping[int, Share]
    last: int


@dataclass(frozen=True)
class Straggler:
    """A rank that the others wait for, in how many steps, and for which share."""

    rank: int
    last: int
    share: float


def steps(traces: Sequence[RankTrace]) -> tuple[Step, ...]:
    """The steps in which ranks met, in order, of traces on one clock."""
    meetings: dict[Key, dict[int, Span]] = defaultdict(dict)
    for rank, trace in enumerate(traces):
        for key, span in trace.met.items():
            meetings[key][rank] = span
    parts: dict[int, dict[int, list[Part]]] = defaultdict(lambda: defaultdict(list))
    waits: dict[int, list[tuple[float, int]]] = defaultdict(list)
    passes: dict[int, dict[int, int]] = defaultdict(dict)
    for (meeting, _), spans in meetings.items():
        if len(spans) < min(meeting.size, len(traces)):
            continue  # not all of its ranks have recorded it
        there, last = max((span.start, rank) for rank, span in spans.items())
        number = spans[min(spans)].iteration or 0
        waits[number].append((there - min(s.start for s in spans.values()), last))
        for rank, span in spans.items():
            part = Part(span.start, min(there, span.end), span.end)
            parts[number][rank].append(part)
            passes[number][rank] = span.iteration or 0
    known = [_passes(trace) for trace in traces]
    found = []
    for count, number in enumerate(sorted(parts), 1):
        shares = {}
        for rank, met in sorted(parts[number].items()):
            times = known[rank].get(passes[number][rank])
            if times is not None:
                ordered = tuple(sorted(met, key=lambda part: part.start))
                shares[rank] = Share(*times, ordered)
        found.append(Step(count, shares, max(waits[number])[1]))
    return tuple(found)


def means(found: Sequence[Step], rank: int) -> dict[str, float]:
    """What a step of a rank spends on what, on average (seconds)."""
    spent = [s.shares[rank].spent for s in found if rank in s.shares]
    names = ("data", "compute", "late", "meet")
    return {name: sum(s[name] for s in spent) / max(1, len(spent)) for name in names}


def mean_seconds(found: Sequence[Step]) -> float:
    """How long a step is on average, what lies between two included (seconds)."""
    begun = min(share.start for share in found[0].shares.values())
    ended = max(share.end for share in found[-1].shares.values())
    return (ended - begun) / len(found)


def straggler(found: Sequence[Step]) -> Straggler | None:
    """The rank that is last in most of the steps, if others wait for it noticeably."""
    ranks = sorted({rank for step in found for rank in step.shares})
    counts = {rank: sum(step.last == rank for step in found) for rank in ranks}
    slowest = max(ranks, key=lambda rank: counts[rank])
    if counts[slowest] < OFTEN * len(found):
        return None
    late = [means(found, rank)["late"] for rank in ranks if rank != slowest]
    share = sum(late) / len(late) / mean_seconds(found)
    if share < MATTERS:
        return None
    return Straggler(slowest, counts[slowest], share)


def _covered(times: Sequence[tuple[float, float]]) -> float:
    """How long at least one lasts: two collectives at once are waited for once."""
    seconds = reached = 0.0
    for start, end in sorted(times):
        seconds += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return seconds


def _passes(trace: RankTrace) -> dict[int, tuple[float, float, float]]:
    """For each iteration: when it began, when its batch was there, when it ended."""
    begun = {s.iteration: s.start for s in trace.spans if s.kind == "get_next"}
    return {
        span.iteration: (begun.get(span.iteration, span.start), span.start, span.end)
        for span in trace.spans
        if span.kind == "compute" and span.iteration is not None
    }
