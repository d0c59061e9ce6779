"""Answers to the exercises of lesson 01: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (all have one signature, and names that say what they do)

from __future__ import annotations

import math
from typing import Any

import numpy as np

RIGHT = (
    (4.0, 1.2),
    [4, 1.2],
    ((3.2 - 1.6) / (1 / 2 - 1 / 10), 1.6 - 0.4),
    np.array([4.0, 1.2], "float32"),
)
# Each with the mistake whose message it must get.
WRONG: tuple[tuple[str, Any], ...] = (
    ("no pair", 4.0),
    ("no pair", (4.0, None)),
    ("no pair", (4.0, 1.2, 0.0)),
    ("no pair", (4.0, math.nan)),
    ("no pair", "4.0, 1.2"),
    ("seconds", (0.004, 0.0012)),
    ("swapped", (1.2, 4.0)),
    ("time at 10", (3.2, 1.6)),
    ("time at 10", (1.6, 1.6)),
    ("difference", (1.6, 1.44)),
    ("per step", (2.0, 1.2)),
    ("does not fit", (4.0, 1.0)),
    ("does not fit", (3.0, 1.3)),
    ("does not fit", (6.4, 0.0)),
)


def right(overhead: float, step: float, share: float) -> int:
    return math.ceil(overhead * (1 - share) / (share * step))


def right_by_trying(overhead: float, step: float, share: float) -> int:
    n = 1
    while overhead / (overhead + n * step) > share:
        n += 1
    return n


def right_of_numpy(overhead: float, step: float, share: float) -> Any:
    return np.int64(right(overhead, step, share))


def no_return(overhead: float, step: float, share: float) -> None:
    right(overhead, step, share)


def not_rounded(overhead: float, step: float, share: float) -> float:
    return overhead * (1 - share) / (share * step)


def rounded_down(overhead: float, step: float, share: float) -> int:
    return int(overhead * (1 - share) / (share * step))


def rounded_down_but_one(overhead: float, step: float, share: float) -> int:
    return max(1, rounded_down(overhead, step, share))


def below_one(overhead: float, step: float, share: float) -> int:
    return 0


def share_of_steps(overhead: float, step: float, share: float) -> int:
    return math.ceil(overhead / (share * step))


def as_much_as_the_steps(overhead: float, step: float, share: float) -> int:
    return math.ceil(overhead / step)


def in_percent(overhead: float, step: float, share: float) -> int:
    return max(1, math.ceil(overhead * (100 - share) / (share * step)))


def always_100(overhead: float, step: float, share: float) -> int:
    return 100


def unknown_name(overhead: float, step: float, share: float) -> int:
    return int(overhead.no_such_thing)  # type: ignore[attr-defined]


RIGHT_SMALLEST = (right, right_by_trying, right_of_numpy)
WRONG_SMALLEST: tuple[tuple[str, Any], ...] = (
    ("no function", 64),
    ("nothing", no_return),
    ("no whole number", not_rounded),
    ("below one", below_one),
    ("rounded down", rounded_down),
    ("rounded down", rounded_down_but_one),
    ("share of steps", share_of_steps),
    ("too small", as_much_as_the_steps),
    ("too large", in_percent),
    ("too large", always_100),
    ("raised", unknown_name),
)

RIGHT_CHOSEN = (100, np.int64(100))
WRONG_CHOSEN: tuple[tuple[str, Any], ...] = (
    ("no whole number", 100.5),
    ("no whole number", 0),
    ("no whole number", True),
    ("no whole number", "100"),
    ("overhead", 50),
    ("overhead", 1),
    ("log", 1000),
    ("log", 200),
    ("checkpoint", 64),
    ("checkpoint", 80),
)
