"""The code of a lesson as a plain script, for the real machine.

Cells with the tag `export` are joined. Magics are left out, and every statement that
names what only the lab has, so the script imports nothing of npu_lab. Of cells that
write files one script is made, too: what one of them imports of another stands above.
"""

from __future__ import annotations

import ast
import re

from npu_lab import lesson, modes
from npu_lab._texts import text
from npu_lab.language import current

TAG = "export"
_MAGIC = re.compile(r"^[ \t]*[%!].*\n?", re.MULTILINE)
_WRITTEN = re.compile(r"^%%writefile .*?(\w+)\.py$", re.MULTILINE)
_OF_THE_LAB = {"npu_lab", "lab", "display", "____"}


def export(name: str) -> str:
    """The script of the lesson `name`, with comments in the current language.

    Raises:
        KeyError: there is no such lesson; the text lists those there are.
        ValueError: none of its cells is to be exported.
    """
    sources = [cell.source[current()] for cell in lesson.read(name) if TAG in cell.tags]
    left_out = _OF_THE_LAB.union(*map(_WRITTEN.findall, sources))
    parts = [part for source in sources if (part := _plain(source, left_out))]
    if not parts:
        raise ValueError(text("nothing to export", lesson=name))
    wanted = text(f"exported {modes.of_program(chr(10).join(parts))}")
    told = text("exported", lesson=name, tensorflow=wanted)
    head = [f"# {line}".rstrip() for line in told.splitlines()]
    return "\n\n\n".join(["\n".join(head), *parts]) + "\n"


def _plain(source: str, left_out: set[str]) -> str:
    """Source without magics and without the statements that name what is left out."""
    source = _MAGIC.sub("", source)
    lines = source.splitlines()
    for statement in ast.parse(source).body:
        if _names(statement) & left_out:
            for number in range(statement.lineno - 1, statement.end_lineno or 0):
                lines[number] = ""
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()


def _names(statement: ast.stmt) -> set[str]:
    """All names in a statement; of an import, what is imported and from where."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found
