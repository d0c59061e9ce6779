"""The timeline over ranks as tables and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npu_lab.extras.distributed.timeline import said_of_clocks, steps
from npu_lab.extras.distributed.timeline._texts import text
from npu_lab.lab.tables import Table
from npu_lab.lab.timeline import time_text

if TYPE_CHECKING:
    from npu_lab.extras.distributed.timeline import RankTimeline

PARTS = ("data", "compute", "late", "meet")


def table(line: RankTimeline) -> Table:
    """A row for each rank: the means of a step; the straggler's is set off."""
    header = (text("rank"), *map(text, (*PARTS, "rest", "last")))
    whole = steps.mean_seconds(line.steps)
    rows = []
    for rank in range(len(line.traces)):
        spent = steps.means(line.steps, rank)
        rest = max(0.0, whole - sum(spent.values()))
        last = sum(step.last == rank for step in line.steps)
        cells = [_part(spent[part], whole) for part in PARTS]
        count = f"{last}/{len(line.steps)}"
        rows.append((str(rank), *cells, _part(rest, whole), count))
    found = line.straggler
    said = " ".join([headline(line), *provenance(line)])
    return Table(said, header, tuple(rows), None if found is None else found.rank)


def step_table(line: RankTimeline, first: int, count: int | None) -> Table:
    """A row for each step: how long each rank waited, and which came last."""
    ranks = range(len(line.traces))
    chosen = line.steps[first - 1 :][:count]
    header = (text("step"), *(f"{text('rank')} {r}" for r in ranks), text("last came"))
    rows = []
    for step in chosen:
        waits = [
            time_text(step.shares[r].spent["late"]) if r in step.shares else "-"
            for r in ranks
        ]
        rows.append((str(step.number), *waits, str(step.last)))
    return Table(" ".join([text("late"), *provenance(line)]), header, tuple(rows))


def headline(line: RankTimeline) -> str:
    """How many ranks and steps, and which rank is the straggler."""
    time = time_text(steps.mean_seconds(line.steps))
    facts = {"size": len(line.traces), "steps": len(line.steps), "time": time}
    return text("headline", verdict=verdict(line), **facts)


def verdict(line: RankTimeline) -> str:
    """Which rank is the straggler, or that none is."""
    found = line.straggler
    if found is None:
        return text("no straggler")
    share = f"{100 * found.share:.0f} %"
    facts = {"rank": found.rank, "last": found.last, "steps": len(line.steps)}
    return text("straggler", share=share, **facts)


def provenance(line: RankTimeline) -> list[str]:
    """Where the numbers come from, a line each."""
    told = [text("measured"), text("measured more"), said_of_clocks(line.clocks)]
    counts = [len(trace.met) for trace in line.traces]
    fewest, most = min(counts), max(counts)
    if fewest < most:
        rank = counts.index(fewest)
        told.append(text("shorter", rank=rank, own=fewest, most=most))
    return told


def _part(seconds: float, whole: float) -> str:
    return f"{time_text(seconds)} ({100 * seconds / whole:.0f} %)"
