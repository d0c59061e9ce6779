"""One Chrome trace of all ranks, from those of each.

All lanes are threads of one process: of several processes Perfetto shows that first
which has most slices.  Those of a rank stand together, and below each other as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from npu_lab.extras.distributed.timeline.reading import RankTrace
from npu_lab.extras.distributed.timeline.steps import Step

PROCESS = 1
LANES = 20  # for each rank
WAITS = LANES - 1
LATE = "wait for ranks"
ARROWS = 1_000_000  # numbers of arrows for each rank

Event = dict[str, Any]


def document(
    traces: Sequence[RankTrace], steps: Sequence[Step], clock: str
) -> dict[str, Any]:
    """The trace of ranks that are on one clock, which `clock` says more of."""
    named: Event = {"ph": "M", "pid": PROCESS, "name": "process_name", "tid": 1}
    told = f"{len(traces)} ranks, measured"
    events = [{**named, "args": {"name": told}}]
    for rank, trace in enumerate(traces):
        events += _moved(rank, trace)
    events += _waits(steps)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "producer": "npu_lab",
            "provenance": "measured",
            "ranks": len(traces),
            "clock": clock,
            "of_ranks": [dict(trace.about) for trace in traces],
        },
    }


def _moved(rank: int, trace: RankTrace) -> Iterator[Event]:
    """The events of a rank, by the common clock and in lanes of its own."""
    first = LANES * rank
    for event in trace.events:
        if event["name"] == "process_name":
            continue
        thread = first + event["tid"]
        new = {**event, "pid": PROCESS, "tid": thread}
        if event["name"] == "thread_name":
            new["args"] = {"name": f"rank {rank} {event['args']['name']}"}
        elif event["name"] == "thread_sort_index":
            new["args"] = {"sort_index": thread}
        else:
            new["ts"] = round(event["ts"] + trace.moved_by * 1e6, 3)
            if "id" in event:
                new["id"] = event["id"] + ARROWS * rank
            if "args" in event:
                new["args"] = {**event["args"], "rank": rank}
        yield new
    lane: Event = {"ph": "M", "pid": PROCESS, "tid": first + WAITS}
    yield {**lane, "name": "thread_name", "args": {"name": f"rank {rank} waits"}}
    sort = {"sort_index": first + WAITS}
    yield {**lane, "name": "thread_sort_index", "args": sort}


def _waits(steps: Sequence[Step]) -> Iterator[Event]:
    """How long each rank waited for the last one, in a lane of its own."""
    for step in steps:
        for rank, share in step.shares.items():
            ended = 0.0
            for part in share.parts:
                start = max(part.start, ended)  # two collectives at once: waited once
                if part.all_there <= start:
                    continue
                ended = part.all_there
                yield {
                    "name": LATE,
                    "cat": "device",
                    "ph": "X",
                    "ts": round(start * 1e6, 3),
                    "dur": round((ended - start) * 1e6, 3),
                    "pid": PROCESS,
                    "tid": LANES * rank + WAITS,
                    "args": {"rank": rank, "step": step.number, "last": step.last},
                }
