"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from npu_lab.extras.check.findings import Finding
from npu_lab.extras.check.world import World


@dataclass(frozen=True)
class Rule:
    """One kind of misuse.

    Attributes:
        codes: the diagnostics it may give.
        trigger: what in a program sets it off.
        source: where the fact behind it comes from.
        look: finds it in a program.
    """

    codes: tuple[str, ...]
    trigger: str
    source: str
    look: Callable[[World], Iterator[Finding]]
