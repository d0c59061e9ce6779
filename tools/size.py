"""Print how large the core is, a line for each module.

    python tools/size.py

Counted are lines of code: no blank lines, comments or docstrings. Tables (modules that
are data) and the lessons' own material are listed, but are not in the core's total.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "npu_lab"
# Modules that are a table of data, not code to be read.
TABLES = (
    "_texts.py",
    "_diagnostic_texts.py",
    "bridge/later_names.py",
    "bridge/run_config_table.py",
    "device/option_table.py",
    "extras/migrate/_texts.py",
    "lab/_texts.py",
    "tf1/absent_names.py",
)
# Pictures that one lesson shows.
PICTURES = ("lab/keyword_lines.py", "lab/two_loops.py")
KINDS = ("core", "table", "lesson", "extra")
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """How many lines of `source` hold code."""
    texts: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - texts)


def kind(name: str) -> str:
    """What a module, a path below the package, is counted as."""
    if name in TABLES:
        return "table"
    if name.startswith("lab/lessons/") or name in PICTURES:
        return "lesson"
    return "extra" if name.startswith("extras/") else "core"


def sizes(package: Path = PACKAGE) -> dict[str, int]:
    """The lines of code of each module of the package."""
    return {
        path.relative_to(package).as_posix(): code_lines(path.read_text("utf-8"))
        for path in sorted(package.rglob("*.py"))
        if "__pycache__" not in path.parts
    }


def part(name: str) -> str:
    """The part of the core a module belongs to: its folder, or "(top)"."""
    folder, _, rest = name.partition("/")
    if not rest:
        return "(top)"
    return "tf1/estimator" if name.startswith("tf1/estimator/") else folder


def parts(counted: dict[str, int]) -> dict[str, int]:
    """The lines of each part of the core, the longest first."""
    found: dict[str, int] = {}
    for name, lines in counted.items():
        if kind(name) == "core":
            found[part(name)] = found.get(part(name), 0) + lines
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def report(counted: dict[str, int]) -> Iterable[str]:
    """The lines of the report: modules by kind and size, totals."""
    for one in KINDS:
        of_kind = {n: lines for n, lines in counted.items() if kind(n) == one}
        if not of_kind:
            continue
        yield f"{one}: {sum(of_kind.values())} lines in {len(of_kind)} modules"
        if one == "core":
            yield from (
                f"  {lines:5}  in {name}" for name, lines in parts(of_kind).items()
            )
        for name, lines in sorted(of_kind.items(), key=lambda item: -item[1]):
            yield f"  {lines:5}  {name}"


if __name__ == "__main__":
    print("\n".join(report(sizes())))
