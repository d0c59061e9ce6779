"""The files of one dumped operator: the documented tree and names.

The vendor's files are binary and not public.  Here each tensor is a `.npy` file, named
as the vendor's own tool names it when it converts one, and a `.json` file beside them
says what they are.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab import files
from npu_lab.extras.tuning.dump._texts import text

LONGEST = 255  # characters of a file's name
STREAM = 0
MAPPING = "mapping.csv"
STATISTICS = "statistic.csv"
COLUMNS = (
    "Op Type",
    "Op Name",
    "Task ID",
    "Stream ID",
    "Timestamp",
    "IO",
    "Slot",
    "Data Size",
    "Data Type",
    "Shape",
    "Max Value",
    "Min Value",
    "Avg Value",
    "Count",
    "Zero Count",
    "NaN Count",
    "Negative Inf Count",
    "Positive Inf Count",
)
_UNSAFE = str.maketrans(dict.fromkeys("./\\ ", "_"))


@dataclass(frozen=True)
class Operator:
    """One operator of a model: names of its tensors, and its number in the graph."""

    name: str
    kind: str
    task: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Dumped:
    """What one operator computed once; `inputs` and `outputs` by their number."""

    operator: Operator
    step: int
    sequence: int
    timestamp: int
    overflow: bool
    inputs: Mapping[int, Any]
    outputs: Mapping[int, Any]

    @property
    def base(self) -> str:
        """What the names of its files begin with."""
        op = self.operator
        name = op.name.translate(_UNSAFE)
        return f"{op.kind}.{name}.{op.task}.{STREAM}.{self.timestamp}"

    def tensors(self) -> list[tuple[str, int, str, Any]]:
        """(input or output, number, name, value) of each tensor."""
        op = self.operator
        found = [("input", i, op.inputs[i], v) for i, v in self.inputs.items()]
        return found + [
            ("output", i, op.outputs[i], v) for i, v in self.outputs.items()
        ]


def write(folder: Path, dumped: Dumped) -> None:
    """Write the files of `dumped` into `folder`, which is made.

    Raises:
        OSError: they cannot be written; none of them is left.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        base = _base(folder, dumped)
        listed: dict[str, list[Any]] = {"input": [], "output": []}
        for role, number, name, given in dumped.tensors():
            value = np.asarray(given)
            path = folder / f"{base}.{role}.{number}.npy"
            _save(path, written, _npy(value))
            facts = {"index": number, "name": name, "dtype": str(value.dtype)}
            shape = list(value.shape)
            listed[role].append({**facts, "shape": shape, "file": path.name})
        about = {
            **_about(dumped),
            "inputs": listed["input"],
            "outputs": listed["output"],
        }
        _save(folder / f"{base}.json", written, json.dumps(about, indent=1))
        if dumped.overflow:
            op = dumped.operator
            where = {"task_id": op.task, "stream_id": STREAM}
            core = {"AI Core": {**where, "op_name": op.name, "status": 1}}
            name = f"Opdebug.Node_Opdebug.{op.task}.{STREAM}.{dumped.timestamp}.json"
            _save(folder / name, written, json.dumps(core, indent=1))
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise _failed(folder, dumped, error) from error


def write_figures(folder: Path, dumped: Dumped) -> None:
    """Add one line a tensor to the statistics in `folder`, which is made.

    Raises:
        OSError: they cannot be written; no line is left half-written.
    """
    path = folder / STATISTICS
    op = dumped.operator
    start = [op.kind, op.name, op.task, STREAM, dumped.timestamp]
    rows = [
        [*start, role, number, *_figures(np.asarray(value))]
        for role, number, _, value in dumped.tensors()
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _append(path, COLUMNS, rows)
    except OSError as error:
        raise _failed(folder, dumped, error) from error


def _about(dumped: Dumped) -> dict[str, Any]:
    op = dumped.operator
    return {
        "op_name": op.name,
        "op_type": op.kind,
        "task_id": op.task,
        "stream_id": STREAM,
        "timestamp": dumped.timestamp,
        "step": dumped.step,
        "sequence": dumped.sequence,
        "overflow": dumped.overflow,
    }


def _base(folder: Path, dumped: Dumped) -> str:
    """The beginning of the files' names: a number where the right one is too long."""
    base = dumped.base
    if len(f"{base}.output.00.npy".encode()) <= LONGEST:
        return base
    number = str(random.SystemRandom().randrange(10**18, 10**19))
    _append(folder / MAPPING, None, [[number, base]])
    return number


def _append(path: Path, head: Sequence[str] | None, rows: Sequence[Any]) -> None:
    """Add lines to a file: all of them or none."""
    text_of = io.StringIO()
    writer = csv.writer(text_of)
    size = path.stat().st_size if path.exists() else 0
    if head and not size:
        writer.writerow(head)
    writer.writerows(rows)
    try:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(text_of.getvalue())
    except OSError:
        if path.exists():
            with path.open("r+b") as file:
                file.truncate(size)
        raise


def _save(path: Path, written: list[Path], content: str | bytes) -> None:
    files.replace(path, content)
    written.append(path)


def _npy(value: Any) -> bytes:
    if value.dtype.kind == "V" or str(value.dtype) == "bfloat16":
        value = value.astype(np.float32)  # NumPy has no bfloat16 of its own
    buffer = io.BytesIO()
    np.save(buffer, value, allow_pickle=False)
    return buffer.getvalue()


def _figures(value: Any) -> list[Any]:
    about = [value.nbytes, str(value.dtype), list(value.shape)]
    if not value.size or value.dtype.kind not in "biuf":
        return [*about, *[""] * 3, value.size, *[""] * 4]
    wide = value.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    ends = [finite.max(), finite.min(), finite.mean()] if finite.size else ["nan"] * 3
    counts = [
        value.size,
        (wide == 0).sum(),
        np.isnan(wide).sum(),
        np.isneginf(wide).sum(),
        np.isposinf(wide).sum(),
    ]
    return [*about, *ends, *counts]


def _failed(folder: Path, dumped: Dumped, error: OSError) -> OSError:
    op = dumped.operator
    told = text(
        "cannot write",
        operator=f"{op.name} ({op.kind})",
        folder=folder,
        reason=error.strerror or error,
    )
    return OSError(error.errno, told)
