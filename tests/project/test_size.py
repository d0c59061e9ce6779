"""The core stays small enough to be read in an evening, and so does each module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.project.tree import PACKAGE, modules

# Statements, docstrings and imports apart: how a line is broken does not count. The
# aim is 3,500; the formatter makes about two lines of a statement.
CORE_STATEMENTS = 3700
MODULE_LINES = 400
# Modules that are a table of data, not code to be read.
TABLES = [
    "_texts.py",
    "_diagnostic_texts.py",
    "device/option_table.py",
    "lab/_texts.py",
    "tf1/absent_names.py",
]
# It is copied to real machines as one file.
LONGER = {"hostlog/reader.py": 600}


def statements(source: str) -> int:
    """How many statements there are, but imports and bare texts."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    return sum(
        not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in nodes
    )


def test_only_statements_are_counted():
    source = '"""What.\n\nMore."""\n\nimport os\n# why\ndef f():\n    """Do."""\n'
    source += "    return (1,\n  2)\n"
    assert statements(source) == 2


def test_the_core_stays_under_its_size():
    tables = {PACKAGE / name for name in TABLES}
    counted = {
        path.relative_to(PACKAGE).as_posix(): statements(path.read_text("utf-8"))
        for path in modules()
        if path not in tables
    }
    assert sum(counted.values()) < CORE_STATEMENTS, counted


@pytest.mark.parametrize(
    "path", modules(extras=True), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_a_module_can_be_seen_whole(path: Path):
    name = path.relative_to(PACKAGE).as_posix()
    if name not in TABLES:
        allowed = LONGER.get(name, MODULE_LINES)
        assert len(path.read_text("utf-8").splitlines()) <= allowed


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_nearly_all_data(name):
    source = (PACKAGE / name).read_text("utf-8")
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    behaviour = sum(node.end_lineno - node.lineno + 1 for node in functions)
    assert behaviour <= len(source.splitlines()) / 10
