"""The argument checks of the vendor's `util`, with its exception types.

A bool passes as an integer, as in the adapter.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROFILING_OPTIONS = ("training_trace", "task_time", "op_trace")
AOE_MODES = ("1", "2", "4")


def check_not_none(value: object, name: str) -> None:
    """Raise ValueError for None."""
    if value is None:
        message = f"{name} is None, but a value is needed."
        raise ValueError(message)


def check_positive_integer(value: Any, name: str) -> None:
    """Raise TypeError for anything but an int, ValueError for one below 1."""
    _check_integer(value, name)
    if value <= 0:
        message = f"{name} is {value}, but must be 1 or more."
        raise ValueError(message)


def check_nonnegative_integer(value: Any, name: str) -> None:
    """Raise TypeError for anything but an int, ValueError for one below 0."""
    _check_integer(value, name)
    if value < 0:
        message = f"{name} is {value}, but must be 0 or more."
        raise ValueError(message)


def _check_integer(value: object, name: str) -> None:
    if not isinstance(value, int):
        message = f"{name} is {value!r} ({type(value).__name__}), but must be an int."
        raise TypeError(message)


def check_bool_type(value: object, name: str) -> None:
    """Raise TypeError for anything but True or False."""
    if not isinstance(value, bool):
        message = f"{name} is {value!r}, but must be True or False."
        raise TypeError(message)


def convert_bool_to_int(value: object) -> int:
    """1 for True, 0 for False, -1 for anything else."""
    return int(value) if isinstance(value, bool) else -1


def format_string(value: object, name: str) -> str:
    """`value` itself, "" for None; raise TypeError for anything but a string."""
    if value is None:
        return ""
    if not isinstance(value, str):
        message = f"{name} is {value!r} ({type(value).__name__}), but must be a str."
        raise TypeError(message)
    return value


def check_profiling_options(profiling_options: Sequence[str] = ()) -> str:
    """The options joined by ":"; raise ValueError for none, or an unknown one."""
    unknown = [o for o in profiling_options if o not in PROFILING_OPTIONS]
    if unknown or not profiling_options:
        message = (
            f"profiling_options is {list(profiling_options)}, but must hold one or more"
            f" of {', '.join(PROFILING_OPTIONS)}."
        )
        raise ValueError(message)
    return ":".join(profiling_options)


def check_path(path: str) -> str:
    """The real path of a folder that can be read and written; else ValueError."""
    if not Path(path).exists():
        fault = "does not exist"
    elif not Path(path).is_dir():
        fault = "is not a folder"
    elif not os.access(path, os.R_OK | os.W_OK):
        fault = "cannot be read and written"
    else:
        return os.path.realpath(path)
    message = f"The path {path} {fault}: give a folder with both rights."
    raise ValueError(message)


def check_aoe_mode(aoe_mode: object) -> None:
    """Raise ValueError unless the mode is the string "1", "2" or "4"."""
    if aoe_mode not in AOE_MODES:
        message = (
            f"aoe_mode is {aoe_mode!r}, but must be one of the strings"
            f" {', '.join(map(repr, AOE_MODES))}."
        )
        raise ValueError(message)


def get_ranksize() -> str:
    """The number of ranks from the environment, as a string.

    RANK_SIZE, else CM_WORKER_SIZE, else "1"; both set: ValueError.
    """
    rank_table, coordinator = map(os.environ.get, ("RANK_SIZE", "CM_WORKER_SIZE"))
    if rank_table and coordinator:
        message = (
            f"RANK_SIZE={rank_table} and CM_WORKER_SIZE={coordinator} are both set:"
            " unset CM_WORKER_SIZE with a rank table, RANK_SIZE without one."
        )
        raise ValueError(message)
    return rank_table or coordinator or "1"
