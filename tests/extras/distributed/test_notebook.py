"""Ranks that a notebook starts: what is shown of them, and of those that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab.extras.distributed.launcher import Job, Rank
from npu_lab.extras.distributed.notebook import Ran, call_table, fresh_folder

LOOP = {"in_effect": True, "iterations_per_loop": 10}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def job(folder: Path, *logs: str, failed: int | None = None, calls: int = 10) -> Job:
    """A job that has ended, with a rank for each log."""
    ranks = []
    for number, text in enumerate(logs):
        log = folder / f"rank_{number}.log"
        log.write_text(text, "utf-8")
        report = {"batches_pulled": 100, "loops": [LOOP]}
        status = int(number == failed)
        ranks.append(Rank(number, status, False, 100, calls, report, log, None))
    first = None if failed is None else ranks[failed]
    message = f"rank {failed} failed first"
    return Job(tuple(ranks), first, None, message, 1.0, folder)


def test_a_row_for_each_rank_and_what_they_printed(tmp_path: Path) -> None:
    ran = Ran(job(tmp_path, "noise\nrank 0 after 1 2\n", "rank 1 after 3 4\nnoise\n"))
    header, first, second, caption, *lines = str(ran).splitlines()
    assert header.split()[:2] == ["rank", "ended"]
    assert first.split() == ["0", "ok", "10", "100", "100", "in", "effect"]
    assert second.split()[:2] == ["1", "ok"]
    assert caption.startswith("Counted by each process")
    assert lines == ["rank 0 after 1 2", "rank 1 after 3 4"]
    assert "rank 1 after 3 4" in ran.html
    assert "noise" not in ran.html


def test_numbers_are_read_behind_a_word(tmp_path: Path) -> None:
    ran = Ran(job(tmp_path, "rank 0 w 1.5 -2\nrank 0 w 2 3\n", "rank 1 w 4 5\n"))
    assert [values.tolist() for values in ran.values("w")] == [[2, 3], [4, 5]]
    with pytest.raises(KeyError, match="Rank 0 has printed no line"):
        ran.values("after")


def test_the_first_failure_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    ran = Ran(job(tmp_path, "rank 0 begins\n", "first\nValueError: x\n", failed=1))
    text = str(ran)
    assert "status 1" in text
    told = text[text.index("rank 0 begins") :].splitlines()
    assert told[1:] == [
        "rank 1 failed first",
        "The end of the log of rank 1:",
        "first",
        "ValueError: x",
    ]


def test_a_rank_that_left_nothing(tmp_path: Path) -> None:
    log = tmp_path / "rank_0.log"
    rank = Rank(0, None, False, 0, 0, None, log, None)
    ran = Ran(Job((rank,), rank, None, "rank 0 was not started", 1.0, tmp_path))
    row = str(ran).splitlines()[1]
    assert row.startswith("   0  never started") or "0" in row
    assert row.endswith("-")
    assert "rank 0 was not started" in str(ran)


def test_calls_are_predicted_planned_and_counted(tmp_path: Path) -> None:
    runs = {n: Ran(job(tmp_path, "", "", calls=100 // n)) for n in (1, 10)}
    rows = call_table(runs, 100, {1: 150.0, 10: 20.0}).rows
    assert rows == (
        ("1", "150", "200", "100", "100", "200"),
        ("10", "20", "20", "10", "10", "20"),
    )
    assert [row[1] for row in call_table(runs, 100).rows] == ["-", "-"]


def test_a_folder_is_made_anew_but_no_other_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = fresh_folder("scripts")
    (folder / "train.py").touch()
    assert fresh_folder("scripts") == folder
    assert not (folder / "train.py").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(FileExistsError):
        fresh_folder("mine")
