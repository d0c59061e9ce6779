"""What the migration says of one place, and the options it works under."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from npu_lab.extras.source.places import Place

# changed: rewritten. warning: rewritten or kept, and the meaning may differ from what
# the author expects. hand: left as it was, and somebody must decide. info: no action.
Level = Literal["changed", "warning", "hand", "info"]
LEVELS: tuple[Level, ...] = ("hand", "warning", "changed", "info")
Mode = Literal["", "horovod", "tf_strategy"]
Profile = Literal["auto", "manual"]


@dataclass(frozen=True)
class Options:
    """How to migrate; `main` is the path of the main script below the input."""

    mode: Mode = ""
    compat: bool = False
    tf: int = 1
    main: str = ""
    profile: Profile = "auto"
    loop: int = 1
    local: frozenset[str] = frozenset()
    keras_trains: bool = False
    horovod_refused: str = ""
    imported: frozenset[str] = frozenset()  # files that others may import
    no_entry: str = ""  # TensorFlow 2: a file, when none shows where things start

    @property
    def tf1(self) -> bool:
        """Whether the rules for TensorFlow 1 hold."""
        return self.tf == 1 or self.compat


@dataclass
class Finding:
    """One line of the report; `reason` is a key of the texts or a rule's own."""

    rule: str
    level: Level
    place: Place
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)
    before: str = ""
    after: str = ""
