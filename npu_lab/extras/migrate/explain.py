"""Says what a rule does: its trigger, an example, the reason, the source."""

from __future__ import annotations

from npu_lab.extras.migrate._texts import pick, text
from npu_lab.extras.migrate.rules import RULES


def explain(name: str) -> str:
    """The rule's card.

    Raises:
        KeyError: there is no such rule; the message names those there are.
    """
    rule = RULES.get(name.upper())
    if rule is None:
        raise KeyError(text("no rule", rule=name, rules=" ".join(sorted(RULES))))
    modes = f"  (-d {' | '.join(rule.modes)})" if rule.modes else ""
    return "\n".join(
        [
            f"{rule.id}{modes}: {rule.trigger}",
            pick(rule.reason),
            "",
            *(f"- {line}" for line in rule.before.splitlines()),
            *(f"+ {line}" for line in rule.after.splitlines()),
            "",
            pick(rule.source),
        ]
    )
