"""Compares two dumps tensor by tensor, in the documented columns."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab import files
from npu_lab.extras.tuning.dump._texts import text
from npu_lab.extras.tuning.dump.reading import Dump, Tensor, dumps

FIGURES = (
    "CosineSimilarity",
    "MaxAbsoluteError",
    "AccumulatedRelativeError",
    "RelativeEuclideanDistance",
    "KullbackLeiblerDivergence",
    "StandardDeviation",
    "MeanAbsoluteError",
    "RootMeanSquareError",
    "MaxRelativeError",
    "MeanRelativeError",
)
COLUMNS = (
    "Index",
    "OpSequence",
    "OpType",
    "NPUDump",
    "DataType",
    "Address",
    "GroundTruth",
    "TensorIndex",
    "Shape",
    "OverFlow",
    *FIGURES,
    "CompareFailReason",
)
Row = dict[str, Any]


def compare(npu: str | os.PathLike[str], truth: str | os.PathLike[str]) -> list[Row]:
    """One row, by column, for each tensor that is in the dump `npu`.

    Operators are matched by name, step and how often they had run in it.  Figures are
    numbers, NaN where there is none; the reason is in the last column.

    Raises:
        FileNotFoundError, ValueError: as `dumps`.
    """
    known = _by_place(dumps(truth))
    rows: list[Row] = []
    for place, one in _by_place(dumps(npu)).items():
        other = known.get(place)
        for role in ("inputs", "outputs"):
            others = {t.index: t for t in getattr(other, role, ())}
            for tensor in getattr(one, role):
                match = others.get(tensor.index)
                row = _row(one, role.rstrip("s"), tensor, match)
                if match is None:
                    row["CompareFailReason"] = text("only left", left=npu, right=truth)
                rows.append({"Index": len(rows), **row})
    return rows


def filtered(
    rows: Sequence[Row], column: str = "CosineSimilarity", below: float = 0.98
) -> list[Row]:
    """The rows whose figure is below a limit; for an error, those above it.

    Raises:
        ValueError: no such figure.
    """
    if column not in FIGURES or column == "StandardDeviation":
        names = [name for name in FIGURES if name != "StandardDeviation"]
        raise ValueError(text("column", column=column, columns=", ".join(names)))
    if column == "CosineSimilarity":
        return [row for row in rows if row[column] < below]
    return [row for row in rows if row[column] > below]


def save(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Write rows of `compare` as CSV.

    Raises:
        OSError: it cannot be written; nothing has been changed.
    """
    content = io.StringIO()
    writer = csv.DictWriter(content, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    files.replace(Path(path), content.getvalue())


def figures(npu: Any, truth: Any) -> Mapping[str, Any]:
    """The figures of two arrays of one shape, in float64.

    The divergence is that of the softmax of both, as probabilities.
    """
    a, b = (np.asarray(one, np.float64).ravel() for one in (npu, truth))
    error = np.abs(a - b)
    lengths = math.sqrt(float(a @ a)) * math.sqrt(float(b @ b))
    relative = np.divide(error, np.abs(b), out=np.zeros_like(b), where=b != 0)
    relative[(b == 0) & (a != 0)] = 1.0  # by convention: there is no truth to divide by
    return dict(
        zip(
            FIGURES,
            (
                float(a @ b) / lengths if lengths else float(not (a.any() or b.any())),
                float(error.max()),
                _ratio(float(error.sum()), float(np.abs(b).sum())),
                _ratio(math.sqrt(float(error @ error)), math.sqrt(float(b @ b))),
                _divergence(a, b),
                f"({a.mean():.6g};{a.std():.6g}),({b.mean():.6g};{b.std():.6g})",
                float(error.mean()),
                math.sqrt(float((error**2).mean())),
                float(relative.max()),
                float(relative.mean()),
            ),
            strict=True,
        )
    )


def _row(one: Dump, role: str, tensor: Tensor, match: Tensor | None) -> Row:
    row: Row = {
        "OpSequence": one.task_id,
        "OpType": one.op_type,
        "NPUDump": one.op_name,
        "DataType": tensor.dtype,
        "Address": "NaN",
        "GroundTruth": one.op_name if match else "*",
        "TensorIndex": f"{one.op_name}:{role}:{tensor.index}",
        "Shape": list(tensor.shape),
        "OverFlow": "YES" if one.overflow else "NO",
        **dict.fromkeys(FIGURES, math.nan),
        "CompareFailReason": "",
    }
    if match is None:
        return row
    npu, truth = tensor.value, match.value
    if npu.shape != truth.shape:
        shapes = {"left": list(npu.shape), "right": list(truth.shape)}
        row["CompareFailReason"] = text("shapes", **shapes)
    elif not npu.size:
        row["CompareFailReason"] = text("empty")
    elif not (np.isfinite(npu).all() and np.isfinite(truth).all()):
        row["CompareFailReason"] = text("not numbers")
    else:
        row |= figures(npu, truth)
    return row


def _by_place(found: Sequence[Dump]) -> dict[tuple[str, int, int], Dump]:
    """Dumps by operator, step, and how often it had run in that step."""
    placed: dict[tuple[str, int, int], Dump] = {}
    for one in found:
        times = 0
        while (one.op_name, one.step, times) in placed:
            times += 1
        placed[one.op_name, one.step, times] = one
    return placed


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return 0.0 if not above else math.inf


def _divergence(a: Any, b: Any) -> float:
    p, q = (np.exp(one - one.max()) for one in (a, b))
    p, q = p / p.sum(), q / q.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(p > 0, p * np.log(p / q), 0.0)
    return float(parts.sum())
