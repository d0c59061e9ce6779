"""Which operators of a session compute in a reduced precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from npu_lab.device.options import SessionOptions
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.tuning.precision import saturation
from npu_lab.extras.tuning.precision.lists import Lists
from npu_lab.extras.tuning.precision.quiet import hush
from npu_lab.extras.tuning.precision.table import KEEP, MODES, MODES_V2, OPERATORS, Mode

WIDE = "float32"


class Choice(NamedTuple):
    """The types that an operator takes its floating inputs in, and gives outputs in.

    The last of each counts for all further ones.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def input(self, number: int) -> str:
        """The type of an input, by its number."""
        return self.inputs[min(number, len(self.inputs) - 1)]

    def output(self, number: int) -> str:
        """The type of an output, by its number."""
        return self.outputs[min(number, len(self.outputs) - 1)]


ORIGIN = Choice((WIDE,), (WIDE,))


@dataclass
class Policy:
    """What the options of one session ask for; `notes` are what is to be said of it."""

    mode: Mode = KEEP
    lists: Lists = field(default_factory=Lists)
    saturates: bool = False
    notes: list[Diagnostic] = field(default_factory=list)

    @classmethod
    def of(cls, options: SessionOptions) -> Policy:
        """Read it, and the files that the options name.

        Raises:
            tf.errors.InternalError: one of the files is wrong.
        """
        policy = cls(saturates=not saturation.is_inf_nan_enabled())
        first, second = options["precision_mode"], options["precision_mode_v2"]
        modes, given = (MODES, first) if first else (MODES_V2, second)
        if given and given not in modes:
            policy.notes.append(diagnose("SINK062", mode=given))
        policy.mode = modes.get(str(given), KEEP)
        if options["modify_mixlist"]:
            policy.lists.read_mixlist(str(options["modify_mixlist"]))
        if options["customize_dtypes"]:
            policy.lists.read_dtypes(str(options["customize_dtypes"]))
        if policy.lists.unknown and policy.active:
            unknown = sorted(policy.lists.unknown)
            policy.notes.append(diagnose("SINK063", names=unknown))
        if policy.active:
            hush()
        return policy

    @property
    def active(self) -> bool:
        """Whether a mode is on that changes numbers."""
        return self.mode is not KEEP

    def choice(self, node: Any, name: str, before: Sequence[str]) -> Choice:
        """The types of an operator of the table.

        Args:
            node: its definition.
            name: as the user knows it.
            before: what its floating inputs were computed in, "" for what was not
                computed, such as variables and constants.
        """
        kept = "_keep_dtype" in node.attr and node.attr["_keep_dtype"].i
        if not self.active or kept:
            return ORIGIN
        asked = self.lists.by_name.get(name) or self.lists.by_type.get(node.op)
        if asked is not None:
            return Choice(asked.inputs or (WIDE,), asked.outputs or (WIDE,))
        if not self._reduces(node.op, before):
            return ORIGIN
        given = WIDE if self.mode.wide else self.mode.type
        return Choice((self.mode.type,), (given,))

    def _reduces(self, kind: str, before: Sequence[str]) -> bool:
        if self.mode.reduced == "lists":
            listed = self.lists.list_of(kind)
            follows = self.mode.type in before and WIDE not in before
            return listed == "white" or (listed == "grey" and follows)
        return self.mode.reduced == "all" or OPERATORS[kind].unit == "cube"
