"""The rules of the sunk loop: each looks at the events of one program."""

from __future__ import annotations

from collections.abc import Iterator

from npu_lab.extras.check.findings import Finding
from npu_lab.extras.check.rules import data, estimators, loops, options, setters
from npu_lab.extras.check.rules.rule import Rule
from npu_lab.extras.check.world import World

RULES: tuple[Rule, ...] = (
    *setters.RULES,
    *loops.RULES,
    *options.RULES,
    *data.RULES,
    *estimators.RULES,
)


def findings(world: World) -> Iterator[Finding]:
    """What all rules find."""
    for rule in RULES:
        yield from rule.look(world)
