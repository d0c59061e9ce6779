from __future__ import annotations

from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("name", "lesson"),
    [("05", "05_it_did_not_sink"), ("05b", "05b_more_cases"), ("03_m", "03_mnist")],
)
def test_reset_takes_a_number_or_a_beginning_of_one_lesson(
    folder: Path, name: str, lesson: str
) -> None:
    reset(name)
    (made,) = folder.iterdir()
    assert made.name.startswith(lesson)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("names", [(), ("77",), ("0",), (3,)])
def test_reset_without_one_lesson_lists_them_and_changes_nothing(
    folder: Path, names: Any, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    says = {"en": "there are: 00_start_here", "zh": "现有：00_start_here"}
    with pytest.raises(KeyError, match=says[language]):
        reset(*names)
    assert not list(folder.iterdir())
