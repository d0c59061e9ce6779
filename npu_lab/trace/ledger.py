"""The ledger: crossings between host and device, counted by kind.

Host calls are counted where they cross; iterations and batches are read from variables
that the device's loops and its GetNext count in the graph.  Nothing here multiplies, so
a ledger agrees with the closed form of a plan only if the loop really ran.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from npu_lab.plan import Plan


@dataclass(frozen=True)
class Reconciliation:
    """Counted against expected, a row for each figure of the plan."""

    rows: tuple[tuple[str, int, int], ...]

    @property
    def agrees(self) -> bool:
        """Whether every figure is as expected."""
        return not self.differences

    @property
    def differences(self) -> dict[str, int]:
        """Counted minus expected, for the figures that differ."""
        return {name: c - e for name, e, c in self.rows if c != e}

    def __str__(self) -> str:
        lines = [f"{'':24}{'expected':>10}{'counted':>10}{'difference':>12}"]
        lines += [f"{n:24}{e:>10}{c:>10}{c - e:>+12}" for n, e, c in self.rows]
        return "\n".join(lines)


class Ledger:
    """Counts of one device since it was activated, or since `reset`.

    `calls` counts host calls by kind: ``training``, ``initialize``, ``load``,
    ``restore``, ``save``, ``iterator`` and ``read``, through whichever door they came,
    and of sessions that are not on the device as well.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Start all counts from zero."""
        with self._lock:
            self.calls: Counter[str] = Counter()
            self._counted: Counter[str] = Counter()
            self.injected_seconds = 0.0

    def cross(self, kind: str, injected_seconds: float = 0.0) -> None:
        """Count one host call, with the delay that was injected into it (seconds)."""
        with self._lock:
            self.calls[kind] += 1
            self.injected_seconds += injected_seconds

    def inject(self, seconds: float) -> None:
        """Add a delay (seconds) that was injected after a call."""
        with self._lock:
            self.injected_seconds += seconds

    def count(self, counted: Mapping[str, int]) -> None:
        """Add what the device counted: iterations, batches, host_batches, updates."""
        with self._lock:
            self._counted.update(counted)

    @property
    def session_runs(self) -> int:
        """All host calls."""
        return sum(self.calls.values())

    @property
    def training_calls(self) -> int:
        """Host calls that ran an optimizer update."""
        return self.calls["training"]

    @property
    def setup_calls(self) -> int:
        """Host calls other than training calls: the constant term of a plan."""
        return self.session_runs - self.training_calls

    @property
    def device_iterations(self) -> int:
        """Iterations run inside device loops."""
        return self._counted["iterations"]

    @property
    def batches_pulled(self) -> int:
        """GetNext executions on the device."""
        return self._counted["batches"]

    @property
    def host_batches(self) -> int:
        """GetNext executions that stayed on the host."""
        return self._counted["host_batches"]

    def as_dict(self) -> dict[str, int]:
        """The figures of a plan, by the names of the report."""
        return {
            "session_runs": self.session_runs,
            "training_calls": self.training_calls,
            "device_iterations": self.device_iterations,
            "batches_pulled": self.batches_pulled,
        }

    def since(self, earlier: Mapping[str, int]) -> dict[str, int]:
        """The figures counted after `earlier`, an `as_dict()` taken before."""
        return {name: value - earlier[name] for name, value in self.as_dict().items()}

    def reconcile(
        self, plan: Plan, earlier: Mapping[str, int] | None = None
    ) -> Reconciliation:
        """Hold the counts (since `earlier`) against the closed form of `plan`."""
        counted = self.since(earlier) if earlier else self.as_dict()
        rows = [(name, value, counted[name]) for name, value in plan.expected().items()]
        return Reconciliation(tuple(rows))

    def __repr__(self) -> str:
        figures = ", ".join(f"{name}={value}" for name, value in self.as_dict().items())
        by_kind = ", ".join(f"{kind} {count}" for kind, count in self.calls.items())
        injected = (
            f"; injected delay {self.injected_seconds:.3f} s"
            if self.injected_seconds
            else ""
        )
        return f"Ledger({figures}; {by_kind or 'no host call'}{injected})"
