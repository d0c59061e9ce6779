"""Predictions: what the learner expects, stored before the experiment, never graded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from npu_lab.lab import lessons, pages, record
from npu_lab.lab._texts import say
from npu_lab.lab.exercises import NotAttempted, refuse_placeholder

Value = float | str | dict[int, float]


@dataclass(frozen=True)
class Prediction(pages.Shown):
    """What was predicted; `value` is None where it still is a placeholder."""

    name: str
    value: Value | None

    def __str__(self) -> str:
        if self.value is None:
            return say("no prediction")
        value = self.value
        if isinstance(value, dict):
            value = ", ".join(f"N={n}: {each:g}" for n, each in value.items())
        shown = value if isinstance(value, str) else f"{value:g}"
        return say("predicted", value=shown)

    @property
    def html(self) -> pages.Html:
        """One line."""
        return pages.fill("status", text=str(self))


def predict(name: str, value: Any, *, choices: Sequence[str] = ()) -> Prediction:
    """Store what is expected under `name`, such as ``01/curve``.

    A value with a placeholder left is no prediction, and takes back an earlier one.

    Args:
        name: the lesson, a slash, and a word.
        value: a finite number, one of the `choices`, or a curve {N: number}.
        choices: those there are; without them a text is refused.

    Raises:
        TypeError, ValueError: the value is none of these; nothing has been stored.
        KeyError: `name` names no lesson.
    """
    key, _slash, word = name.partition("/")
    if not word or key not in lessons.numbers():
        raise KeyError(say("bad name", name=name))
    try:
        refuse_placeholder(value)
        checked: Value | None = _checked(value, choices)
    except NotAttempted:
        checked = None
    stored = list(checked.items()) if isinstance(checked, dict) else checked
    record.note("predictions", name, stored)
    return Prediction(name, checked)


def prediction(name: str) -> Value | None:
    """What was predicted under `name`, or None."""
    stored = record.read("predictions").get(name)
    if not isinstance(stored, list):
        return stored
    return {int(n): number for n, number in stored}


def _checked(value: Any, choices: Sequence[str]) -> Value:
    if choices:
        if value in choices:
            return value
        listed = ", ".join(map(repr, choices))
        raise ValueError(say("bad choice", value=repr(value), choices=listed))
    if not isinstance(value, Mapping):
        return _number(value)
    if not value:
        raise ValueError(say("empty curve"))
    for n in value:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(say("bad n", n=repr(n)))
    return {n: _number(value[n]) for n in sorted(value)}


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(say("bad prediction", value=repr(value)))
    try:
        number = float(value)  # also of one of NumPy's
    except OverflowError:
        number = -math.inf if value < 0 else math.inf
    if not math.isfinite(number):
        raise ValueError(say("bad prediction", value=repr(number)))
    return int(number) if number.is_integer() else number
