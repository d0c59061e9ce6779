"""Starts contestants in processes of their own and lets them take turns.

One round asks every contestant in the same order (A B C A B C), so that what slows the
machine down for a while slows all of them.  Who does not have its turn waits for input;
the processor time it uses meanwhile is measured as well.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
WARM_UP = 0.5  # of a measurement
SETTINGS = (
    *("TF_", "ASCEND_", "NPU_", "KERAS_", "OMP_", "PYTHON"),
    *("CM_", "HCCL_", "RANK_", "JOB_ID", "DEVICE_ID"),
)


@dataclass(frozen=True)
class Entry:
    """A contestant: its name in the table, the factory in a module, and arguments."""

    name: str
    factory: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


class WorkerError(RuntimeError):
    """A contestant's process has ended; the text has what it wrote last."""


class Worker:
    """The process of one contestant."""

    def __init__(self, entry: Entry, folder: str) -> None:
        self.entry = entry
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed by __exit__)
        command = [sys.executable, "-m", "benchmarks.worker", entry.factory]
        self._process = subprocess.Popen(
            [*command, json.dumps(dict(entry.arguments))],
            cwd=ROOT,
            env=environment(folder) | dict(entry.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._process.kill()
        self._process.communicate()
        self._errors.close()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Ask for something, and wait for the reply."""
        assert self._process.stdin is not None  # noqa: S101
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._fail()
        return self.receive()

    def receive(self) -> dict[str, Any]:
        """Wait for the reply; WorkerError if the process ended instead."""
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            self._fail()
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _fail(self) -> NoReturn:
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")[-3000:]
        raise WorkerError(f"the contestant {self.entry.name!r} ended:\n{said}")


def environment(folder: str) -> dict[str, str]:
    """The same surroundings for every process: no settings of the user's remain."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(SETTINGS)
    }
    ours = {"TF_CPP_MIN_LOG_LEVEL": "2", "ASCEND_PROCESS_LOG_PATH": folder}
    return kept | ours


@dataclass
class Series:
    """What was measured of one contestant: figures by name, a value for each round."""

    name: str
    about: str
    figures: dict[str, list[float]] = field(default_factory=dict)
    idle_cpu: float = 0.0
    difference: float | None = None

    def best(self, figure: str = "time") -> float:
        """The minimum over the rounds."""
        return min(self.figures[figure])


class Contest:
    """Contestants that are ready to be measured, in processes of their own.

    With `check_steps` each first trains that many steps, and `difference` is how far
    its variables are from those of the first contestant at most.
    """

    def __init__(self, entries: Sequence[Entry], check_steps: int = 0) -> None:
        self.entries, self._check_steps = entries, check_steps
        self.series: dict[str, Series] = {}
        self._workers: list[Worker] = []
        self._open = ExitStack()
        self._warm = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            for entry in self.entries:
                self._workers.append(stack.enter_context(Worker(entry, folder)))
            for worker in self._workers:
                name, about = worker.entry.name, worker.receive()["ready"]
                self.series[name] = Series(name, about)
            if self._check_steps:
                self._compare_variables()
            self._open = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def play(self, rounds: int, seconds: float) -> None:
        """Measure all in turn, `rounds` times for at least `seconds` each."""
        if not self._warm:
            for worker in self._workers:
                worker.ask(measure=seconds * WARM_UP)
        self._warm = True
        for _ in range(rounds):
            for worker in self._workers:
                reply = worker.ask(measure=seconds)
                series = self.series[worker.entry.name]
                series.idle_cpu = max(series.idle_cpu, reply["idle_cpu"])
                for name, value in reply["figures"].items():
                    series.figures.setdefault(name, []).append(value)

    def _compare_variables(self) -> None:
        first = None
        for worker in self._workers:
            sent = worker.ask(variables=self._check_steps)["variables"]
            if sent is None:
                continue
            values = np.frombuffer(base64.b64decode(sent), np.float32)
            if first is None:
                first = values
            difference = float(np.abs(values - first).max())
            self.series[worker.entry.name].difference = difference
