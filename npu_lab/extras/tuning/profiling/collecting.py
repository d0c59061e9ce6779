"""Collects what TensorFlow records of host calls, and writes the `PROF_*` folder.

A call is recorded by `RunOptions` (software trace): it has each execution of each
kernel, and nothing of the input pipeline.  TensorFlow's profiler would record that too,
each element of each dataset, which makes a small step twice as long.  A recorded call
of a small step is some 1.2 times as long, so not all of them are: one in four at
first, and then as many as keep the added time below `BUDGET` of the whole.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import string
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device.programs import Program
from npu_lab.extras.tuning.profiling import iterations, tables
from npu_lab.extras.tuning.profiling._texts import text
from npu_lab.extras.tuning.profiling.settings import Settings

v1 = tf.compat.v1

BUDGET = 0.05
"""The share of the time that recording may add."""
FIRST = 100
"""Calls of each model of which one in `EVERY` is recorded in any case."""
EVERY = 4
MOST = 100_000
"""Executions of operators that are kept."""
LETTERS = string.ascii_uppercase

Call = Callable[..., Any]


@dataclass
class _Model:
    """One compiled graph: what of it was run."""

    number: int
    calls: int = 0
    run: int = 0
    usual: float = 0.0
    ended: int = 0


@dataclass(frozen=True)
class _Recorded:
    """One recorded call: when the iteration before it had ended, and its own first."""

    model: int
    first: int
    before: int
    names: frozenset[str]
    stats: Any


class Collection:
    """One profile, from its first host call until `finish`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder: Path | None = None
        self._traced = 0
        self._device = int(_device_id())
        self._models: dict[int, _Model] = {}
        self._recorded: list[_Recorded] = []
        self._kept = self._bytes = 0
        self._spent, self._began = 0.0, time.perf_counter()
        self._lock, self._finished = threading.Lock(), False
        atexit.register(self.finish)

    def observe(self, program: Program, call: Call) -> Any:
        """Carry out a host call, and record it if it is its turn."""
        if not program.device_graph:
            return call()
        model = self._models.setdefault(
            id(program), _Model(_graph_number(program, len(self._models) + 1))
        )
        begun, clock = time.time_ns(), time.perf_counter()
        records = self._records(model)
        metadata = v1.RunMetadata() if records else None
        options = v1.RunOptions(trace_level=1) if records else None
        try:
            returned = call(options, metadata)
        finally:
            model.calls += 1
        lasted, steps = time.perf_counter() - clock, _steps(program, returned)
        if records:
            self._keep(program, model, begun, metadata)
            if model.usual:
                added = lasted - model.usual * steps
                self._spent = max(0.0, self._spent + added)
        else:
            each = lasted / steps
            model.usual = 0.8 * model.usual + 0.2 * each if model.usual else each
        model.run += steps
        model.ended = time.time_ns()
        return returned

    def finish(self) -> Path | None:
        """Write the folder, once; return it, or None where nothing was recorded."""
        atexit.unregister(self.finish)
        with self._lock:
            if self._finished:
                return self.folder
            self._finished = True
        if not self._recorded:
            return None
        try:
            self.folder = self._write()
        except OSError as problem:
            said = text("not written", folder=self.settings.folder, problem=problem)
            print(f"npu-lab: {said}", file=sys.stderr)
            return None
        run, traced = self._counts()
        said = text("written", run=run, traced=traced, folder=self.folder)
        print(f"npu-lab: {said}", file=sys.stderr)
        return self.folder

    def _records(self, model: _Model) -> bool:
        limit = self.settings.storage_limit
        if self._kept >= MOST or (limit and self._bytes >= limit):
            return False
        if model.calls < FIRST:
            # The others tell how long a call is without; the first one compiles.
            return model.calls == 0 or model.calls % EVERY == 1
        elapsed = time.perf_counter() - self._began
        return self._spent <= BUDGET * elapsed

    def _keep(self, program: Program, model: _Model, begun: int, metadata: Any) -> None:
        stats = metadata.step_stats
        self._recorded.append(
            _Recorded(
                model.number,
                model.run + 1,
                model.ended or begun,
                program.subgraph.names,
                stats,
            )
        )
        self._kept += sum(len(d.node_stats) for d in stats.dev_stats)
        if self.settings.storage_limit:
            self._bytes += stats.ByteSize()

    def _steps(self) -> list[tables.Step]:
        found = []
        chosen = self.settings
        for one in self._recorded:
            before = one.before
            parts = iterations.iterations(
                one.stats, one.names, chosen.fp_point, chosen.bp_point
            )
            for number, part in enumerate(parts, one.first):
                found.append(tables.Step(self._device, one.model, number, before, part))
                before = part.end
        return found

    def _counts(self) -> tuple[int, int]:
        return sum(m.run for m in self._models.values()), self._traced

    def _write(self) -> Path:
        steps = self._steps()
        self._traced = len(steps)
        name = _folder_name(self.settings.folder)
        beside = self.settings.folder / f".{name}.part"
        files = {"profile.json": self._about(steps)}
        if self.settings.steps:
            rows = tables.step_rows(steps)
            files["step_trace.csv"] = tables.written(tables.STEP_TRACE, rows)
        if self.settings.tasks:
            rows = tables.op_rows(steps)
            files["op_summary.csv"] = tables.written(tables.OP_SUMMARY, rows)
            rows = tables.statistic_rows(steps)
            files["op_statistic.csv"] = tables.written(tables.OP_STATISTIC, rows)
        beside.mkdir()
        try:
            for file, content in files.items():
                with (beside / file).open("w", encoding="utf-8", newline="") as opened:
                    opened.write(content)
            beside.rename(self.settings.folder / name)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        return self.settings.folder / name

    def _about(self, steps: list[tables.Step]) -> str:
        about = {
            "provenance": "measured",
            "of": "TensorFlow's kernels on this computer's CPU, no NPU",
            "options": dict(self.settings.given or {}),
            "not measured": ["Stream ID", "Task Type", "Core Type", "Block Dim"],
            "models": {
                str(m.number): {
                    "calls": m.calls,
                    "iterations": m.run,
                    "recorded": sum(s.model == m.number for s in steps),
                }
                for m in self._models.values()
            },
            "added_seconds": self._spent,
        }
        return json.dumps(about, indent=1) + "\n"


def closing(session: Any, collection: Collection) -> None:
    """Let a profile end with its session."""
    close = session.close

    def close_and_finish() -> None:
        try:
            close()
        finally:
            collection.finish()

    session.close = close_and_finish
    weakref.finalize(session, collection.finish)


def _steps(program: Program, returned: Any) -> int:
    if not program.sunk:
        return 1
    with contextlib.suppress(KeyError, TypeError):
        return max(1, int(returned[1]["passes"]))
    return 1


def _graph_number(program: Program, otherwise: int) -> int:
    """The id that the line on the compiled model has."""
    said = program.verdict.messages[-1:] or [""]
    number = said[0].rstrip(". ").rpartition(" ")[2]
    return int(number) if number.isdecimal() else otherwise


def _device_id() -> str:
    given = os.environ.get("ASCEND_DEVICE_ID") or os.environ.get("DEVICE_ID") or "0"
    return given if given.isdecimal() else "0"


def _folder_name(where: Path) -> str:
    number = 1 + sum(one.name.startswith("PROF_") for one in where.iterdir())
    letters = "".join(SystemRandom().choice(LETTERS) for _ in range(16))
    stamp = time.strftime("%Y%m%d%H%M%S") + f"{time.time_ns() // 10**6 % 1000:03}"
    return f"PROF_{number:06}_{stamp}_{os.getpid()}{letters}"
