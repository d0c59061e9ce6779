"""Side-by-side timing: variants take turns in one process, so that a ratio is fair."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 7


def side_by_side(
    variants: Mapping[str, Callable[[], int]], rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Microseconds per unit of work, `rounds` times for each variant.

    A variant does its work and returns how many units that was.  The variants take
    turns; the first round only warms up and is not reported.
    """
    times: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(rounds + 1):
        for name, work in variants.items():
            start = time.perf_counter()
            units = work()
            spent = time.perf_counter() - start
            if number:
                times[name].append(spent / units * 1e6)
    return times


def table(title: str, unit: str, times: Mapping[str, list[float]]) -> str:
    """Median, spread and ratio to the first variant; all measured in this run."""
    first = statistics.median(next(iter(times.values())))
    lines = [f"{title} (measured, {unit})"]
    lines.append(f"  {'':34}{'median':>9}{'min':>9}{'max':>9}{'ratio':>8}")
    for name, values in times.items():
        middle = statistics.median(values)
        lines.append(
            f"  {name:34}{middle:9.1f}{min(values):9.1f}{max(values):9.1f}"
            f"{middle / first:8.2f}"
        )
    return "\n".join(lines)
