"""How many host calls, batches and device iterations a training will take.

Pure arithmetic, no TensorFlow: `calls` divides training steps by `iterations_per_loop`
and says what to do with a remainder; a `Plan` predicts the counters of the ledger, so
that a run can be reconciled with it.

    >>> calls(60, 10)
    6
    >>> Plan(steps=60, iterations_per_loop=10, setup_calls=5).session_runs
    11
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Literal, SupportsIndex, get_args

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
