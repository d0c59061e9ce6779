"""The three CSV files, with the documented columns.

What cannot be measured on this computer is "N/A"; nothing is made up.  Times are
microseconds.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from npu_lab.extras.tuning.profiling.iterations import Described, Iteration

STEP_TRACE, OP_SUMMARY, OP_STATISTIC = "step_trace", "op_summary", "op_statistic"
ABSENT = "N/A"
NANOSECONDS = 1000  # in a microsecond

COLUMNS: Mapping[str, tuple[str, ...]] = {
    STEP_TRACE: (
        "Device_id",
        "Iteration ID",
        "FP Start(us)",
        "BP End(us)",
        "Iteration End(us)",
        "Iteration Time(us)",
        "FP to BP Time(us)",
        "Iteration Refresh(us)",
        "Data Aug Bound(us)",
        "Model ID",
        "Reduce Start(us)",
        "Reduce Duration(us)",
    ),
    OP_SUMMARY: (
        "Device_id",
        "Model ID",
        "Task ID",
        "Stream ID",
        "Op Name",
        "OP Type",
        "Task Type",
        "Task Start Time(us)",
        "Task Duration(us)",
        "Task Wait Time(us)",
        "Block Dim",
        "Input Shapes",
        "Input Data Types",
        "Input Formats",
        "Output Shapes",
        "Output Data Types",
        "Output Formats",
    ),
    OP_STATISTIC: (
        "Device_id",
        "OP Type",
        "Core Type",
        "Count",
        "Total Time(us)",
        "Min Time(us)",
        "Avg Time(us)",
        "Max Time(us)",
        "Ratio(%)",
    ),
}


class Step(NamedTuple):
    """One iteration, of one model, and when the one before it had ended."""

    device: int
    model: int
    number: int
    before: int
    iteration: Iteration


Row = dict[str, Any]


def step_rows(steps: Iterable[Step]) -> list[Row]:
    """The rows of `step_trace.csv`."""
    return [
        _row(
            STEP_TRACE,
            step.device,
            step.number,
            _time(one.forward),
            _time(one.backward),
            _time(one.end),
            _time(one.end - one.forward),
            _time(one.backward - one.forward),
            _time(one.end - one.backward),
            _time(max(0, one.forward - step.before)),
            step.model,
        )
        for step in steps
        for one in [step.iteration]
    ]


def op_rows(steps: Iterable[Step]) -> list[Row]:
    """The rows of `op_summary.csv`: one for each execution of an operator."""
    rows: list[Row] = []
    for step in steps:
        end = 0
        for op in step.iteration.ops:
            wait = max(0, op.start - end) if end else 0
            end = max(end, op.end)
            rows.append(
                _row(
                    OP_SUMMARY,
                    step.device,
                    step.model,
                    len(rows),
                    ABSENT,
                    op.name,
                    op.type,
                    ABSENT,
                    _time(op.start),
                    _time(op.duration),
                    _time(wait),
                    ABSENT,
                    *_columns(op.inputs),
                    ABSENT,
                    *_columns(op.outputs),
                    ABSENT,
                )
            )
    return rows


def statistic_rows(steps: Sequence[Step]) -> list[Row]:
    """The rows of `op_statistic.csv`: one for each operator type, the longest first."""
    times: dict[tuple[int, str], list[int]] = {}
    for step in steps:
        for op in step.iteration.ops:
            times.setdefault((step.device, op.type), []).append(op.duration)
    whole = sum(map(sum, times.values())) or 1
    longest = sorted(times.items(), key=lambda one: (-sum(one[1]), one[0]))
    return [
        _row(
            OP_STATISTIC,
            device,
            kind,
            ABSENT,
            len(found),
            _time(sum(found)),
            _time(min(found)),
            _time(statistics.fmean(found)),
            _time(max(found)),
            f"{100 * sum(found) / whole:.3f}",
        )
        for (device, kind), found in longest
    ]


def written(name: str, rows: Sequence[Row]) -> str:
    """The CSV text of a table."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS[name], restval=ABSENT)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(table: str, *values: Any) -> Row:
    return dict(zip(COLUMNS[table], values, strict=False))


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / NANOSECONDS:.3f}"


def _columns(described: Sequence[Described]) -> tuple[str, str]:
    if not described:
        return ABSENT, ABSENT
    return ";".join(s for s, _ in described), ";".join(kind for _, kind in described)
