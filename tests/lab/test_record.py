from __future__ import annotations

import json
from pathlib import Path

import pytest

from npu_lab.lab import progress, record


def test_it_is_one_readable_file_in_the_users_place(data: Path) -> None:
    record.note("exercises", "00/x", "right")
    path = data / "npu_lab" / "progress.json"
    assert record.path() == path
    assert json.loads(path.read_text("utf-8")) == {"exercises": {"00/x": "right"}}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("given", ["", "relative/folder"])
def test_without_a_place_it_is_in_the_home(
    given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert record.path() == tmp_path / ".local/share/npu_lab/progress.json"


def test_deleting_the_file_forgets_all() -> None:
    record.note("exercises", "00/x", "right")
    record.path().unlink()
    assert record.read("exercises") == {}


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"exercises": 3}', "\xff"])
def test_a_damaged_file_counts_as_none_and_is_mended(content: str) -> None:
    record.path().parent.mkdir(parents=True)
    record.path().write_bytes(content.encode("latin-1"))
    assert record.read("exercises") == {}
    record.note("exercises", "00/x", "right")
    assert record.read("exercises") == {"00/x": "right"}


def test_where_it_cannot_be_written_it_lasts_as_long_as_the_kernel(
    data: Path,
) -> None:
    data.write_text("a file where the folder should be")
    record.note("predictions", "00/x", 5)
    assert record.read("predictions") == {"00/x": 5}
    data.unlink()
    record.note("predictions", "00/y", 6)  # now it can be
    stored = json.loads(record.path().read_text("utf-8"))
    assert stored == {"predictions": {"00/x": 5, "00/y": 6}}
    record.path().unlink()
    assert record.read("predictions") == {}


def test_nothing_is_written_when_there_is_nothing_to_take_back() -> None:
    record.note("predictions", "00/x", None)
    assert not record.path().exists()


def test_what_was_noted_last_comes_last() -> None:
    for name in ("00/x", "01/x", "00/x"):
        record.note("exercises", name, "right")
    assert list(record.read("exercises")) == ["01/x", "00/x"]
    record.note("exercises", "00/x", None)
    assert list(record.read("exercises")) == ["01/x"]


def test_one_lesson_is_forgotten_and_the_others_stay() -> None:
    for name in ("00/a", "00/b", "05/a", "05b/a"):
        record.note("exercises", name, "right")
    assert record.forget("05") == 1
    assert record.forget("05") == 0
    assert sorted(record.read("exercises")) == ["00/a", "00/b", "05b/a"]


def test_progress_has_a_row_for_each_lesson() -> None:
    record.note("exercises", "00/number_and_square", "right")
    record.note("questions", "00/loss", "a")
    record.note("predictions", "00/x", 5)
    record.note("exercises", "00/gone_from_the_course", "right")
    shown = progress()
    assert shown.rows[0] == ("00_start_here", "1/1", "1/3", "1")
    assert str(record.path()) in str(shown)
    assert "delete it" in str(shown)
