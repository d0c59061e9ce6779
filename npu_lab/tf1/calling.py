"""Reads which instruction of the user's code has led into the view.

Python tells less than the code says: of ``tf.contrib.layers.flatten`` only "contrib" is
asked for at first. The bytecode of the caller says the rest.
"""

from __future__ import annotations

import dis
import itertools
import os
import sys
from types import FrameType

HERE = os.path.dirname(__file__)
IMPORT_SYSTEM = "<frozen importlib"
TAKING = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
BETWEEN = ("SWAP", "POP_TOP")  # of two that import


def _instructions() -> tuple[list[dis.Instruction], int]:
    """Instructions of the nearest code outside, and the position of the present one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if os.path.dirname(file) != HERE and not file.startswith(IMPORT_SYSTEM):
            steps = list(dis.get_instructions(frame.f_code))
            found = (i for i, step in enumerate(steps) if step.offset >= frame.f_lasti)
            return steps, next(found, len(steps))
        frame = frame.f_back
    return [], 0


def attributes_asked() -> list[str]:
    """The names in a chain of attributes, ["contrib", "layers", "flatten"] say.

    So it is for ``import tensorflow.contrib.layers as layers``.  It is empty where a
    function, such as `hasattr`, asks.
    """
    steps, now = _instructions()
    chain = itertools.takewhile(
        lambda step: step.opname in (*TAKING, *BETWEEN), steps[now:]
    )
    return [step.argval for step in chain if step.opname in TAKING]


def plainly_imports(module: str) -> bool:
    """Whether the code says ``import module``, with or without ``as``."""
    steps, now = _instructions()
    return (
        0 < now < len(steps)
        and steps[now].opname == "IMPORT_NAME"
        and steps[now].argval == module
        and steps[now - 1].argval is None  # else the names after ``from module import``
    )
