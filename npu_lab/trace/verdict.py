"""The verdict on a compiled run: is its loop in effect, on which data, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from npu_lab._texts import text
from npu_lab.diagnostics import Diagnostic

IN_EFFECT = "in effect"
NOT_IN_EFFECT = "not in effect"
NOT_EFFECTIVE = "built, not effective"
BAD = (IN_EFFECT, NOT_EFFECTIVE, NOT_IN_EFFECT)  # the later the worse


@dataclass
class Verdict:
    """One for every compiled run of a session.

    `fetches` are operation names, sorted.  `option` is the session's N, `loaded` what
    the loaded count stands for.  `calls` and `iterations` are counted as the run is
    used; `data` is ``fresh``, ``repeated`` or ``none``.  `messages` holds the
    documented compiled-model lines of its graphs; `graph` tells user graphs apart.
    """

    fetches: tuple[str, ...]
    trains: bool
    iteration_op: bool
    option: int
    loaded: int | None
    state: str
    data: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    calls: int = 0
    iterations: int = 0
    messages: list[str] = field(default_factory=list)
    graph: int = 0

    @property
    def in_effect(self) -> bool:
        """Whether a host call advances the step by more than one."""
        return self.state == IN_EFFECT

    @property
    def iterations_per_loop(self) -> int:
        """Steps of one call: the loaded count while the loop is in effect, else N."""
        return self.loaded if self.in_effect and self.loaded else self.option

    @property
    def because(self) -> str:
        """The reasons, a sentence each; empty when there is nothing to say."""
        return " ".join(d.message for d in self.diagnostics)

    @property
    def mend(self) -> str:
        """What to do, a sentence or two for each reason."""
        return " ".join(d.mend for d in self.diagnostics)

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report's ``loops``."""
        return {
            "fetches": list(self.fetches),
            "iterations_per_loop": self.iterations_per_loop,
            "in_effect": self.in_effect,
            "data": self.data,
            "diagnostics": [d.as_dict() for d in self.diagnostics],
        }

    def __str__(self) -> str:
        head = text(
            "verdict",
            fetches=", ".join(self.fetches),
            state=text(self.state),
            n=self.iterations_per_loop,
            data=text(self.data),
        )
        return "\n".join([head, *(f"  {d}" for d in self.diagnostics)])


def loops(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """One verdict for each (graph, fetches) that trains or holds IterationOp.

    The same fetches with other feeds, or in another session of the same graph, are one
    entry: the worst of them, with the diagnostics of all.
    """
    found: dict[tuple[int, tuple[str, ...]], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.trains or verdict.iteration_op:
            found.setdefault((verdict.graph, verdict.fetches), []).append(verdict)
    return [_joined(same) for same in found.values()]


def _joined(same: list[Verdict]) -> Verdict:
    worst = max(same, key=lambda verdict: BAD.index(verdict.state))
    diagnostics = {d.text(): d for verdict in same for d in verdict.diagnostics}
    return replace(
        worst,
        diagnostics=list(diagnostics.values()),
        calls=sum(verdict.calls for verdict in same),
        iterations=sum(verdict.iterations for verdict in same),
        messages=[line for verdict in same for line in verdict.messages],
    )
