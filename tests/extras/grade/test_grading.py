"""Collected notebooks, right ones and wrong ones, graded in one go."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from nbformat import v4, write

from npu_lab.extras.grade import command, running

IMPORTS = "from npu_lab import lab\nfrom npu_lab.lab import ____"
LOADED = 'loaded = {}\nlab.check("02/loaded", loaded)'
QUIZ = 'display(lab.answer("02/zero", {}), lab.answer("02/proof", ____))'
HANG = "while True:\n    pass"
DIE = "import os\nos._exit(9)"
NAMES = ("loaded", "loop_built", "sink", "zero", "five_markers", "proof")


def notebook(path: Path, *sources: str, ids: tuple[str, ...] = ()) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [v4.new_code_cell(source) for source in (IMPORTS, *sources)]
    for cell, name in zip(cells, ids, strict=False):
        cell.id = name
    write(v4.new_notebook(cells=cells), path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The rows by learner and exercise, the lines of the command, its status."""
    folder = tmp_path_factory.mktemp("collected")
    lesson = "02_device_loop.ipynb"
    notebook(folder / "anna" / lesson, LOADED.format("25 - 1"), QUIZ.format('"a"'))
    notebook(folder / "bela" / lesson, LOADED.format("25"))
    notebook(folder / "chen" / lesson, LOADED.format("____"), QUIZ.format("____"))
    notebook(folder / "dora" / lesson, LOADED.format("25 -"), QUIZ.format('"z"'))
    notebook(folder / "emil" / lesson, LOADED.format("24"), HANG)
    notebook(folder / "fay" / lesson, LOADED.format("24"), DIE)
    notebook(folder / "gus" / "02_device_loop-gus (1).ipynb", LOADED.format("1/0"))
    notebook(folder / "hana" / "holiday.ipynb", "1 + 1")
    (folder / "ida").mkdir()
    (folder / "ida" / lesson).write_text("{", "utf-8")
    (folder / "ida" / ".ipynb_checkpoints").mkdir()
    (folder / "ida" / ".ipynb_checkpoints" / lesson).write_text("{", "utf-8")
    output = folder / "grades.csv"
    with pytest.MonkeyPatch.context() as patch:
        said = io.StringIO()
        patch.setattr("sys.stderr", said)
        patch.setenv("NPU_LAB_LANG", "en")
        status = command.main([str(folder), "-o", str(output), "--timeout", "40"])
    sheet = output.read_text("utf-8-sig")
    rows = {
        (row["learner"], row["name"].partition("/")[2]): row
        for row in csv.DictReader(io.StringIO(sheet))
    }
    return rows, said.getvalue().splitlines(), status


@pytest.mark.parametrize(
    ("learner", "name", "state"),
    [
        ("anna", "loaded", "right"),
        ("anna", "sink", "not attempted"),
        ("bela", "loaded", "wrong"),
        ("chen", "loaded", "not attempted"),
        ("chen", "zero", "not attempted"),
        ("dora", "loaded", "wrong"),
        ("dora", "zero", "not attempted"),
        ("emil", "loaded", "right"),
        ("fay", "loaded", "right"),
        ("gus", "loaded", "wrong"),
    ],
)
def test_each_answer_has_its_state(graded, learner: str, name: str, state: str) -> None:
    assert graded[0][learner, name]["state"] == state


def test_a_question_tells_the_letter(graded) -> None:
    row = graded[0]["anna", "zero"]
    assert (row["kind"], row["message"]) == ("question", "a")
    assert row["state"] in {"right", "wrong"}


def test_a_wrong_answer_tells_what_the_learner_is_told(graded) -> None:
    told = {who: graded[0][who, "loaded"]["message"] for who in ("bela", "dora", "gus")}
    assert told["bela"].startswith("25 ")
    assert "SyntaxError" in told["dora"]
    assert "ZeroDivisionError" in told["gus"]


def test_every_exercise_and_question_has_a_row(graded) -> None:
    for learner in ("anna", "bela", "chen", "dora", "emil", "fay", "gus"):
        assert [name for who, name in graded[0] if who == learner] == list(NAMES)
    assert not {"hana", "ida"} & {who for who, _ in graded[0]}


def test_what_could_not_be_run_whole_is_told(graded) -> None:
    _, lines, status = graded
    assert status == 1
    told = {
        name: [li for li in lines if f" {name}/" in li][-1]
        for name in ("emil", "fay", "hana", "ida")
    }
    assert "stopped after 40 s" in told["emil"]
    assert "status 9" in told["fay"]
    assert "is no lesson" in told["hana"]
    assert "cannot be read" in told["ida"]
    assert graded[0]["fay", "sink"]["message"] == "not reached"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere is no folder"),
        (["."], "holds no notebook"),
        ([".", "--timeout", "0"], "0: not a number above 0"),
        (["full", "-o", "nowhere/grades.csv"], "cannot be written"),
    ],
)
def test_wrong_usage(tmp_path, monkeypatch, capsys, arguments, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "full":
        notebook(tmp_path / "full" / "02_device_loop.ipynb")
    assert command.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_sheet_holds_no_formula() -> None:
    assert command._safe(("=1+1", "right")) == ["'=1+1", "right"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('x = 1\nlab.check("02/a", x)', ["02/a"]),
        ('%%npu_run\nx = 1\nlab.check("02/a", x)', ["02/a"]),
        ('x = (\nlab.check("02/a", x)', ["02/a"]),
        ("x = (\nlab.check(name, x", []),
        ("lab.checked('02/a', 1)", []),
    ],
)
def test_the_exercises_of_a_cell(source: str, names: list[str]) -> None:
    assert list(running.checked(source)) == names
