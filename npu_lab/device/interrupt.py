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
    where it is.  What is raised before `call` has begun is raised at once, and so is
    what a second signal raises while the loop finishes its pass.
    """
    running: Future[Value] = Future()
    if threading.current_thread() is not threading.main_thread():
        _run(running, call)
        return running, None
    try:
        try:
            _helper.submit(_run, running, call)
        except RuntimeError:  # no new threads at interpreter exit
            _run(running, call)
        _finish(running)
    except BaseException as raised:
        if running.cancel():  # it has not begun, and never will
            raise
        stop()
        _finish(running)
        return running, raised
    return running, None


def _run(running: Future[Value], call: Callable[[], Value]) -> None:
    if not running.set_running_or_notify_cancel():
        return
    try:
        running.set_result(call())
    except BaseException as error:  # noqa: BLE001  (the caller asks the future for it)
        running.set_exception(error)


def _finish(running: Future[Value]) -> None:
    while not running.done():
        wait([running], timeout=WAKE_SECONDS)
