"""What belongs to each lesson: module `lesson_NN` holds that of lesson NN.

EXERCISES and QUESTIONS are tuples; LEDGER holds the figures of the exported script;
MODE is "tf2" where the lesson is written for TensorFlow 2.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Any

from npu_lab import lesson


def of(key: str) -> ModuleType | None:
    """The module of the lesson with this key, such as ``00`` or ``05b``, if any."""
    name = f"{__name__}.lesson_{key}"
    if not key.isalnum() or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def numbers() -> list[str]:
    """The keys of all lessons (``00``, ``05b``), in order."""
    return [name.partition("_")[0] for name in lesson.names()]


def mode(key: str) -> str:
    """The mode that the lesson with this key needs: "tf2", or "tf1" as all others."""
    return str(getattr(of(key), "MODE", "tf1"))


def find(kind: str, name: str) -> Any:
    """The exercise or question called `name`, such as ``00/number_and_square``.

    `kind` is ``EXERCISES`` or ``QUESTIONS``.

    Raises:
        KeyError: there is none; the text lists those there are.
    """
    key = name.partition("/")[0]
    known = {one.name: one for one in getattr(of(key), kind, ())}
    if name not in known:
        there = known or [one.name for one in every(kind)]
        message = f"There is no {name!r}; there are: {', '.join(there)}."
        raise KeyError(message)
    return known[name]


def every(kind: str) -> list[Any]:
    """The exercises or the questions of all lessons."""
    return [one for number in numbers() for one in getattr(of(number), kind, ())]
