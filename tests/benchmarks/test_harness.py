"""Contestants take turns, a broken one is named, and nothing half-written remains."""

from __future__ import annotations

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.harness import Contest, Entry, Series, WorkerError


def starter(name, statements="pass"):
    """A contestant that is quick to start: no TensorFlow."""
    arguments = {"statements": statements, "tensorflow": False}
    return Entry(name, "starting.fresh", arguments)


def test_contestants_take_turns(tmp_path):
    note = tmp_path / "turns"
    entries = [
        starter(name, f"with open({str(note)!r}, 'a') as f: f.write({name!r})")
        for name in "ABC"
    ]
    with Contest(entries) as contest:
        contest.play(2, 0)
        contest.play(1, 0)
    assert note.read_text() == "ABC" * 4  # the first turn warms up
    assert {len(one.figures["time"]) for one in contest.series.values()} == {3}
    assert 0 < contest.series["A"].best() < 60


def test_no_setting_of_the_user_reaches_a_contestant(monkeypatch):
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "1")
    statements = "import os; assert 'TF_NUM_INTRAOP_THREADS' not in os.environ"
    with Contest([starter("A", statements)]) as contest:
        contest.play(1, 0)
    assert contest.series["A"].figures["time"]


def test_a_contestant_that_fails_is_named_with_what_it_said():
    with (
        pytest.raises(WorkerError, match=r"(?s)'B'.*ZeroDivisionError"),
        Contest([starter("A"), starter("B", "1 / 0")]) as contest,
    ):
        contest.play(1, 0)


def test_a_contestant_that_cannot_be_built_is_named():
    with (
        pytest.raises(WorkerError, match=r"(?s)'A'.*AttributeError"),
        Contest([Entry("A", "starting.nobody")]),
    ):
        pass


@pytest.fixture
def result():
    series = [
        Series("one", "N = 2", {"time": [0.003, 0.001]}, difference=0.0),
        Series("two", "", {"time": [0.002, 0.002]}, difference=0.5),
    ]
    ratios = [
        report.Ratio("one over two", 0.5, 1.0),
        report.Ratio("two over one", 2.0, 1.05),
        report.Ratio("of interest", 3.0),
    ]
    return report.Result("test", "a test", "ms", ["time"], series, ratios)


def test_the_table_has_minima_and_targets(result):
    lines = [" ".join(line.split()) for line in report.table(result).splitlines()]
    assert "one 1.00 2.00 3.00 3.00 1.67 N = 2" in lines
    assert "one over two: 0.500, at most 1: met" in lines
    assert "two over one: 2.000, at most 1.05: MISSED" in lines
    assert "of interest: 3.000" in lines
    assert "equal variables after the same steps: one" in lines
    assert "off by at most: two 5.0e-01" in lines


def test_the_json_has_all_and_where_it_comes_from(result, tmp_path):
    path = tmp_path / "new" / "bench.json"
    for results in ([], [result]):
        report.write(path, report.provenance(2, 0.5), results)
    written = json.loads(path.read_text("utf-8"))
    assert written["provenance"]["kind"] == "measured"
    assert written["provenance"]["rounds"] == 2
    (experiment,) = written["experiments"]
    assert [ratio["met"] for ratio in experiment["ratios"]] == [True, False, None]
    assert experiment["series"][0]["figures"] == {"time": [0.003, 0.001]}
    assert [file.name for file in path.parent.iterdir()] == ["bench.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "softmax,nothing"], "there is no nothing; there is softmax, cnn"),
        (["--rounds", "0"], "at least 1 round"),
    ],
)
def test_what_cannot_be_measured_is_refused(monkeypatch, capsys, arguments, said):
    monkeypatch.setattr("sys.argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    assert said in capsys.readouterr().err
