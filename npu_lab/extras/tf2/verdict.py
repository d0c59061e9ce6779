"""The verdict on a `tf.function`: its mode beside what a session's verdict has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npu_lab.extras.tf2._texts import text
from npu_lab.trace import Verdict


@dataclass
class FunctionVerdict(Verdict):
    """One for every graph of a `tf.function`.

    `mode` is NPU_LOOP, HOST_LOOP, BUILTIN_LOOP or NO_LOOP; `asked` the passes that the
    While asks for itself, where that is known; `batches` those taken on the device.
    `option` is the loop size of the last call, `messages` the lines of the last call.
    """

    mode: str = "NO_LOOP"
    asked: int | None = None
    batches: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report's ``loops``, with the mode."""
        return {**super().as_dict(), "mode": self.mode}

    def __str__(self) -> str:
        head, *rest = super().__str__().split("\n")
        return "\n".join([text("verdict", head=head, mode=self.mode), *rest])
