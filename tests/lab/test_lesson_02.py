"""Lesson 02: its two pictures, and its text against the device."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from npu_lab import hostlog, lab
from npu_lab.hostlog.lines import flow_control_operators
from npu_lab.lab.lessons import lesson_02

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "02_device_loop.md"


def texts(made: Any) -> list[str]:
    tree = ET.fromstring(made.svg)  # noqa: S314 (it is ours)
    return [element.text or "" for element in tree.iter(f"{SVG}text")]


def log(*names: str) -> list[Any]:
    return [SimpleNamespace(inserted=(name, "Variable")) for name in names]


def test_the_operators_of_the_picture_are_numbered_as_in_the_log() -> None:
    logged = ["ge_global_step"]
    logged += [name for name, _ in flow_control_operators(["IteratorGetNext"])]
    shown = [re.fullmatch(r"(\d+) (\w+)", one) for one in texts(lab.plot_two_loops())]
    numbered = {int(one[1]): one[2] for one in shown if one}
    assert sorted(numbered) == list(range(5, len(logged)))
    for number, name in numbered.items():
        assert logged[number].endswith(f"_{name}")


def test_the_loops_show_what_is_loaded() -> None:
    made = lab.plot_two_loops(25)
    assert "loop_cond < 24?" in texts(made)
    assert "after 25 steps" in made.alt
    assert "no measurement" in made.provenance
    assert made.alt in str(made)
    with pytest.raises(ValueError, match="N = 1"):
        lab.plot_two_loops(1)


def test_each_keyword_line_is_a_square() -> None:
    marker = "Node_Output_IteratorCtrl_StreamSwitch"
    one, ten = log("ge_global_step"), log("npu_runconfig/one", marker, marker)
    other = [SimpleNamespace(inserted=None)]
    made = lab.plot_keyword_lines({1: one + other, 10: one + ten})
    shown = texts(made)
    assert [shown.count(sign) for sign in "=v>"] == [2, 1, 2]
    assert "N=1: 1 keyword lines" in made.alt
    assert "N=10: 4 keyword lines" in made.alt
    assert "guess" not in made.alt


@pytest.mark.parametrize(("guess", "label"), [(2, "2"), (0, "0"), (1000, "1000 ▸")])
def test_a_guess_is_drawn_inside_the_picture(guess: float, label: str) -> None:
    made = lab.plot_keyword_lines({10: log("ge_global_step")}, guess=guess)
    assert label in texts(made)
    assert f"markers: {guess}." in made.alt
    ends = map(float, re.findall(r"[ML]([\d.]+) ", made.svg))
    assert max(ends) <= 720


@pytest.mark.parametrize("guess", [None, "many", -1])
def test_what_is_no_number_of_markers_is_not_drawn(guess: object) -> None:
    assert "guess" not in lab.plot_keyword_lines({1: log("x")}, guess=guess).alt


def test_the_logs_that_try_a_judge_are_judged_alike_by_the_reader() -> None:
    for key, wanted, lines in lesson_02.LOGS:
        names = [
            found[1] for line in lines if (found := re.search(r"name:(\S+),", line))
        ]
        assert any(map(hostlog.is_marker, names)) is wanted, key
    assert {key for key, *_ in lesson_02.LOGS} <= set(lesson_02.JUDGE_MISTAKES)


def test_the_skeletons_in_the_notebook_are_the_solutions_with_gaps() -> None:
    source = SOURCE.read_text("utf-8")
    gaps = (
        (lesson_02.LOOP_BUILT, r'any\(".*" in'),
        (lesson_02.SINK, r"    sess\.run.*\n    train_op = .*"),
    )
    judge, sink = (solution[solution.index("def ") :] for solution, _ in gaps)
    assert re.sub(r'any\(".*" in line', "any(____", judge) in source
    assert re.sub(gaps[1][1], "    ____\n    ____", sink) in source


def test_the_twelve_lines_are_numbered() -> None:
    numbers = re.findall(r"# (\d+)$", SOURCE.read_text("utf-8"), flags=re.MULTILINE)
    assert list(map(int, numbers[:12])) == list(range(1, 13))
