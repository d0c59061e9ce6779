"""Lists dumps, and finds the operator that overflowed first."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab.extras.tuning.dump._texts import text


@dataclass(frozen=True)
class Tensor:
    """One dumped tensor; `value` reads it."""

    index: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    path: Path

    @property
    def value(self) -> Any:
        """Its values, a NumPy array; of bfloat16 as float32."""
        return np.load(self.path, allow_pickle=False)


@dataclass(frozen=True)
class Dump:
    """What one operator computed once.

    Attributes:
        op_name, op_type: of the operator, as in the script's graph.
        model: the compiled graph, the folder's name.
        step: the training step of the session, counted from 0; for a graph that does
            not train, how often it had run.
        sequence: its place in the order of execution.
        overflow: whether a value overflowed.
        inputs, outputs: its tensors.
        path: the file that describes it.
    """

    op_name: str
    op_type: str
    model: str
    step: int
    sequence: int
    overflow: bool
    inputs: tuple[Tensor, ...] = field(repr=False)
    outputs: tuple[Tensor, ...] = field(repr=False)
    task_id: int = field(repr=False)
    path: Path = field(repr=False)

    @property
    def clean_inputs(self) -> bool:
        """Whether no input has an infinity or NaN."""
        return all(_finite(tensor.value) for tensor in self.inputs)


def dumps(path: str | os.PathLike[str]) -> list[Dump]:
    """All dumps below `path` (a dump_path, or a folder in it), in order of execution.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: a file is not what npu_lab wrote.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise FileNotFoundError(text("no folder", path=path))
    described = [p for p in folder.rglob("*.json") if not p.name.startswith("Opdebug")]
    found = [_read(one.absolute()) for one in described]
    return sorted(found, key=lambda one: (_time(one.path), one.sequence))


def first_overflow(path: str | os.PathLike[str]) -> Dump | None:
    """The first operator, in order of execution, that overflowed; None without any.

    What comes after it may only carry its infinities on.  Where its own inputs are not
    clean (`Dump.clean_inputs`), they came from the data or from a constant.

    Raises:
        FileNotFoundError, ValueError: as `dumps`.
    """
    return next((one for one in dumps(path) if one.overflow), None)


def statistics(path: str | os.PathLike[str]) -> list[dict[str, str]]:
    """The lines of all `statistic.csv` below `path` (dump_data="stats"), by column."""
    rows: list[dict[str, str]] = []
    for file in sorted(Path(path).rglob("statistic.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            rows += csv.DictReader(lines)
    return sorted(rows, key=lambda row: int(row["Timestamp"]))


def _read(path: Path) -> Dump:
    try:
        about = json.loads(path.read_text("utf-8"))
        return Dump(
            op_name=about["op_name"],
            op_type=about["op_type"],
            model=path.parents[2].name,
            step=about["step"],
            sequence=about["sequence"],
            overflow=about["overflow"],
            inputs=_tensors(path, about["inputs"]),
            outputs=_tensors(path, about["outputs"]),
            task_id=about["task_id"],
            path=path,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(text("broken", path=path, reason=error)) from error


def _tensors(path: Path, described: Any) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            index=one["index"],
            name=one["name"],
            dtype=one["dtype"],
            shape=tuple(one["shape"]),
            path=path.parent / one["file"],
        )
        for one in described
    )


def _time(path: Path) -> str:
    """The name of the folder of a session's dumps: when the first was written."""
    # time/device/model/number of the model/step/file
    return path.parents[4].name


def _finite(value: Any) -> bool:
    return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
