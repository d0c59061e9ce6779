"""What a process has of the adapter: the open device, the loop size, the switches."""

from __future__ import annotations

import logging
import os
from typing import Any

from npu_lab.extras.tf2._texts import text

LOGGER = logging.getLogger("npu_device")
LOOP_SIZE = "NPU_LOOP_SIZE"


class State:
    """The adapter's state; `read` starts it anew, as the native library does."""

    def __init__(self) -> None:
        self.loop_size = 1
        self.handle: Any = None
        self.inf_nan = True
        self.recompute: Any = None

    def read(self) -> None:
        """Read the loop size from the environment, as at the import."""
        self.__init__()  # type: ignore[misc]
        given = os.environ.get(LOOP_SIZE, "").strip()
        if given:
            self.set_loop_size(given, LOOP_SIZE)

    def set_loop_size(self, given: object, name: str = "set_npu_loop_size") -> None:
        """Take a loop size, an int above 0; another one is logged and ignored."""
        try:
            size = int(given)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            size = 0
        if size <= 0:
            LOGGER.error(text("loop size", name=name, given=given, size=self.loop_size))
            return
        self.loop_size = size


STATE = State()
