"""`npu-lab doctor --calibrate`: measures the timing model's figures of this computer.

A small softmax model is trained on the emulated device at several N.  A `TimingModel`
is fitted to all but one of them and tells how far it is off at the one held out.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from npu_lab import activation, profile_files
from npu_lab._tensorflow import tf
from npu_lab._texts import TEXTS, text
from npu_lab.lab.measurement import measure
from npu_lab.timing import Fit, TimingModel

NUMBERS = (1, 2, 5, 10, 50, 100)
HELD_OUT = 20
STEPS = 200  # a multiple of each N
RUNS = 5
FEATURES, CLASSES, BATCH = 784, 10, 100


class Calibration(NamedTuple):
    """What was measured (the median time per step by N) and the model fitted to it."""

    seconds: dict[int, float]
    fit: Fit

    @property
    def errors(self) -> dict[int, float]:
        """The model's relative error at each N, also at the one held out."""
        return self.fit.errors(self.seconds.items())

    @property
    def figures(self) -> dict[str, tuple[float, float]]:
        """The fitted figures by name, each with its standard error, in seconds."""
        model, spread = self.fit.model, self.fit.overhead_spread
        return {
            "step_seconds": (model.step_seconds, self.fit.step_spread),
            "launch_seconds": (model.launch_seconds, spread),
            "loop_seconds": (model.loop_seconds, spread),
        }


def calibrate() -> Calibration:
    """Measure, in a process in which no device is active; takes some ten seconds.

    The runs at the different N take turns, so that other work on the computer slows
    down all of them alike.
    """
    runs: dict[int, list[float]] = {n: [] for n in sorted((*NUMBERS, HELD_OUT))}
    with tempfile.TemporaryDirectory(prefix="npu_lab_log_") as folder:
        os.environ["ASCEND_PROCESS_LOG_PATH"] = folder
        activation.activate()
        try:
            for n in [*runs] * RUNS:
                one = measure(_softmax, _npu_config, n, steps=STEPS, repeats=2)
                runs[n].append(one.median)
        finally:
            activation.deactivate()
    seconds = {n: statistics.median(times) for n, times in runs.items()}
    return Calibration(seconds, TimingModel.fit((n, seconds[n]) for n in NUMBERS))


def keep(calibration: Calibration) -> Path:
    """Write the figures as the profile `this_machine`; return its file.

    Raises:
        OSError: it cannot be written.
    """
    path = profile_files.user_folder() / f"{profile_files.THIS_MACHINE}.toml"
    model = f"softmax {FEATURES} x {CLASSES}, batch {BATCH}"
    error = calibration.errors[HELD_OUT]
    figures = {}
    for name, (value, spread) in calibration.figures.items():
        facts = {"model": model, "spread": spread, "n": HELD_OUT, "error": error}
        source, source_zh = (said.format(**facts) for said in TEXTS["calibrated"])
        figures[name] = {
            "value": value,
            "unit": profile_files.UNITS[name],
            "provenance": "measured",
            "source": source,
            "source_zh": source_zh,
        }
    title, title_zh = TEXTS["this machine"]
    profile_files.write(path, {"title": title, "title_zh": title_zh}, figures)
    return path


def as_dict(calibration: Calibration, path: Path) -> dict[str, Any]:
    """The calibration as plain data: [figure, standard error] and times in seconds."""
    return {
        "profile": str(path),
        "figures": calibration.figures,
        "seconds_per_step": calibration.seconds,
        "errors": calibration.errors,
        "held_out": HELD_OUT,
    }


def lines(calibration: Calibration, path: Path) -> list[str]:
    """The calibration for a terminal, in the current language."""
    shown = ["", text("calibration", runs=RUNS)]
    for name, (value, spread) in calibration.figures.items():
        shown.append(text("figure", name=name, value=value * 1e6, spread=spread * 1e6))
    for n, error in calibration.errors.items():
        key, measured = (
            "held out" if n == HELD_OUT else "fitted",
            calibration.seconds[n],
        )
        shown.append(text(key, n=n, measured=measured * 1e6, error=error))
    return [*shown, text("written", path=path)]


def _softmax() -> tuple[Any, Any, Any]:
    """An iterator, the training operation and the loss, in the default graph."""
    batch = tf.zeros([BATCH, FEATURES]), tf.zeros([BATCH, CLASSES])
    data = tf.data.Dataset.from_tensors(batch).repeat()
    iterator = tf.compat.v1.data.make_initializable_iterator(data)
    pictures, labels = iterator.get_next()
    weights = tf.compat.v1.get_variable(
        "weights", [FEATURES, CLASSES], initializer=tf.zeros_initializer()
    )
    loss = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits(
            labels=labels, logits=pictures @ weights
        )
    )
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    return iterator, optimizer.minimize(loss), loss


def _npu_config(n: int) -> Any:
    config = tf.compat.v1.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    custom = rewrite.custom_optimizers.add()
    custom.name = "NpuOptimizer"
    custom.parameter_map["use_off_line"].b = True
    custom.parameter_map["enable_data_pre_proc"].b = True
    custom.parameter_map["iterations_per_loop"].i = n
    rewrite.remapping = rewrite.memory_optimization = rewrite.OFF
    return config
