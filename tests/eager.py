"""TensorFlow 2 in a process that other tests may have put into graph mode."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import npu_lab
from npu_lab.tf1 import process


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """Leave graph mode inside, whoever asked for it, and have no device before."""
    npu_lab.deactivate()
    owners = set(process._owners)
    for owner in owners:
        process.leave(owner)
    try:
        yield
    finally:
        npu_lab.deactivate()
        for owner in owners:
            process.enter(owner)
