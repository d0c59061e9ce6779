"""Runs a long native call so that Ctrl-C, or a notebook's stop button, is heard.

Python sees a signal only when the main thread is back in Python.  So a sunk run called
from the main thread runs on a helper thread, and the main thread waits for it.  What a
signal handler raises meanwhile, KeyboardInterrupt as a rule, stops the loop after the
pass it is in.  SIGINT is only noted at first, and its handler called where it may
raise: in the middle of Python's own locking it would leave a lock that nobody frees.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal.signal takes 10 us, twice
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

Value = TypeVar("Value")
WAKE_SECONDS = 0.1  # a signal does not end a wait

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
    with _noted_signals() as handle:
        try:
            try:
                _helper.submit(_run, running, call)
            except RuntimeError:  # no new threads at interpreter exit
                _run(running, call)
            while not running.done():
                wait([running], timeout=WAKE_SECONDS)
                handle()
        except BaseException as raised:
            if running.cancel():  # it has not begun, and never will
                raise
            while not running.done():
                stop()  # again, as the loop may not have begun at the first time
                wait([running], timeout=WAKE_SECONDS)
                handle()
            return running, raised
    return running, None


@contextmanager
def _noted_signals() -> Iterator[Callable[[], None]]:
    """Note SIGINT meanwhile; what is given calls its handler for each one noted."""
    handler = _signal.getsignal(_signal.SIGINT)
    noted: list[tuple[int, Any]] = []

    def handle() -> None:
        while noted:
            handler(*noted.pop(0))

    if not callable(handler):  # ignored, or handled outside Python
        yield handle
        return
    _signal.signal(_signal.SIGINT, lambda *signal: noted.append(signal))
    try:
        yield handle
    finally:
        _signal.signal(_signal.SIGINT, handler)
        handle()


def _run(running: Future[Value], call: Callable[[], Value]) -> None:
    if not running.set_running_or_notify_cancel():
        return
    try:
        running.set_result(call())
    except BaseException as error:  # noqa: BLE001  (the caller asks the future for it)
        running.set_exception(error)
