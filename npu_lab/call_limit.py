"""Ends a script after a number of training calls: a check before hardware is booked."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import types
from pathlib import Path
from typing import Any

from npu_lab.device import Device, device

AGAIN_SECONDS = 0.05  # until the main thread is looked at again
_DEVICE = str(Path(device.__file__).parent)


class CallLimit:
    """Lets `calls` training calls through to `device` and ends the script at the next.

    That one and each one after it raise SystemExit before anything is done for them, in
    whatever thread; where that is not the main thread, the same is raised in the main
    thread, by a signal and between its host calls.  `stopped` says whether it has come
    to that, `main_is_told` that the main thread needs no signal (any more).
    """

    def __init__(self, device: Device, calls: int) -> None:
        self.calls, self.stopped, self.main_is_told = calls, False, False
        self._ledger, self._lock = device.ledger, threading.RLock()
        self._admitted, self._threads = 0, set[int]()
        self._sent = False
        device.before_call = self._before_call

    def install(self) -> None:
        """Take over SIGINT, and the way in which monitored sessions are left."""
        signal.signal(signal.SIGINT, self._on_signal)
        _let_hooks_end(self)

    def _before_call(self, kind: str) -> None:
        if kind != "training":
            return
        with self._lock:
            self._threads.add(threading.get_ident())
            if len(self._threads) == 1:  # a call that TensorFlow refused was none
                self._admitted = self._ledger.training_calls
            if self._admitted < self.calls:
                self._admitted += 1
                return
            first, self.stopped = not self.stopped, True
        if threading.current_thread() is threading.main_thread():
            self.main_is_told = True
        elif first:
            self._tell_main()
        raise SystemExit(0)

    def _tell_main(self) -> None:
        if self.main_is_told:
            return
        self._sent = True
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:  # this one also wakes it where it waits for a lock
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def _on_signal(self, number: int, frame: types.FrameType | None) -> None:
        """Handle SIGINT in the main thread: ours, or else as Python does."""
        if not self._sent:
            signal.default_int_handler(number, frame)
        self._sent = False
        if self.main_is_told:
            return
        if _in_host_call(frame):
            again = threading.Timer(AGAIN_SECONDS, self._tell_main)
            again.daemon = True
            again.start()
            return
        self.main_is_told = True
        raise SystemExit(0)


def _in_host_call(frame: types.FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith(_DEVICE):
        frame = frame.f_back
    return frame is not None


def _let_hooks_end(limit: CallLimit) -> None:
    """Have a MonitoredSession that `limit` ends run its hooks' `end`, as on success."""
    from tensorflow.python.training import monitored_session

    monitored = monitored_session._MonitoredSession
    leave = monitored.__exit__

    def leave_or_stop(self: Any, kind: Any, value: Any, trace: Any) -> Any:
        if not limit.stopped or kind is None or issubclass(kind, Exception):
            return leave(self, kind, value, trace)
        self._close_internal()
        return False

    monitored.__exit__ = leave_or_stop
