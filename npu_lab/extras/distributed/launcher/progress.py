"""How far a rank is, as its launcher sees it while it runs.

The rank writes a few numbers into a small file that is mapped into its memory; that
takes less than a microsecond, and they stay when the process is killed.
"""

from __future__ import annotations

import enum
import mmap
import os
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from npu_lab.trace import Ledger

if TYPE_CHECKING:
    from npu_lab.device import Device

VARIABLE = "NPU_LAB_PROGRESS"  # the path of the file
_LAYOUT = struct.Struct("=qqqqqd")


class Stage(enum.IntEnum):
    """What a rank has come to."""

    STARTED = 0  # as a process
    RUNNING = 1  # its Python does
    WAITING = 2  # for the other ranks, with a server of its own
    TOGETHER = 3  # all servers are there
    ENDED = 4  # the script has; the process may have more to do


@dataclass
class Progress:
    """The numbers: training calls and steps that were done, the status at the end.

    `joined` is the last stage before the end, `since` when one of these changed (of
    `time.monotonic`).
    """

    stage: int = Stage.STARTED
    joined: int = Stage.STARTED
    status: int = 0
    calls: int = 0
    steps: int = 0
    since: float = 0.0

    def packed(self) -> bytes:
        """As they are in the file."""
        return _LAYOUT.pack(
            self.stage, self.joined, self.status, self.calls, self.steps, self.since
        )


def create(path: Path) -> None:
    """Write the file, for a rank that is about to be started."""
    path.write_bytes(Progress(since=time.monotonic()).packed())


def read(path: Path) -> Progress:
    """What the rank has written."""
    return Progress(*_LAYOUT.unpack(path.read_bytes()))


class _Own(Progress):
    """What this process tells."""

    memory: mmap.mmap

    def tell(self) -> None:
        self.since = time.monotonic()
        self.memory[:] = self.packed()


_own: list[_Own] = []


def begin() -> None:
    """Tell how far this process is, if a launcher wants to know."""
    path = os.environ.pop(VARIABLE, None)
    if path is None:
        return
    own = _Own()
    with Path(path).open("r+b") as file:
        own.memory = mmap.mmap(file.fileno(), _LAYOUT.size)
    _own.append(own)
    reach(Stage.RUNNING)


def reach(stage: Stage, status: int = 0) -> None:
    """Tell that this process has come to a stage; of no effect without a launcher."""
    for own in _own:
        own.stage, own.status = stage, status
        if stage is not Stage.ENDED:
            own.joined = stage
        own.tell()


def follow(device: Device) -> None:
    """Tell each training call of a device; of no effect without a launcher."""
    if _own:
        device.ledger.__class__ = _Told


class _Told(Ledger):
    """A ledger that tells what it counts."""

    def cross(self, kind: str, injected_seconds: float = 0.0) -> None:
        super().cross(kind, injected_seconds)
        if kind == "training":
            own = _own[0]
            own.calls += 1
            own.steps += 1
            own.tell()

    def count(self, counted: Mapping[str, int]) -> None:
        super().count(counted)
        if "iterations" in counted:  # the call that has just crossed was a loop
            own = _own[0]
            own.steps += counted["iterations"] - 1
            own.tell()
