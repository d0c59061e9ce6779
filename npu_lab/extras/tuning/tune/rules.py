"""Which N are tried, for how long, and which one is recommended: pure arithmetic.

>>> candidates(own=10, limit=1000, steps=800)
(1, 2, 5, 10, 20, 50, 100, 200)
>>> recommended({1: 4e-4, 10: 2.2e-4, 100: 2.05e-4, 200: 2e-4})
100
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from npu_lab.timing import TimingModel

TARGETS = (1, 2, 5, 10, 20, 50, 100, 200)
TOLERANCE = 0.03
"""How much slower than the best a smaller N may be and still be recommended.

The shortest of three trials is itself off by some 5 %: both together are to stay below
a tenth of the time.
"""
FEWEST_STEPS = 20
CALLS = 2
"""Host calls that the largest N of a trial makes at least."""


def candidates(
    *,
    own: int,
    limit: int,
    steps: int | None = None,
    intervals: Iterable[int] = (),
) -> tuple[int, ...]:
    """The N to try, ascending; 1 is always one, and `own` where it is safe.

    A safe N divides `steps`, so that no step is left over, and each of `intervals`
    (steps between checkpoints).  All of them divide some number of steps up to `limit`,
    and none is above half of it.

    Args:
        own: the N of the script.
        limit: steps of a trial.
        steps: of the training; None where that is not known.
        intervals: steps between checkpoints.
    """
    whole = math.gcd(steps or 0, *intervals)
    together, found = 1, {1}
    most = max(1, limit // CALLS)
    wanted = [own, *(n for n in TARGETS if n != own)]
    for target in wanted:
        n = nearest(whole, target)
        common = math.lcm(together, n)
        if n <= most and common <= limit:
            together, found = common, found | {n}
    return tuple(sorted(found))


def nearest(whole: int, target: int) -> int:
    """The divisor of `whole` that is nearest to `target` by ratio; 0 has all."""
    if not whole:
        return target
    divisors = [n for n in range(1, math.isqrt(whole) + 1) if whole % n == 0]
    divisors += [whole // n for n in divisors]
    return min(divisors, key=lambda n: (abs(math.log(n / target)), n))


def trial_steps(numbers: Sequence[int], limit: int) -> int:
    """The steps of each trial: the first multiple of all `numbers` from `limit` on."""
    return math.ceil(limit / math.lcm(*numbers)) * math.lcm(*numbers)


def limit(seconds_per_step: float, seconds: float) -> int:
    """The steps that take about `seconds`."""
    return max(FEWEST_STEPS, math.ceil(seconds / seconds_per_step))


def recommended(times: Mapping[int, float], tolerance: float = TOLERANCE) -> int:
    """The smallest N whose time per step is within `tolerance` of the shortest.

    A smaller N costs less: finer logs and checkpoints, and a quicker interrupt.  It has
    to be near by its own measurement and by the timing model fitted to all, where that
    can be: a moment in which the computer was busy, or idle for once, then decides
    little.  Where no N is near by both, the nearest is taken.
    """
    apart = _apart(times)
    try:
        modelled = _apart(TimingModel.fit(times.items()).model.curve(times))
    except ValueError:  # too few N
        modelled = apart
    worse = {n: max(apart[n], modelled[n]) for n in times}
    near = [n for n, ratio in worse.items() if ratio <= 1 + tolerance]
    return min(near, default=min(worse, key=lambda n: (worse[n], n)))


def _apart(times: Mapping[int, float]) -> dict[int, float]:
    best = min(times.values())
    return {n: seconds / best for n, seconds in times.items()}


def predicted(times: Mapping[int, float]) -> dict[int, float]:
    """The timing model's time per step at each N; empty where it cannot be fitted.

    It is fitted without the N that it is asked about, so that it is a prediction.
    """
    found = {}
    for n in times:
        others = [(m, seconds) for m, seconds in times.items() if m != n]
        try:
            found[n] = TimingModel.fit(others).model.seconds_per_step(n)
        except ValueError:
            return {}
    return found


@dataclass(frozen=True)
class Price:
    """What a script pays for N, in steps and seconds.

    Attributes:
        calls: host calls of the training; None where its steps are not known.
        left_over: steps that are trained too many by the last call.
        log: steps between two looks at the loss, which were one call before.
        checkpoint: steps between checkpoints; None for none.
        stop_seconds: how long a call is, and so an interrupt by a hook can take.
    """

    calls: int | None
    left_over: int
    log: int
    checkpoint: int | None
    stop_seconds: float


def price(
    n: int, seconds_per_step: float, steps: int | None, interval: int | None
) -> Price:
    """What N costs a training of `steps` steps, saved each `interval` steps."""
    return Price(
        calls=None if steps is None else math.ceil(steps / n),
        left_over=0 if steps is None else -steps % n,
        log=n,
        checkpoint=None if interval is None else math.ceil(interval / n) * n,
        stop_seconds=n * seconds_per_step,
    )
