"""Trains a model at one N, counts what crosses, and takes the time per step.

The counts are read from the device's ledger and nothing in them is computed from N; the
time is wall-clock time on this computer, in several repeats so that its spread shows.
"""

from __future__ import annotations

import contextlib
import importlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from npu_lab.lab._texts import say
from npu_lab.plan import calls

STEPS = 100
REPEATS = 5
BETWEEN_UPDATES = 0.5  # seconds

Build = Callable[[], tuple[Any, Any, Any]]
Config = Callable[[int], Any]
# What one repeat counted (round trips, iterations, batches), and its seconds.
Repeat = tuple[tuple[int, int, int], float]


@dataclass(frozen=True)
class Measurement:
    """One model trained at one N.

    `round_trips`, `device_iterations` and `batches_pulled` were counted during one
    repeat of `steps` training steps; `seconds_per_step` has one entry for each repeat;
    `link_delay` (seconds) and `bandwidth` (bytes a second, None for no limit) were
    injected into each round trip.
    """

    iterations_per_loop: int
    steps: int
    round_trips: int
    device_iterations: int
    batches_pulled: int
    seconds_per_step: tuple[float, ...]
    link_delay: float = 0.0
    bandwidth: float | None = None

    @property
    def injected(self) -> str:
        """What was injected into each round trip, such as "2 ms, 10 MB/s"; or ""."""
        delay = f"{self.link_delay * 1000:g} ms" if self.link_delay else ""
        limit = f"{self.bandwidth / 1e6:g} MB/s" if self.bandwidth else ""
        return ", ".join(filter(None, (delay, limit)))

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
    build_model: Build,
    npu_config: Config,
    iterations_per_loop: int,
    *,
    steps: int = STEPS,
    repeats: int = REPEATS,
    link_delay: float | None = None,
    bandwidth: float | None = None,
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
        bandwidth: bytes a second that fed and fetched values cross with, injected as
            well.  None leaves the device's own.

    Raises:
        RuntimeError: no device is active, or the counts differ between repeats.
        ValueError: `steps` is no multiple of N, or `repeats` is below 1.
    """
    if repeats < 1:
        message = f"repeats must be at least 1, not {repeats}."
        raise ValueError(message)
    n, link = iterations_per_loop, _Link(link_delay, bandwidth)
    with _trained(build_model, npu_config, n, steps, link) as repeat:
        return link.measurement(n, steps, [repeat() for _ in range(repeats)])


def measure_sweep(
    build_model: Build,
    npu_config: Config,
    numbers: Sequence[int],
    steps: int = STEPS,
    *,
    runs: int = REPEATS,
    link_delay: float | None = None,
    bandwidth: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Measurement]:
    """Measure at each N of `numbers`; the N take turns, `runs` times.

    Other work on the computer so slows down all of them alike.  Interrupted, it returns
    what was measured so far, if anything was.  `progress` is given a line of text, at
    most two in a second; by default a notebook shows it below the cell.  The other
    arguments, and the errors, are those of `measure`.
    """
    for n in numbers:
        calls(steps, n)
    link, tell = _Link(link_delay, bandwidth), progress or _line_below_cell()
    measured: dict[int, list[Repeat]] = {n: [] for n in numbers}
    repeats: dict[int, Callable[[], Repeat]] = {}
    told, last = "sweep done", 0.0
    with contextlib.ExitStack() as stack:
        try:
            for turn in range(1, runs + 1):
                for n, done in measured.items():
                    if time.monotonic() - last >= BETWEEN_UPDATES:
                        last = time.monotonic()
                        tell(say("sweep progress", n=n, run=turn, runs=runs))
                    if n not in repeats:
                        repeats[n] = stack.enter_context(
                            _trained(build_model, npu_config, n, steps, link)
                        )
                    done.append(repeats[n]())
        except KeyboardInterrupt:
            if not any(measured.values()):
                raise
            told = "sweep interrupted"
    found = {n: one for n, one in measured.items() if one}
    tell(say(told, numbers=", ".join(map(str, found)), runs=runs, steps=steps))
    return [link.measurement(n, steps, one) for n, one in found.items()]


class _Link:
    """The active device with what is injected into its link while a repeat runs."""

    def __init__(self, delay: float | None, bandwidth: float | None) -> None:
        from npu_lab.activation import active_device

        device = active_device()
        if device is None:
            message = (
                "No device is active. Run %load_ext npu_lab (or npu_lab.activate())."
            )
            raise RuntimeError(message)
        self.device = device
        self.delay = device.link_delay if delay is None else delay
        self.bandwidth = device.bandwidth if bandwidth is None else bandwidth

    @contextlib.contextmanager
    def injected(self) -> Iterator[None]:
        """Inject it, and take it back."""
        device = self.device
        before = device.link_delay, device.bandwidth
        try:
            device.link_delay, device.bandwidth = self.delay, self.bandwidth
            yield
        finally:
            device.link_delay, device.bandwidth = before

    def measurement(self, n: int, steps: int, repeats: list[Repeat]) -> Measurement:
        """All repeats at N as one measurement."""
        counts = {counted for counted, _ in repeats}
        if len(counts) > 1:
            message = f"The counts differ between repeats: {sorted(counts)}."
            raise RuntimeError(message)
        times = tuple(seconds / steps for _, seconds in repeats)
        return Measurement(n, steps, *counts.pop(), times, self.delay, self.bandwidth)


@contextlib.contextmanager
def _trained(
    build_model: Build, npu_config: Config, n: int, steps: int, link: _Link
) -> Iterator[Callable[[], Repeat]]:
    """A session in which the model is compiled: a function that runs one repeat."""
    from npu_lab._tensorflow import tf

    each = calls(steps, n)
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    with tf.Graph().as_default():
        iterator, train_op, loss = build_model()
        with tf.compat.v1.Session(config=npu_config(n)) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(iterator.initializer)
            train_op = util.set_iteration_per_loop(session, train_op, n)
            session.run([train_op, loss])  # this call compiles

            def repeat() -> Repeat:
                with link.injected():
                    return _repeat(link.device.ledger, session, [train_op, loss], each)

            yield repeat


def _repeat(
    ledger: Any, session: Any, fetches: list[Any], number_of_calls: int
) -> Repeat:
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


def _line_below_cell() -> Callable[[str], None]:
    """Shows one line below the cell, each time another; outside a notebook nothing."""
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None:
        return lambda _text: None
    from IPython.display import display

    show: Any = display
    handle = show({"text/plain": ""}, raw=True, display_id=True)
    return lambda text: handle.update({"text/plain": text}, raw=True)
