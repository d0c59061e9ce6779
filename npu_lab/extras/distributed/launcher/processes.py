"""The processes of a job: one group, no member of which outlives the launcher.

A small process, the keeper, leads the group and waits for the launcher to end, however
that comes about; then it kills the group, itself as well.  What a rank starts belongs
to the group too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KEEPER = """
import os, select, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
parent = int(sys.argv[1])
while os.getppid() == parent and not select.select([0], [], [], 1)[0]:
    pass
os.killpg(0, signal.SIGKILL)
"""


@dataclass
class Process:
    """One rank as a process; `status` and `ended` (of `time.monotonic`) when it has."""

    popen: subprocess.Popen[bytes]
    ended: float | None = None
    told: list[signal.Signals] = field(default_factory=list)

    @property
    def status(self) -> int | None:
        """As of subprocess: minus the signal's number where one ended it."""
        return None if self.ended is None else self.popen.returncode

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.ended is None:
            self.told.append(number)
            self.popen.send_signal(number)


class Group:
    """The group; `changed` is called, in a thread, when one of its ranks has ended."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._threads: list[threading.Thread] = []
        command = [sys.executable, "-I", "-S", "-c", KEEPER, str(os.getpid())]
        self._keeper = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )

    def start(
        self, command: Sequence[str], environ: Mapping[str, str], log: Path
    ) -> Process:
        """Start a rank; it prints into `log`."""
        with log.open("wb") as file:
            process = Process(
                subprocess.Popen(
                    command,
                    env=environ,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    process_group=self._keeper.pid,
                )
            )
        thread = threading.Thread(target=self._wait, args=[process], daemon=True)
        self._threads.append(thread)
        thread.start()
        return process

    def _wait(self, process: Process) -> None:
        process.popen.wait()
        process.ended = time.monotonic()
        self._changed()

    def kill(self) -> None:
        """Kill all that is left of the group, and wait until it is gone."""
        if self._keeper.returncode is None:
            os.killpg(self._keeper.pid, signal.SIGKILL)
        for thread in self._threads:
            thread.join()
        self._keeper.wait()
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
