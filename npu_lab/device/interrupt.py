"""Runs a long native call so that Ctrl-C, or a notebook's stop button, is heard.

Python sees a signal only when the main thread is back in Python.  So a sunk run called
from the main thread runs on a helper thread, and the main thread waits for it.  What a
signal handler raises meanwhile, KeyboardInterrupt as a rule, stops the loop after the
pass it is in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

Value = TypeVar("Value")
WAKE_SECONDS = 0.2  # not every system's signals end a wait

_helper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="npu_lab")


def interruptible(
    call: Callable[[], Value], stop: Callable[[], None]
) -> tuple[Future[Value], BaseException | None]:
    """Return the ended future of `call`, and what a signal handler raised meanwhile.

    From another thread than the main one, and while Python shuts down, `call` runs
    where it is.  A second signal while the loop finishes its pass is raised at once.
    """
    if threading.current_thread() is threading.main_thread():
        try:
            running = _helper.submit(call)
        except RuntimeError:  # no new threads at interpreter exit
            return _here(call), None
        try:
            _finish(running)
        except BaseException as raised:  # noqa: BLE001  (the caller raises it again)
            stop()
            _finish(running)
            return running, raised
        return running, None
    return _here(call), None


def _here(call: Callable[[], Value]) -> Future[Value]:
    ended: Future[Value] = Future()
    try:
        ended.set_result(call())
    except Exception as error:  # noqa: BLE001  (the caller asks the future for it)
        ended.set_exception(error)
    return ended


def _finish(running: Future[Value]) -> None:
    while not running.done():
        wait([running], timeout=WAKE_SECONDS)
