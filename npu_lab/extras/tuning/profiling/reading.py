"""Reads a `PROF_*` folder: ours, or what `msprof --export=on` made on hardware."""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from npu_lab.extras.tuning.profiling._texts import text
from npu_lab.extras.tuning.profiling.tables import (
    ABSENT,
    OP_STATISTIC,
    OP_SUMMARY,
    STEP_TRACE,
)

MILLISECOND = 1000  # microseconds
PARTS = ("Data Aug Bound", "FP to BP Time", "Iteration Refresh")
GET_NEXT = ("IteratorGetNext", "IteratorGetNextSync", "AdpGetNext", "GetNext")
TEXTS = ("Op Name", "OP Type", "Core Type", "Task Type", "Model Name", "OP State")
NUMBERS = ("(us)", "(%)", "Count", "Iteration ID", "Model ID")

Row = Mapping[str, Any]


class Kind(NamedTuple):
    """An operator type: milliseconds in all, executions, percent of all types."""

    name: str
    total: float
    calls: int
    share: float


@dataclass(frozen=True)
class Profile:
    """The tables of one profile; times are microseconds, what was not measured is None.

    `model` is the one that the figures are about: by default that with the most
    iterations.
    """

    folder: Path
    step_trace: Sequence[Row]
    op_summary: Sequence[Row]
    op_statistic: Sequence[Row]
    model: int | None = field(default=None)

    def __post_init__(self) -> None:
        if self.model is None and self.step_trace:
            found = Counter(row["Model ID"] for row in self.step_trace)
            most = max(found.values())
            chosen = max(m for m, count in found.items() if count == most)
            object.__setattr__(self, "model", chosen)

    @cached_property
    def iterations(self) -> list[Row]:
        """The rows of the model, in order, without iteration 1, which compiles."""
        mine = [row for row in self.step_trace if row["Model ID"] == self.model]
        mine.sort(key=lambda row: row["Iteration ID"])
        later = [row for row in mine if row["Iteration ID"] != 1]
        return later or mine

    @cached_property
    def medians(self) -> dict[str, float]:
        """The median of each part of an iteration, in milliseconds."""
        return {
            part: statistics.median(_values(self.iterations, f"{part}(us)") or [0.0])
            / MILLISECOND
            for part in PARTS
        }

    @property
    def shares(self) -> dict[str, float]:
        """The parts of an iteration in percent."""
        whole = sum(self.medians.values()) or 1.0
        return {part: 100 * one / whole for part, one in self.medians.items()}

    @cached_property
    def get_next(self) -> float:
        """The median wait for GetNext in an iteration, in milliseconds; 0 for none."""
        times = [
            row["Task Duration(us)"] / MILLISECOND
            for row in self.op_summary
            if row["OP Type"] in GET_NEXT
            and row["Model ID"] in (self.model, None)
            and row["Task Duration(us)"] is not None
        ]
        return statistics.median(times) if times else 0.0

    @cached_property
    def kinds(self) -> list[Kind]:
        """The operator types of the model, those that took longest first.

        Iteration 1 is left out where `op_summary` tells what belongs to it.
        """
        first = [
            row["Iteration End(us)"]
            for row in self.step_trace
            if row["Model ID"] == self.model
            and row["Iteration ID"] == 1
            and row.get("Iteration End(us)") is not None
        ]
        compiled = max(first, default=0.0) if len(self.iterations) > 1 else 0.0
        times: dict[str, list[float]] = {}
        for row in self.op_summary:
            mine = row["Model ID"] in (self.model, None)
            lasted = row["Task Duration(us)"]
            if mine and lasted and (row.get("Task Start Time(us)") or 0) >= compiled:
                times.setdefault(row["OP Type"], []).append(lasted / MILLISECOND)
        found = [(kind, math.fsum(one), len(one)) for kind, one in times.items()]
        found = found or [
            (r["OP Type"], (r["Total Time(us)"] or 0) / MILLISECOND, r["Count"])
            for r in self.op_statistic
        ]
        whole = math.fsum(total for _, total, _ in found) or 1.0
        kinds = [Kind(k, total, n, 100 * total / whole) for k, total, n in found]
        return sorted(kinds, key=lambda one: (-one.total, one.name))


def read(folder: Path | str) -> Profile:
    """Read the tables of a folder, or of folders in it.

    Raises:
        ValueError: there is none of them, a column is missing, or a number is none.
    """
    where = Path(folder)
    steps, ops, kinds = (
        _table(where, name) for name in (STEP_TRACE, OP_SUMMARY, OP_STATISTIC)
    )
    if not (steps or ops or kinds):
        raise ValueError(text("no profile", path=where))
    return Profile(where, steps, ops, kinds)


def latest(folder: Path | str = ".") -> Path:
    """The newest `PROF_*` folder in `folder`.

    Raises:
        ValueError: there is none.
    """
    found = [one for one in Path(folder).glob("PROF_*") if one.is_dir()]
    if not found:
        raise ValueError(text("no profile", path=Path(folder).absolute()))
    return max(found, key=lambda one: one.stat().st_mtime_ns)


NEEDED = {
    STEP_TRACE: ("Iteration ID", "Model ID", *(f"{part}(us)" for part in PARTS)),
    OP_SUMMARY: ("Model ID", "Op Name", "OP Type", "Task Duration(us)"),
    OP_STATISTIC: ("OP Type", "Count", "Total Time(us)", "Ratio(%)"),
}


def _table(folder: Path, name: str) -> list[Row]:
    files = sorted([*folder.rglob(f"{name}.csv"), *folder.rglob(f"{name}_*.csv")])
    return [row for file in files for row in _rows(file, NEEDED[name])]


def _rows(path: Path, needed: Sequence[str]) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as opened:
        reader = csv.DictReader(opened)
        for column in needed:
            if column not in (reader.fieldnames or ()):
                raise ValueError(text("no column", path=path, column=column))
        return [
            {column: _value(path, n, column, given) for column, given in row.items()}
            for n, row in enumerate(reader, 2)
        ]


def _value(path: Path, line: int, column: str, given: str | None) -> Any:
    given = (given or "").strip()
    if given in ("", ABSENT):
        return None
    if column in TEXTS or not column.endswith(NUMBERS):
        return given
    try:
        return float(given) if column.endswith((")",)) else int(given)
    except ValueError:
        facts = {"path": path, "line": line, "column": column, "given": repr(given)}
        raise ValueError(text("no number", **facts)) from None


def _values(rows: Sequence[Row], column: str) -> list[float]:
    return [row[column] for row in rows if row[column] is not None]
