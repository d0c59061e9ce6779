"""Trains a model at one N, counts what crosses, and takes the time per step.

The counts are read from the device's ledger and nothing in them is computed from N; the
time is wall-clock time on this computer, in several repeats so that its spread shows.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from npu_lab.plan import calls

STEPS = 100
REPEATS = 5


@dataclass(frozen=True)
class Measurement:
    """One model trained at one N.

    `round_trips`, `device_iterations` and `batches_pulled` were counted during one
    repeat of `steps` training steps; `seconds_per_step` has one entry for each repeat;
    `link_delay` is the seconds that were injected into each round trip.
    """

    iterations_per_loop: int
    steps: int
    round_trips: int
    device_iterations: int
    batches_pulled: int
    seconds_per_step: tuple[float, ...]
    link_delay: float = 0.0

    @property
    def median(self) -> float:
        """The median time per step, in seconds."""
        return statistics.median(self.seconds_per_step)

    @property
    def fastest(self) -> float:
        """The time per step of the fastest repeat, in seconds."""
        return min(self.seconds_per_step)

    @property
    def slowest(self) -> float:
        """The time per step of the slowest repeat, in seconds."""
        return max(self.seconds_per_step)


def measure(
    build_model: Callable[[], tuple[Any, Any, Any]],
    npu_config: Callable[[int], Any],
    iterations_per_loop: int,
    *,
    steps: int = STEPS,
    repeats: int = REPEATS,
    link_delay: float | None = None,
) -> Measurement:
    """Train `repeats` times `steps` steps at N and say what it took.

    Args:
        build_model: builds the model in the default graph; returns the dataset's
            iterator, the training operation and the loss.
        npu_config: returns the session configuration for a given N.
        iterations_per_loop: N; it must divide `steps`.
        steps: training steps in a repeat.
        repeats: how often to take the time; the graph is built once.
        link_delay: seconds to wait, for real, in each round trip: an injected figure.
            None leaves the device's own.

    Raises:
        RuntimeError: no device is active, or the counts differ between repeats.
        ValueError: `steps` is no multiple of N, or `repeats` is below 1.
    """
    from npu_lab._tensorflow import tf
    from npu_lab.activation import active_device

    device = active_device()
    if device is None:
        message = "No device is active. Run %load_ext npu_lab (or npu_lab.activate())."
        raise RuntimeError(message)
    if repeats < 1:
        message = f"repeats must be at least 1, not {repeats}."
        raise ValueError(message)
    each = calls(steps, iterations_per_loop)
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    before = device.link_delay
    with tf.Graph().as_default():
        iterator, train_op, loss = build_model()
        with tf.compat.v1.Session(config=npu_config(iterations_per_loop)) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(iterator.initializer)
            train_op = util.set_iteration_per_loop(
                session, train_op, iterations_per_loop
            )
            session.run([train_op, loss])  # this call compiles
            try:
                if link_delay is not None:
                    device.link_delay = link_delay
                injected = device.link_delay
                runs = [
                    _repeat(device.ledger, session, [train_op, loss], each)
                    for _ in range(repeats)
                ]
            finally:
                device.link_delay = before
    counts = {counted for counted, _ in runs}
    if len(counts) > 1:
        message = f"The counts differ between repeats: {sorted(counts)}."
        raise RuntimeError(message)
    round_trips, device_iterations, batches_pulled = counts.pop()
    return Measurement(
        iterations_per_loop,
        steps,
        round_trips,
        device_iterations,
        batches_pulled,
        seconds_per_step=tuple(seconds / steps for _, seconds in runs),
        link_delay=injected,
    )


def _repeat(
    ledger: Any, session: Any, fetches: list[Any], number_of_calls: int
) -> tuple[tuple[int, int, int], float]:
    """What was counted, and the seconds it took."""
    earlier = ledger.as_dict()
    start = time.perf_counter()
    for _ in range(number_of_calls):
        session.run(fetches)
    seconds = time.perf_counter() - start
    counted = ledger.since(earlier)
    return (
        counted["session_runs"],
        counted["device_iterations"],
        counted["batches_pulled"],
    ), seconds
