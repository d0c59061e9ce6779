"""A lesson as a plain script does under `npu-lab run` what the lesson says."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab import export, lesson
from npu_lab.lab import lessons

DATA = Path(__file__).parents[2] / "data"
EXPORTED = [
    name
    for name in lesson.names()
    if hasattr(lessons.of(name.partition("_")[0]), "LEDGER")
]


def test_every_lesson_with_cells_to_export_says_what_its_script_does() -> None:
    tagged = [
        name
        for name in lesson.names()
        if any(export.TAG in c.tags for c in lesson.read(name) if c.name != "setup")
    ]
    assert tagged == EXPORTED


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTED)
def test_the_script_gets_the_ledger_of_the_lesson(name: str, tmp_path: Path) -> None:
    script, report = tmp_path / "script.py", tmp_path / "report.json"
    (tmp_path / "data").symlink_to(DATA)  # as in a clone: pictures are read from it
    program = [sys.executable, "-m", "npu_lab"]
    subprocess.run([*program, "export", name, "-o", script], check=True)
    source = script.read_text("utf-8")
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(source, feature_version=(3, 7)))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in [getattr(node, "module", None) or node.names[0].name]
    }
    assert "npu_lab" not in imported
    assert "tensorflow" in imported
    assert 'os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = "1"' in source
    command = [*program, "run", "--report", report, script]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(report.read_text("utf-8"))
    wanted = lessons.of(name.partition("_")[0]).LEDGER
    assert {key: figures[key] for key in wanted} == wanted
