"""The core stays small enough to be read in an evening, and so does each module."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from tests.project.tree import PACKAGE, ROOT, modules

_spec = importlib.util.spec_from_file_location("size", ROOT / "tools" / "size.py")
size = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(size)

# Lines of code in the parts of the core, without tables and the lessons' own material.
# What one must read to understand the device is device, trace and hostlog.
DEVICE_LINES = 3850
PART_LINES = {
    "device": 2720,
    "trace": 390,
    "hostlog": 760,
    "datasets": 560,
    "bridge": 1710,
    "tf1": 680,
    "tf1/estimator": 2300,
    "lab": 2750,
    "(top)": 2020,
}
MODULE_LINES = 400
# It is copied to real machines as one file.
LONGER = {"hostlog/reader.py": 600}


def test_only_code_is_counted():
    source = '"""What.\n\nMore."""\n\nimport os\n# why\ndef f():\n    """Do."""\n'
    source += "    return (1,\n\n  2)  # pair\n"
    assert size.code_lines(source) == 4


def test_each_part_of_the_core_stays_under_its_size():
    counted = size.sizes()
    assert set(size.TABLES) <= set(counted)
    parts = size.parts(counted)
    assert parts.keys() == PART_LINES.keys()
    too_long = {name: n for name, n in parts.items() if n > PART_LINES[name]}
    assert not too_long, "\n".join(size.report(counted))
    assert sum(parts[name] for name in ("device", "trace", "hostlog")) < DEVICE_LINES


def test_the_report_shows_every_module_and_the_totals():
    lines = list(size.report({"plan.py": 7, "cli.py": 9, "_texts.py": 3}))
    assert lines == [
        "core: 16 lines in 2 modules",
        "     16  in (top)",
        "      9  cli.py",
        "      7  plan.py",
        "table: 3 lines in 1 modules",
        "      3  _texts.py",
    ]


@pytest.mark.parametrize(
    "path", modules(extras=True), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_a_module_can_be_seen_whole(path: Path):
    name = path.relative_to(PACKAGE).as_posix()
    if size.kind(name) != "table":
        allowed = LONGER.get(name, MODULE_LINES)
        assert len(path.read_text("utf-8").splitlines()) <= allowed


@pytest.mark.parametrize("name", size.TABLES)
def test_a_table_is_nearly_all_data(name):
    source = (PACKAGE / name).read_text("utf-8")
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    behaviour = sum(node.end_lineno - node.lineno + 1 for node in functions)
    assert behaviour <= len(source.splitlines()) / 10
