"""What the checker found: a diagnostic, its place, and whether it is sure."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.check.values import Value, shown
from npu_lab.extras.check.world import Where
from npu_lab.extras.source.places import Place


@dataclass(frozen=True)
class Finding:
    """A diagnostic at a place; `possible` where the program does not tell all.

    `lines` are those of the text, first and last, on which a comment may silence it.
    """

    diagnostic: Diagnostic
    place: Place
    lines: range
    possible: bool = False

    @property
    def code(self) -> str:
        """The code of its diagnostic."""
        return self.diagnostic.code

    @property
    def fails(self) -> bool:
        """Whether a continuous-integration run should stop: sure, and not for info."""
        return not self.possible and self.diagnostic.severity != "info"


def found(
    code: str, where: Where | None, *, sure: bool = True, **facts: object
) -> Finding:
    """A finding of `code` at a place; values are shown as the program writes them."""
    node = ast.Pass() if where is None else where.node
    first = getattr(node, "lineno", 1)
    last = getattr(node, "end_lineno", None) or first
    rendered = {
        name: shown(fact) if isinstance(fact, Value) else fact
        for name, fact in facts.items()
    }
    place = Place("", first, getattr(node, "col_offset", 0) + 1)
    lines = range(first, last + 1)
    return Finding(diagnose(code, **rendered), place, lines, possible=not sure)


def once(findings: Iterable[Finding]) -> list[Finding]:
    """Each place and code once, sure before possible, in the order of the program."""
    best: dict[tuple[Place, str], Finding] = {}
    for one in findings:
        key = (one.place, one.code)
        if key not in best or (best[key].possible and not one.possible):
            best[key] = one
    return [best[key] for key in sorted(best)]
