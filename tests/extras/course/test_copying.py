from __future__ import annotations

import json
from pathlib import Path

import pytest

from npu_lab import lesson
from npu_lab.extras.course import command, copying


def test_every_lesson_is_there_in_both_languages(tmp_path: Path, capsys) -> None:
    assert command.main([str(tmp_path / "new" / "c"), "--no-open"]) == 0
    there = {p.relative_to(tmp_path) for p in tmp_path.rglob("*.ipynb")}
    course = Path("new", "c", "notebooks")
    names = [f"{name}.ipynb" for name in [*lesson.pages(), *lesson.names()]]
    assert "index.ipynb" in names
    assert there == {course / n for n in names} | {course / "zh" / n for n in names}
    assert f"{2 * len(names)} notebooks written" in capsys.readouterr().out


def test_they_hold_no_outputs_and_each_its_language(tmp_path: Path) -> None:
    written, kept = copying.copy(tmp_path)
    assert written
    assert not kept
    for path in written:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert not any(cell.get("outputs") for cell in cells)
        other = "English" if path.parent.name == "zh" else "中文"
        assert f"[{other}](" in "".join(cells[0]["source"])


def test_what_the_learner_has_is_kept(tmp_path: Path) -> None:
    first, *_ = copying.copy(tmp_path)[0]
    first.write_text("mine", "utf-8")
    first.with_name("notes.ipynb").write_text("mine too", "utf-8")
    written, kept = copying.copy(tmp_path)
    assert not written
    assert first in kept
    assert first.read_text("utf-8") == "mine"
    assert first.with_name("notes.ipynb").read_text("utf-8") == "mine too"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_place_that_is_none(tmp_path: Path, capsys, place: str) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert command.main([str(tmp_path / place), "--no-open"]) == 1
    assert "cannot be written" in capsys.readouterr().err
