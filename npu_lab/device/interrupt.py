"""Runs a long native call so that Ctrl-C, or a notebook's stop button, is heard.

Python sees a signal only when the main thread is back in Python.  So a sunk run called
from the main thread runs on a helper thread, and the main thread waits for it; on
KeyboardInterrupt it asks the loop to stop after the pass it is in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Value = TypeVar("Value")

WAKE_SECONDS = 0.2

_helper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="npu_lab")


def interruptible(
    call: Callable[[], Value], stop: Callable[[], None]
) -> tuple[Value, bool]:
    """Return (result of `call`, whether it was asked to stop).

    From another thread than the main one, `call` runs where it is.  A second interrupt
    while the loop finishes its pass is raised at once.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(), False
    running = _helper.submit(call)
    try:
        return _wait(running), False
    except KeyboardInterrupt:
        stop()
        return _wait(running), True


def _wait(running: Future[Value]) -> Value:
    """The result; awake now and then, since not every system's signals end a wait."""
    while True:
        try:
            return running.result(timeout=WAKE_SECONDS)
        except TimeoutError:
            if running.done():
                return running.result()
