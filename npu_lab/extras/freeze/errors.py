"""The error of this extra."""

from __future__ import annotations

from collections.abc import Sequence

from npu_lab.extras.freeze._texts import text


class FreezeError(ValueError):
    """A graph cannot be frozen, or run frozen; the text says why, and how to mend it.

    Nothing has been written.  `key` is the row of the table of texts.
    """

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(text(key, **facts))
        self.key = key

    @classmethod
    def joined(cls, errors: Sequence[FreezeError]) -> FreezeError:
        """The first of `errors`, with the texts of all, a line each."""
        first = errors[0]
        first.args = ("\n".join(map(str, errors)),)
        return first
