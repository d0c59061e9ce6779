"""What a sunk training takes, from a few figures: pure arithmetic, no TensorFlow.

A host call costs its overhead (launch, link round trip, bytes over bandwidth) once,
then runs N iterations on the device.  An iteration waits for a batch, takes it
(GetNext) and computes.  A thread on the host prepares one batch after the other from
the start of the first call on, also between calls, as long as the queue has room.

    >>> model = TimingModel(step_seconds=0.002, launch_seconds=0.001)
    >>> [round(model.total_seconds(steps=100, n=n), 3) for n in (1, 10)]
    [0.3, 0.21]

What comes out is *modelled*.  `TimingModel.schedule` plays the run through, event by
event; `TimingModel.total_seconds` is a closed form that gives the same total.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, Self

from npu_lab import profile_files
from npu_lab.plan import calls
from npu_lab.timeline import Span, Timeline

# Two points lie on a line whatever they are; the third shows how wrong the line is.
FEWEST_NUMBERS = 3


@dataclass(frozen=True)
class TimingModel:
    """A host, a link and a device as figures, in seconds and bytes.

    Attributes:
        step_seconds: the device computes one training step.
        launch_seconds: the host prepares and launches one call.
        loop_seconds: what a call costs more where a loop is built, that is at N > 1.
        round_trip_seconds: the link carries the launch to the device and the end back;
            half of it before the first iteration, half after the last.
        bytes_per_call: bytes fed with each call; they cross before the first iteration.
        bandwidth: bytes a second of the link; None where bytes cost nothing.
        pipeline_seconds: the host prepares one batch.  0 where there is no pipeline:
            fed or repeated data.
        get_next_seconds: the device takes a batch that is ready.
        queue_depth: batches prepared ahead.

    Raises:
        TypeError: a figure is not a number (a bool is none).
        ValueError: a figure is negative or not finite, `bandwidth` is not above 0, or
            `queue_depth` is no whole number of 1 or more.  The text begins with the
            figure's name.
    """

    step_seconds: float
    launch_seconds: float = 0.0
    loop_seconds: float = 0.0
    round_trip_seconds: float = 0.0
    bytes_per_call: float = 0.0
    bandwidth: float | None = None
    pipeline_seconds: float = 0.0
    get_next_seconds: float = 0.0
    queue_depth: int = 2

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "bandwidth" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name} must be a number, not {value!r}.")
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{name} must be finite and 0 or more, not {value!r}.")
            if name == "bandwidth" and not value:
                raise ValueError(f"{name} must be above 0, not {value!r}.")
            if name == "queue_depth" and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name} must be 1 batch or more, not {value!r}.")

    @classmethod
    def from_profile(cls, profile: str | Path) -> Self:
        """A model with the figures of a profile: one of `profiles()`, or a file.

        Raises:
            ValueError: there is no such profile, or it is wrong; the text names the
                file and the key.
        """
        found = profile_files.read(profile)
        values: dict[str, Any] = {
            name: one.value for name, one in found.figures.items()
        }
        try:
            return cls(**values)
        except (TypeError, ValueError) as problem:
            raise ValueError(f"{found.path}: {problem}") from problem

    @classmethod
    def fit(cls, measurements: Iterable[Any]) -> Fit:
        """The model that comes nearest to measured times per step.

        Fitted is t(N) = a + b/N to all N > 1, by least squares of the relative errors,
        neither a nor b below 0.  A time per step cannot tell what it is made of:
        `step_seconds` is all of a, with GetNext, and `launch_seconds` all of b, with
        the link.  Where N=1 was measured, it tells the launch from `loop_seconds`.

        Args:
            measurements: pairs (N, seconds per step), or objects with the attributes
                `iterations_per_loop` and `median`, as `npu_lab.lab.measure` returns.

        Raises:
            ValueError: fewer than three different N above 1, or a time that is not
                above 0.
        """
        points = [_point(one) for one in measurements]
        loops = [point for point in points if point.n > 1]
        if len({n for n, _ in loops}) < FEWEST_NUMBERS:
            numbers = sorted({n for n, _ in points})
            raise ValueError(
                f"A fit needs at least {FEWEST_NUMBERS} different N above 1, not"
                f" {numbers}: with fewer its error cannot be told. Measure at more N."
            )
        step, overhead, step_spread, overhead_spread = _least_squares(loops)
        launch = overhead
        if len(loops) < len(points):
            plain = statistics.median(seconds for n, seconds in points if n == 1)
            launch = min(overhead, max(0.0, plain - step))
        model = cls(step, launch_seconds=launch, loop_seconds=overhead - launch)
        return Fit(model, _errors(model, points), step_spread, overhead_spread)

    def overhead_seconds(self, n: int) -> float:
        """What one call at N costs, apart from its iterations."""
        calls(0, n)
        return self._before(n) + self._after

    @property
    def iteration_seconds(self) -> float:
        """What one iteration takes on the device when its batch is ready."""
        return self.get_next_seconds + self.step_seconds

    @property
    def shortest_seconds(self) -> float:
        """The time per step that no N beats: of device and pipeline the slower one."""
        return max(self.iteration_seconds, self.pipeline_seconds)

    def call_seconds(self, n: int) -> float:
        """What one call of N iterations takes in a long run, launch to return.

        The overhead is added in full where the device sets the pace.  Where the
        pipeline does, the queue fills during the overhead: the call costs only what
        the pipeline could not use.
        """
        calls(0, n)
        return n * self.shortest_seconds + self._unused_seconds(n)

    def seconds_per_step(self, n: int) -> float:
        """The time per step at N in a long run."""
        return self.call_seconds(n) / n

    def curve(self, numbers: Iterable[int]) -> dict[int, float]:
        """The time per step for each N of `numbers`."""
        return {n: self.seconds_per_step(n) for n in numbers}

    def speedup(self, n: int) -> float:
        """How many times faster a step is at N than at N=1, in a long run."""
        slow, fast = self.seconds_per_step(1), self.seconds_per_step(n)
        return slow / fast if fast else 1.0

    def total_seconds(self, steps: int, n: int) -> float:
        """What a run of `steps` steps takes; a remainder is a last, shorter call.

        A closed form, exact for every run: its cost does not grow with `steps`.
        """
        number = calls(steps, n, "up")
        if not number:
            return 0.0
        gaps, last = number - 1, steps - (number - 1) * n
        device, pipeline = self.iteration_seconds, self.pipeline_seconds
        before, gap = self._before(n), self.overhead_seconds(n)
        if pipeline <= device:  # the device waits for the first batch, if at all
            first = max(before, pipeline)
            return first + steps * device + gaps * gap + self._after
        # At the pipeline's own pace the last batch is ready at steps * pipeline.  Later
        # than that is a run in which the device sets the pace from the first call on;
        # or, if the first call was early, from the end of the first call on, or after
        # the last gap alone.  The full queue spares the last call a part of it.
        spared = self._stock_seconds(last)
        extra = before - pipeline + gaps * self._gain(n) - spared
        if gaps:
            since = (gaps - 1) * max(0.0, self._gain(n))
            extra = max(extra, since + gap - (pipeline - device) - spared)
        return steps * pipeline + max(0.0, extra) + device + self._after

    def schedule(self, steps: int, n: int) -> Timeline:
        """Every call and iteration of a run, played through: a modelled timeline.

        The waiting for a batch and its taking are one span, "get_next".
        """
        calls(steps, n, "up")
        return Timeline(tuple(self._spans(steps, n)), "modelled", n)

    def break_even(self, share: float) -> int:
        """The smallest N for which calls cost at most `share` of a long run's time.

        Raises:
            ValueError: `share` does not lie between 0 and 1, or an iteration takes no
                time, so that no N is large enough.
        """
        if not 0 < share < 1:
            raise ValueError(f"share must lie between 0 and 1, not {share!r}.")
        if not self.shortest_seconds:
            raise ValueError("An iteration takes no time: calls are all there is.")
        if self._share(1) <= share:
            return 1
        allowed = share / (1 - share) * self.shortest_seconds
        low, high = 2, 2 + math.ceil(self.overhead_seconds(2) / allowed)
        while low < high:
            n = (low + high) // 2
            if self._share(n) <= share:
                high = n
            else:
                low = n + 1
        return low

    def starves(self, n: int) -> int | None:
        """The first iteration of a call, from 0, that waits for a batch; None if none.

        That is in a long run of calls of N; in the first calls it may be another.
        """
        calls(0, n)
        slower = self.pipeline_seconds - self.iteration_seconds
        if slower <= 0:
            return None
        stock = (self.queue_depth - 1) * self.pipeline_seconds
        ahead = min(stock, self.overhead_seconds(n) - slower)
        first = 0 if ahead < 0 else math.floor(ahead / slower) + 1
        return first if first < n else None

    def _before(self, n: int) -> float:
        launch = self.launch_seconds + (self.loop_seconds if n > 1 else 0.0)
        crossing = self.bytes_per_call / self.bandwidth if self.bandwidth else 0.0
        return launch + self.round_trip_seconds / 2 + crossing

    @property
    def _after(self) -> float:
        return self.round_trip_seconds / 2

    def _stock_seconds(self, n: int) -> float:
        """How much of a slow pipeline's delay a full queue spares N iterations."""
        slower = self.pipeline_seconds - self.iteration_seconds
        return min((self.queue_depth - 1) * self.pipeline_seconds, (n - 1) * slower)

    def _gain(self, n: int) -> float:
        """How much longer than the pipeline needs a call of N takes; below 0: idle."""
        slower = self.pipeline_seconds - self.iteration_seconds
        return self.overhead_seconds(n) - slower - self._stock_seconds(n)

    def _unused_seconds(self, n: int) -> float:
        """What a call of N costs in a long run, beyond the slower of the two."""
        if self.pipeline_seconds <= self.iteration_seconds:
            return self.overhead_seconds(n)
        return max(0.0, self._gain(n))

    def _share(self, n: int) -> float:
        return self._unused_seconds(n) / self.call_seconds(n)

    def _spans(self, steps: int, n: int) -> Iterator[Span]:
        ready = launched = 0.0  # the newest batch; the call
        taken: deque[float] = deque(maxlen=self.queue_depth)
        for call, start in enumerate(range(0, steps, n)):
            now = launched + self._before(n)
            for iteration in range(start, min(start + n, steps)):
                full = len(taken) == self.queue_depth
                room = taken[0] if full else 0.0  # since when the queue had room
                ready = max(ready, room) + self.pipeline_seconds
                taken.append(max(now, ready))
                got = taken[-1] + self.get_next_seconds
                yield Span("get_next", now, got, call, iteration)
                now = got + self.step_seconds
                yield Span("compute", got, now, call, iteration)
            yield Span("call", launched, now + self._after, call)
            launched = now + self._after


@dataclass(frozen=True)
class Fit:
    """A fitted model and how well it fits.

    Attributes:
        model: the fitted model.
        residuals: for each measured N the model's relative error, 0.1 for 10 % too
            long.
        step_spread: the standard error of `step_seconds`, in seconds.
        overhead_spread: that of what a call with a loop costs, in seconds.
    """

    model: TimingModel
    residuals: dict[int, float]
    step_spread: float
    overhead_spread: float

    def errors(self, held_out: Iterable[Any]) -> dict[int, float]:
        """The model's relative errors on measurements it was not fitted to, by N.

        Several measurements at one N count by their median.

        Raises:
            ValueError: as `TimingModel.fit`, for a time that is not above 0.
        """
        return _errors(self.model, [_point(one) for one in held_out])


def profiles() -> tuple[str, ...]:
    """The names of all profiles: those that come with npu_lab, and the user's own."""
    return tuple(profile_files.found())


class _Point(NamedTuple):
    n: int
    seconds: float


def _point(measurement: Any) -> _Point:
    if hasattr(measurement, "iterations_per_loop"):
        point = _Point(measurement.iterations_per_loop, measurement.median)
    else:
        point = _Point(*measurement)
    calls(0, point.n)
    if not (math.isfinite(point.seconds) and point.seconds > 0):
        raise ValueError(
            f"The time per step at N={point.n} must be above 0 seconds and finite, not"
            f" {point.seconds!r}."
        )
    return point


def _errors(model: TimingModel, points: Iterable[_Point]) -> dict[int, float]:
    measured: dict[int, list[float]] = {}
    for n, seconds in points:
        measured.setdefault(n, []).append(seconds)
    return {
        n: model.seconds_per_step(n) / statistics.median(times) - 1
        for n, times in sorted(measured.items())
    }


def _least_squares(points: list[_Point]) -> tuple[float, float, float, float]:
    """Fit seconds = a + b/n by relative errors; return a, b, their standard errors.

    Divided by the measured time it is 1 = a*u + b*v.
    """
    pairs = [(1 / seconds, 1 / (seconds * n)) for n, seconds in points]
    u, v = (math.fsum(column) for column in zip(*pairs, strict=True))
    uu = math.fsum(x * x for x, _ in pairs)
    uv = math.fsum(x * y for x, y in pairs)
    vv = math.fsum(y * y for _, y in pairs)
    determinant = uu * vv - uv * uv
    a, b = (u * vv - v * uv) / determinant, (v * uu - u * uv) / determinant
    if a < 0:
        a, b = 0.0, v / vv
    elif b < 0:
        a, b = u / uu, 0.0
    squares = math.fsum((a * x + b * y - 1) ** 2 for x, y in pairs)
    variance = squares / (len(pairs) - 2)
    spread_a = math.sqrt(variance * vv / determinant)
    return a, b, spread_a, math.sqrt(variance * uu / determinant)
