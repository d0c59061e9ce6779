"""How many host calls, batches and device iterations a training will take.

Pure arithmetic, no TensorFlow: `calls` divides training steps by `iterations_per_loop`
and says what to do with a remainder; a `Plan` predicts the counters of the ledger, so
that a run can be reconciled with it; a `TrainingPlan` says at which steps an Estimator
writes checkpoints, log lines and summaries.

    >>> calls(60, 10)
    6
    >>> Plan(steps=60, iterations_per_loop=10, setup_calls=5).session_runs
    11
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, SupportsIndex, get_args

Remainder = Literal["error", "down", "up"]
Data = Literal["fresh", "repeated", "none"]


def calls(steps: int, iterations_per_loop: int, remainder: Remainder = "error") -> int:
    """The number of host calls that train `steps` steps.

    Every call runs exactly `iterations_per_loop` steps, so a remainder cannot be
    trained by itself. `remainder` decides: "error" refuses it, "down" leaves it out,
    "up" makes one more call and trains past `steps`.

    Raises:
        TypeError: a count is not an integer (a bool is none).
        ValueError: `steps` is negative, `iterations_per_loop` is below 1, `remainder`
            is unknown, or there is a remainder and `remainder` is "error"; the text
            names the nearest numbers of steps without one.
    """
    steps = _count("steps", steps, at_least=0)
    iterations_per_loop = _count("iterations_per_loop", iterations_per_loop, at_least=1)
    _one_of("remainder", remainder, Remainder)
    whole, rest = divmod(steps, iterations_per_loop)
    if not rest or remainder == "down":
        return whole
    if remainder == "up":
        return whole + 1
    below, above = whole * iterations_per_loop, (whole + 1) * iterations_per_loop
    raise ValueError(
        f"steps={steps} is not a multiple of iterations_per_loop={iterations_per_loop}:"
        f" the nearest multiples are {below} and {above}. Train one of these, or pass"
        f' remainder="down" ({whole} calls) or remainder="up" ({whole + 1} calls).'
    )


@dataclass(frozen=True)
class Plan:
    """What a training of `steps` steps costs, counted at the border to the device.

    Attributes:
        steps: training steps wanted.
        iterations_per_loop: steps the device runs per host call (N).
        setup_calls: host calls that train nothing: initializers and variable loads.
        data: "fresh" when every iteration pulls a batch on the device, "repeated" when
            one batch serves a whole call, "none" when the step reads no data.

    Raises:
        TypeError, ValueError: as `calls`.
    """

    steps: int
    iterations_per_loop: int = 1
    setup_calls: int = 0
    data: Data = "fresh"

    def __post_init__(self) -> None:
        _count("steps", self.steps, at_least=0)
        _count("iterations_per_loop", self.iterations_per_loop, at_least=1)
        _count("setup_calls", self.setup_calls, at_least=0)
        _one_of("data", self.data, Data)

    @property
    def training_calls(self) -> int:
        """Host calls that train, rounded up: the last loop overshoots."""
        return calls(self.steps, self.iterations_per_loop, remainder="up")

    @property
    def session_runs(self) -> int:
        """All host calls: those that set up and those that train."""
        return self.setup_calls + self.training_calls

    @property
    def steps_run(self) -> int:
        """Training steps really run; at least `steps`."""
        return self.training_calls * self.iterations_per_loop

    @property
    def device_iterations(self) -> int:
        """Iterations inside device loops; none at N=1, where no loop is built."""
        return self.steps_run if self.iterations_per_loop > 1 else 0

    @property
    def batches_pulled(self) -> int:
        """Batches that a GetNext on the device pulls."""
        return self.steps_run if self.data == "fresh" else 0

    def expected(self) -> dict[str, int]:
        """The predicted counters, by their names in the report of a run."""
        return {
            "session_runs": self.session_runs,
            "training_calls": self.training_calls,
            "device_iterations": self.device_iterations,
            "batches_pulled": self.batches_pulled,
        }


@dataclass(frozen=True)
class _AndLast(Sequence[int]):
    """Evenly spaced steps and one more at the end, however many they are."""

    steps: range
    last: int

    def __len__(self) -> int:
        return len(self.steps) + 1

    def __getitem__(self, index: Any) -> Any:
        at = range(len(self))[index]
        if isinstance(at, range):
            return tuple(self[one] for one in at)
        return self.last if at == len(self.steps) else self.steps[at]


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """The steps at which one `Estimator.train` does something on the host.

    TensorFlow's hooks run after a host call, so they see only steps at the end of a
    loop. A training whose `max_steps` is reached already does nothing at all.

    Attributes:
        first_step: the global step of the checkpoint that is restored, else 0.
        steps: training steps wanted from `first_step` on; either this or `max_steps`.
        max_steps: the global step wanted at the end.
        iterations_per_loop: steps the device runs per host call (N).
        save_checkpoints_steps: as in RunConfig; None or 0 for no checkpoints.
        save_summary_steps: as in RunConfig; None or 0 for no summaries.
        log_step_count_steps: as in RunConfig, host calls between two lines with the
            loss; None or 0 for no lines.

    Raises:
        TypeError: a count is not an integer (a bool is none).
        ValueError: a count is too small, or not exactly one of `steps` and `max_steps`
            is given.
    """

    steps: int | None = None
    max_steps: int | None = None
    first_step: int = 0
    iterations_per_loop: int = 1
    save_checkpoints_steps: int | None = None
    save_summary_steps: int | None = None
    log_step_count_steps: int | None = None

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.max_steps is None):
            raise ValueError("Give either steps or max_steps, and not both.")
        _count("first_step", self.first_step, at_least=0)
        for name in ("steps", "max_steps", "iterations_per_loop"):
            if getattr(self, name) is not None:
                _count(name, getattr(self, name), at_least=1)
        for name in (
            "save_checkpoints_steps",
            "save_summary_steps",
            "log_step_count_steps",
        ):
            _count(name, getattr(self, name) or 0, at_least=0)

    @property
    def last_step(self) -> int:
        """The global step that is wanted at the end."""
        return self.max_steps or self.first_step + (self.steps or 0)

    @property
    def training_calls(self) -> int:
        """Host calls that train."""
        left = max(0, self.last_step - self.first_step)
        return calls(left, self.iterations_per_loop, remainder="up")

    @property
    def final_step(self) -> int:
        """The global step after the last call; the last loop may go past the end."""
        return self.first_step + self.training_calls * self.iterations_per_loop

    @property
    def checkpoint_interval(self) -> int:
        """Steps from one checkpoint to the next, 0 for no checkpoints."""
        wanted, n = self.save_checkpoints_steps or 0, self.iterations_per_loop
        return calls(wanted, n, remainder="up") * n

    @property
    def log_interval(self) -> int:
        """Steps from one line with the loss to the next: the hook counts calls."""
        return (self.log_step_count_steps or 0) * self.iterations_per_loop

    @property
    def summary_interval(self) -> int:
        """Steps from one summary to the next, 0 for no summaries.

        The hook asks before a call whether to fetch, and guesses where the call will
        end: one step further. After a call without a summary inside a loop the step
        that it knows is the loop's end, to which it adds one more.
        """
        wanted, n = self.save_summary_steps or 0, self.iterations_per_loop
        if wanted <= 1 or n == 1:
            return wanted * n
        return max(2, 1 + calls(max(0, wanted - 2), n, remainder="up")) * n

    @property
    def checkpoints(self) -> Sequence[int]:
        """The steps of the checkpoints that are written, also the first and the last.

        The first is written before the first call, anew where it was restored.
        """
        if not self.training_calls or not self.checkpoint_interval:
            return ()
        written = range(self.first_step, self.final_step + 1, self.checkpoint_interval)
        if self.final_step in written:
            return written
        return _AndLast(written, self.final_step)

    def kept(self, most: int, earlier: Iterable[int] = ()) -> tuple[int, ...]:
        """The steps of the checkpoints that are left at the end.

        Args:
            most: as `keep_checkpoint_max`: the saver deletes older ones; 0 keeps all.
            earlier: the steps of the checkpoints that the saver knows from before.
        """
        return tuple(sorted({*earlier, *self.checkpoints[-most:]}))[-most:]

    @property
    def logged_steps(self) -> Sequence[int]:
        """The steps at the end of the calls whose loss is logged, from the first on."""
        return self._loop_ends(self.log_interval)

    @property
    def summary_steps(self) -> Sequence[int]:
        """The steps that the summaries carry."""
        return self._loop_ends(self.summary_interval)

    def _loop_ends(self, interval: int) -> Sequence[int]:
        if not interval:
            return ()
        first = self.first_step + self.iterations_per_loop
        return range(first, self.final_step + 1, interval)


@dataclass(frozen=True)
class Share:
    """What each of several devices trains.  Nothing is rescaled without saying so.

    Attributes:
        updates: updates of the weights, which all devices make together.
        batch: examples that one device takes per update.
        ranks: devices.

    Raises:
        TypeError: a count is not an integer (a bool is none).
        ValueError: a count is too small.
    """

    updates: int
    batch: int
    ranks: int = 1

    def __post_init__(self) -> None:
        _count("updates", self.updates, at_least=0)
        _count("batch", self.batch, at_least=1)
        _count("ranks", self.ranks, at_least=1)

    @classmethod
    def of_samples(cls, samples: int, batch: int, ranks: int = 1) -> Self:
        """One pass over `samples` that are sharded; a last batch not full is dropped.

        Raises:
            TypeError, ValueError: as the class.
        """
        one = cls(0, batch, ranks)
        return cls(
            _count("samples", samples, at_least=0) // one.global_batch, batch, ranks
        )

    @property
    def global_batch(self) -> int:
        """Examples per update on all devices together."""
        return self.batch * self.ranks

    @property
    def samples(self) -> int:
        """Examples that all devices take in all updates."""
        return self.updates * self.global_batch


def _count(name: str, value: SupportsIndex, at_least: int) -> int:
    # bool is an int to Python, but True steps are a mistake.
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise TypeError(
            f"{name} must be an integer, not {value!r} of type {type(value).__name__}."
        )
    number = operator.index(value)
    if number < at_least:
        raise ValueError(f"{name} must be at least {at_least}, not {number}.")
    return number


def _one_of(name: str, value: str, allowed: object) -> None:
    if value not in get_args(allowed):
        names = ", ".join(f'"{one}"' for one in get_args(allowed))
        raise ValueError(f"{name} must be one of {names}, not {value!r}.")
