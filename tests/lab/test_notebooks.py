from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from npu_lab.lab import record, reset


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_reset_brings_the_clean_notebook_and_keeps_the_old_one(folder: Path) -> None:
    target = folder / "00_start_here.ipynb"
    target.write_text("mine")
    record.note("exercises", "00/x", "wrong")
    record.note("exercises", "01/x", "wrong")
    said = reset("00_start_here")
    (backup,) = folder.glob("00_start_here.ipynb.*.bak")
    assert backup.read_text() == "mine"
    assert backup.name in said
    assert "Reload Notebook from Disk" in said
    assert "Removed from the progress: 1." in said
    assert record.read("exercises") == {"01/x": "wrong"}
    lesson = nbformat.read(target, as_version=4)
    nbformat.validate(lesson)
    assert lesson.cells[0].source.startswith("# Start here")
    assert not any(cell.get("outputs") for cell in lesson.cells)


def test_reset_follows_the_language(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    assert "已放入一份" in reset("00_start_here")
    lesson = nbformat.read(folder / "00_start_here.ipynb", as_version=4)
    assert lesson.cells[0].source.startswith("# 从这里开始")


def test_reset_of_an_unknown_lesson_changes_nothing(folder: Path) -> None:
    before = sorted(folder.iterdir())
    with pytest.raises(KeyError, match="there are: 00_start_here"):
        reset("00")
    assert sorted(folder.iterdir()) == before
