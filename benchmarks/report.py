"""Prints what was measured as a table, and writes it as JSON."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.harness import Series

SCALES = {"us": 1e6, "ms": 1e3, "s": 1.0}


@dataclass(frozen=True)
class Ratio:
    """One figure that matters; `target` is its highest allowed value, if any."""

    text: str
    value: float
    target: float | None = None
    unit: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target is None else self.value <= self.target


@dataclass(frozen=True)
class Result:
    """What one experiment found; `rows` are the figures that are times."""

    name: str
    title: str
    unit: str
    rows: Sequence[str]
    series: Sequence[Series]
    ratios: Sequence[Ratio]


def provenance(rounds: int, seconds: float) -> dict[str, str | int | float]:
    """Where the figures come from."""
    return {
        "kind": "measured",
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "tensorflow": importlib.metadata.version("tensorflow"),
        "keras": importlib.metadata.version("keras"),
        "tf_keras": importlib.metadata.version("tf_keras"),
        "rounds": rounds,
        "seconds": seconds,
    }


def head(origin: dict[str, str | int | float]) -> str:
    """The provenance in one line."""
    return ", ".join(
        str(value) if name in ("kind", "date", "machine") else f"{name} {value}"
        for name, value in origin.items()
    )


def table(result: Result) -> str:
    """The contestants, then the ratios with their targets."""
    rows = [
        (one.name if figure == "time" else f"{one.name}: {figure}", one, figure)
        for one in result.series
        for figure in result.rows
    ]
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{result.name}: {result.title} ({result.unit})"]
    lines.append(
        f"  {'':{width}}{'min':>10}{'median':>10}{'max':>10}{'max/min':>9}{'q3/q1':>7}"
    )
    for name, one, figure in rows:
        values = [value * SCALES[result.unit] for value in one.figures[figure]]
        low, middle, high = min(values), statistics.median(values), max(values)
        lines.append(
            f"  {name:{width}}{low:10.2f}{middle:10.2f}{high:10.2f}{high / low:9.2f}"
            f"{_quartiles(values):7.2f}   {one.about}"
        )
    return "\n".join([*lines, *map(_line, result.ratios), *_checks(result.series)])


def _quartiles(values: Sequence[float]) -> float:
    if len(values) == 1:
        return 1.0
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return third / first


def _line(ratio: Ratio) -> str:
    text = f"  {ratio.text}: {ratio.value:.3f}{ratio.unit}"
    if ratio.target is None:
        return text
    return f"{text}, at most {ratio.target:g}: {'met' if ratio.met else 'MISSED'}"


def _checks(series: Sequence[Series]) -> list[str]:
    """What keeps the comparison honest."""
    idle = max(one.idle_cpu for one in series)
    lines = [f"  processor time of one that waits for its turn: up to {idle:.4f} s"]
    found = {o.name: o.difference for o in series if o.difference is not None}
    if found:
        equal = ", ".join(name for name, value in found.items() if value == 0)
        others = [f"{name} {value:.1e}" for name, value in found.items() if value]
        lines.append(f"  equal variables after the same steps: {equal}")
        lines += [f"  off by at most: {', '.join(others)}"] if others else []
    return lines


def write(
    path: Path, origin: dict[str, str | int | float], results: Sequence[Result]
) -> None:
    """Write everything to `path`, which is complete or as it was before."""
    experiments = [asdict(result) for result in results]
    for made, result in zip(experiments, results, strict=True):
        for ratio, source in zip(made["ratios"], result.ratios, strict=True):
            ratio["met"] = source.met
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    text = json.dumps({"provenance": origin, "experiments": experiments}, indent=1)
    beside.write_text(text + "\n", "utf-8")
    beside.replace(path)
