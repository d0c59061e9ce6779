"""A notebook's code cells as one module, and that module back in the cells.

Magics are set aside as comments while the module is looked at. A cell that is no
Python, or that a cell magic hands to another language, is left out of the module.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from npu_lab.extras.source import reading
from npu_lab.extras.source.places import Place
from npu_lab.extras.source.reading import Source, Unreadable

_MARK = "#npu-lab-cell:"
_ASIDE = "#npu-lab-line:"
# Cell magics whose cell is Python all the same.
_PYTHON = re.compile(r"%%(time|timeit|capture|prun|python3?)\b")
# `%` and `!=` may also begin a line that goes on with an expression.
_MAGIC = re.compile(
    r"^(?P<indent>\s*)(?P<magic>%%?[A-Za-z_].*|!(?!=).*|\?{1,2}[\w%].*|[\w.]+\?{1,2}\s*)$"
)
_ASSIGNED = re.compile(r"^(?P<left>\s*[\w, .\[\]'\"]+=\s*)(?P<magic>[%!].*)$")
_RESTORED = re.compile(rf"^(\s*)(pass  )?{_ASIDE}(?P<line>.*)$", re.MULTILINE)
_RESTORED_VALUE = re.compile(rf"None  {_ASIDE}(?P<line>.*)$", re.MULTILINE)
_FORMATS: tuple[dict[str, Any], ...] = tuple(
    {"indent": indent, "ensure_ascii": ascii_only, "separators": separators}
    for indent, separators in (
        (1, None), (2, None), (3, None), (4, None), (0, None), ("\t", None),
        (None, None),
        (None, (",", ":")),
    )
    for ascii_only in (False, True)
)  # fmt: skip


@dataclass
class Notebook:
    """A notebook that can be written back; `unread` are cell, line, reason, detail."""

    source: Source
    content: dict[str, Any]
    style: dict[str, Any]
    end: str
    unread: list[tuple[int, int, str, str]] = field(default_factory=list)
    _starts: list[tuple[int, int]] = field(default_factory=list)  # line, cell
    _texts: dict[int, str] = field(default_factory=dict)

    @classmethod
    def read(cls, data: bytes) -> Notebook:
        """The notebook in the bytes of a file.

        Raises:
            Unreadable: there is none.
        """
        bom = data.startswith(reading.BOM)
        try:
            text = data.removeprefix(reading.BOM).decode("utf-8")
            content = json.loads(text)
            cells = content["cells"]
            assert all("cell_type" in cell for cell in cells)  # noqa: S101
        except (ValueError, LookupError, TypeError, AssertionError) as problem:
            detail = str(problem) or "no cells"
            raise Unreadable("not a notebook", 1, detail) from problem
        except RecursionError as problem:
            raise Unreadable("too deep") from problem
        end = text[len(text.rstrip()) :]
        for style in _FORMATS:
            if json.dumps(content, **style) == text.rstrip():
                break
        else:
            style = {"indent": 1, "ensure_ascii": False}
        return cls(Source(text, "utf-8", bom), content, style, end)

    def joined(self) -> str:
        """The Python of all cells, each after a comment that marks it."""
        parts, line = [], 1
        for number, cell in enumerate(self.content["cells"], 1):
            if cell["cell_type"] != "code":
                continue
            text = _source(cell)
            self._texts[number] = text
            module = self._as_python(number, text)
            if module is None:
                continue
            part = f"{_MARK}{number}\n{module}\n"
            self._starts.append((line, number))
            line += part.count("\n")
            parts.append(part)
        return "".join(parts)

    def _as_python(self, number: int, text: str) -> str | None:
        """The cell with its magics set aside, None where it is no Python."""
        problem = reading.problem_of(text)
        if problem is None:
            return text
        if text.lstrip().startswith("%%") and not _PYTHON.match(text.lstrip()):
            return None
        aside = _without_magics(text)
        problem = reading.problem_of(aside)
        if problem is None:
            return aside
        self.unread.append((number, problem.line or 1, problem.reason, problem.detail))
        return None

    def place(self, place: Place) -> Place:
        """Where a place of the joined text stands in the notebook."""
        at = bisect_right(self._starts, (place.line, 10**9)) - 1
        if at < 0:
            return place
        start, cell = self._starts[at]
        return Place(place.path, max(place.line - start, 1), place.column, cell)

    def written(self, joined: str) -> bytes:
        """The file with its cells as `joined` now has them; nothing else changes."""
        before, *parts = re.split(rf"^{_MARK}(\d+)\n", joined, flags=re.MULTILINE)
        for at in range(0, len(parts), 2):
            number, text = int(parts[at]), parts[at + 1].removesuffix("\n")
            text = _RESTORED.sub(lambda m: m[1] + m["line"], text)
            text = _RESTORED_VALUE.sub(lambda m: m["line"], text)
            text, before = before + text, ""
            if text != self._texts[number]:
                cell = self.content["cells"][number - 1]
                as_lines = isinstance(cell["source"], list)
                cell["source"] = text.splitlines(keepends=True) if as_lines else text
        dumped = json.dumps(self.content, **self.style)
        return self.source.encode(dumped + self.end)


def _source(cell: dict[str, Any]) -> str:
    given = cell.get("source", "")
    return "".join(given) if isinstance(given, list) else str(given)


def _without_magics(text: str) -> str:
    """The text with its magics, each with the lines it goes on in, as comments."""
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        aside = f"{indent}{_ASIDE}{line.lstrip()}" if goes_on else _set_aside(line)
        goes_on = aside != line and line.endswith("\\")
        lines.append(aside)
    return "\n".join(lines)


def _set_aside(line: str) -> str:
    magic = _MAGIC.match(line)
    if magic is not None:
        indent = magic["indent"]
        return f"{indent}{'pass  ' if indent else ''}{_ASIDE}{line[len(indent) :]}"
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        return f"{assigned['left']}None  {_ASIDE}{assigned['magic']}"
    return line
