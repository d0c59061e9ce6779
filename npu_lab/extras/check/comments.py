"""Comments that silence a finding: `# npu-lab: ignore[SINK004] one batch is meant`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from npu_lab.extras.check.findings import Finding

_IGNORE = re.compile(r"#\s*npu-lab:\s*ignore\[([A-Za-z0-9,\s]*)\][\s:-]*(.*)")


class Comments:
    """The ignore comments of a text.

    A comment counts for its line, and alone on its line for the one below. It needs a
    reason; the lines of those without one are in `without_reason`: they silence
    nothing.
    """

    def __init__(self, text: str) -> None:
        self._codes: dict[int, set[str]] = {}
        reasonless: list[int] = []
        for line, comment, alone in _comments(text):
            said = _IGNORE.search(comment)
            if said is None:
                continue
            if not said[2].strip():
                reasonless.append(line)
                continue
            codes = {code.strip().upper() for code in said[1].split(",")}
            self._codes.setdefault(line + alone, set()).update(codes)
        self.without_reason = tuple(reasonless)

    def ignores(self, finding: Finding) -> bool:
        """Whether a comment silences the finding."""
        return any(finding.code in self._codes.get(line, ()) for line in finding.lines)


def _comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether nothing else is on the line."""
    if "npu-lab:" not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            yield token.start[0], token.string, alone
