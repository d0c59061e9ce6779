"""What is to be profiled: the JSON of `profiling_options`, and the default folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab.extras.tuning.profiling._texts import text

SWITCH = ("on", "off")
TASKS = (*SWITCH, "l0", "l1", "l2", "l3")
METRICS = (
    "PipeUtilization",
    "ArithmeticUtilization",
    "Memory",
    "MemoryL0",
    "MemoryUB",
    "MemoryAccess",
    "ResourceConflictRatio",
    "L2Cache",
)
ALLOWED: Mapping[str, tuple[str, ...] | None] = {
    "output": None,
    "storage_limit": None,
    "training_trace": SWITCH,
    "task_trace": TASKS,
    "task_time": TASKS,
    "hccl": SWITCH,
    "aicpu": SWITCH,
    "fp_point": None,
    "bp_point": None,
    "aic_metrics": METRICS,
    "l2": SWITCH,
    "msproftx": SWITCH,
    "runtime_api": SWITCH,
}
"""The keys of `profiling_options` with the values that each may have."""
MEGABYTE = 2**20


@dataclass(frozen=True)
class Settings:
    """What is written, and where.

    `fp_point` and `bp_point` name the operators at which forward pass begins and
    backward pass ends; "" leaves them to be found.  `storage_limit` is in bytes.
    `given` is what was asked for, for the record.
    """

    folder: Path
    steps: bool = True
    tasks: bool = True
    fp_point: str = ""
    bp_point: str = ""
    storage_limit: int | None = None
    given: Mapping[str, str] | None = None


def parsed(options: str) -> Settings:
    """Read the JSON text.

    Raises:
        ValueError: it is none, a key is unknown, a value is not of its kind, or the
            folder is not there.
    """
    try:
        given = json.loads(options)
    except ValueError as error:
        raise ValueError(text("no json", reason=error, given=options)) from None
    if not isinstance(given, dict):
        raise ValueError(text("no json", reason=type(given).__name__, given=options))  # noqa: TRY004
    for key, value in given.items():
        _check(key, value)
    return Settings(
        folder=folder("profiling_options", given.get("output", "")),
        steps=given.get("training_trace", "on") == "on",
        tasks=given.get("task_time", given.get("task_trace", "on")) != "off",
        fp_point=given.get("fp_point", ""),
        bp_point=given.get("bp_point", ""),
        storage_limit=_limit(given.get("storage_limit", "")),
        given=given,
    )


def folder(name: str, path: str) -> Path:
    """The folder for results: `path`, else ASCEND_WORK_PATH, else where one is.

    Raises:
        ValueError: it is not there, or cannot be read and written.
    """
    chosen = Path(path or os.environ.get("ASCEND_WORK_PATH") or ".").absolute()
    if not chosen.is_dir() or not os.access(chosen, os.R_OK | os.W_OK):
        raise ValueError(text("no folder", name=name, path=chosen))
    return chosen


def _check(key: str, value: Any) -> None:
    if key not in ALLOWED:
        known = ", ".join(ALLOWED)
        raise ValueError(text("unknown key", key=repr(key), known=known))
    if not isinstance(value, str):
        raise ValueError(text("no text", key=key, given=repr(value)))  # noqa: TRY004
    allowed = ALLOWED[key]
    if allowed is not None and value and value not in allowed:
        names = ", ".join(allowed)
        raise ValueError(text("bad value", key=key, given=repr(value), allowed=names))


def _limit(given: str) -> int | None:
    if not given:
        return None
    found = re.fullmatch(r"(\d+)MB", given)
    if found is None or not int(found[1]):
        raise ValueError(text("bad limit", given=repr(given)))
    return int(found[1]) * MEGABYTE
