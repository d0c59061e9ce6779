"""One trial in a process of its own: a script at another N, stopped and timed.

`python -m npu_lab.extras.tuning.tune.trial RESULT N WARM CALLS DELAY SCRIPT [ARG ...]`

The session option and the count that is loaded are replaced from outside where the
script asks for a loop; N = 0 leaves them.  After WARM training calls CALLS more are
timed, from the start of one to the start of the next.  Checkpoints go to a scratch
folder.  What was found is written to RESULT as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from npu_lab import activation, files, runner
from npu_lab._tensorflow import tf
from npu_lab.bridge import loop_variables
from npu_lab.call_limit import CallLimit
from npu_lab.device import Device
from npu_lab.device.options import SessionOptions, find_npu_optimizer

KEY = "iterations_per_loop"


class Stopwatch(CallLimit):
    """Ends the script as a call limit does, and notes when each training call began."""

    def __init__(self, device: Device, calls: int) -> None:
        super().__init__(device, calls)
        self.begun: list[float] = []
        self.steps: list[int] = []
        self._device = device

    def _before_call(self, kind: str) -> None:
        if kind == "training" and not self.stopped:
            self.begun.append(time.perf_counter())
            ledger = self._device.ledger
            self.steps.append(ledger.device_iterations or ledger.training_calls)
        super()._before_call(kind)


class Seen:
    """What the script asked for by itself."""

    def __init__(self) -> None:
        self.options: list[int] = []
        self.saves: list[int] = []
        self.logs: list[int] = []
        self.stops: list[int] = []


def main(arguments: list[str]) -> int:
    """Carry out the trial; returns the status of the script."""
    result, n, warm, calls, delay, script, *rest = arguments
    seen = Seen()
    device = activation.activate(view=True, link_delay=float(delay))
    watch = Stopwatch(device, int(warm) + int(calls))
    _override(int(n), seen)
    _listen(seen)
    _save_elsewhere(tempfile.mkdtemp(prefix="npu_lab_tune_"))
    os.environ.setdefault(
        "ASCEND_PROCESS_LOG_PATH", tempfile.mkdtemp(prefix="npu_lab_log_")
    )
    status, error = runner.run(Path(script), rest, watch)
    found = _found(device, watch, int(warm), seen)
    found["error"] = "" if error is None else f"{type(error).__name__}: {error}"
    files.replace(Path(result).absolute(), json.dumps(found))
    return status


def _override(n: int, seen: Seen) -> None:
    read = SessionOptions.from_config
    load = loop_variables.load

    def from_config(config: Any) -> SessionOptions | None:
        given = read(config)
        if given is None or given.iterations_per_loop == 1:
            return given
        seen.options.append(given.iterations_per_loop)
        if not n:
            return given
        changed = type(config)()
        changed.CopyFrom(config)
        for optimizer in find_npu_optimizer(changed):
            if KEY in optimizer.parameter_map:
                optimizer.parameter_map[KEY].i = n
        return read(changed)

    def load_n(variables: list[Any], sess: Any, iterations_per_loop: int) -> None:
        load(variables, sess, n or iterations_per_loop)

    SessionOptions.from_config = staticmethod(from_config)  # type: ignore[method-assign]
    loop_variables.load = load_n


def _listen(seen: Seen) -> None:
    train = tf.compat.v1.train
    _note(train.CheckpointSaverHook, seen.saves, "save_steps", 2)
    _note(train.LoggingTensorHook, seen.logs, "every_n_iter", 1)
    _note(train.StopAtStepHook, seen.stops, "num_steps", 0)
    _note(train.StopAtStepHook, seen.stops, "last_step", 1)


def _note(hook: Any, where: list[int], name: str, place: int) -> None:
    """Note an argument of a hook's constructor, wherever it is given."""
    make = hook.__init__

    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        given = kwargs.get(name, args[place] if place < len(args) else None)
        if isinstance(given, int) and given > 0:
            where.append(given)
        make(self, *args, **kwargs)

    hook.__init__ = noting


def _save_elsewhere(folder: str) -> None:
    saver = tf.compat.v1.train.Saver
    save = saver.save

    def save_here(self: Any, sess: Any, save_path: str, *args: Any, **kw: Any) -> Any:
        elsewhere = str(Path(folder) / Path(save_path).name)
        return save(self, sess, elsewhere, *args, **kw)

    saver.save = save_here


def _found(device: Device, watch: Stopwatch, warm: int, seen: Seen) -> dict[str, Any]:
    begun, steps = watch.begun, watch.steps
    timed = len(begun) > warm + 1 and steps[-1] > steps[warm]
    trained = [verdict for verdict in device.loops if verdict.trains]
    return {
        "seconds_per_step": (
            (begun[-1] - begun[warm]) / (steps[-1] - steps[warm]) if timed else None
        ),
        "steps": steps[-1] - steps[warm] if timed else 0,
        "calls": device.ledger.training_calls,
        "stopped": watch.stopped,
        "options": seen.options,
        "saves": seen.saves,
        "logs": seen.logs,
        "stops": seen.stops,
        "loops": [
            {
                "state": str(verdict.state),
                "in_effect": verdict.in_effect,
                "data": verdict.data,
                "loaded": verdict.loaded,
                "why": [d.text() for d in verdict.diagnostics],
            }
            for verdict in trained
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
