"""Lesson 06, beyond what holds for all lessons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from npu_lab.lab.lessons import answers_06, lesson_06
from npu_lab.lab.lessons.picture_06 import plot_landings
from npu_lab.plan import TrainingPlan

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "06_estimator.md"
FOUND: Any = {"on disk": [0, 30, 60], 100: {100: 0.25, 200: 0.5}}
PLANNED: Any = {"on disk": [0, 30, 60], 100: [100, 200, 300]}


def test_a_skeleton_is_the_solution_with_gaps() -> None:
    skeleton = lesson_06.STEPS_SOLUTION
    for code in ("steps[-1]", "last:"):
        gap = "____:" if code.endswith(":") else "____"
        assert code in skeleton
        skeleton = skeleton.replace(code, gap)
    source = SOURCE.read_text("utf-8").replace(" | 第一次调用之前", "")
    assert skeleton in source


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("save", [1, 5, 25, 70])
def test_the_right_answers_are_the_plan_of_the_library(n: int, save: int) -> None:
    for calls in (1, 4, 23):
        plan = TrainingPlan(
            max_steps=calls * n, iterations_per_loop=n, save_checkpoints_steps=save
        )
        for right in answers_06.RIGHT_STEPS:
            assert list(right(save, n, calls * n)) == list(plan.checkpoints)


def test_every_wrong_rule_is_told_from_the_others() -> None:
    given = [
        [rule(*training) for training in lesson_06.TRAININGS]
        for _, rule in answers_06.RULES
    ]
    assert all(given.count(one) == 1 for one in given)


def test_the_picture_says_in_words_what_it_shows() -> None:
    asked, guess = {"on disk": [25, 50]}, {"on disk": 50, 100: 900}
    drawn = plot_landings(FOUND, PLANNED, asked=asked, guess=guess)
    for words in (
        "on disk: asked for at 25, 50; found at 0, 30, 60; as planned; your guess 50",
        "N=100: found at 100 (0.250), 200 (0.500); planned: 100, 200, 300",
        "your guess 900",
    ):
        assert words in drawn.alt
    assert "guess" in drawn.provenance


@pytest.mark.parametrize("guess", [None, {}, {"on disk": None}, {"elsewhere": 3}])
def test_without_a_guess_none_is_drawn(guess: dict[str, object] | None) -> None:
    drawn = plot_landings(FOUND, PLANNED, guess=guess)
    assert drawn.png.startswith(b"\x89PNG")
    assert "guess" not in drawn.alt + drawn.provenance


def test_of_many_steps_only_the_ends_are_told() -> None:
    drawn = plot_landings({"all": range(1, 101)}, {"all": range(1, 101)})
    assert "all: found at 100 steps from 1 to 100; as planned" in drawn.alt


@pytest.mark.parametrize("folder", ["", "zh"])
def test_all_landings_of_the_notebook_are_planned(folder: str) -> None:
    place = SOURCE.parents[1] / folder / "06_estimator.ipynb"
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}
    for name, rows in (("landings", 1), ("point-landings", 2)):
        shown = cells[name].outputs[-1].data["text/plain"]
        assert shown.count("as planned") == rows
    stops = cells["stops"].outputs[-1].data["text/plain"]
    (reached,) = re.findall(r"N=20: .*?(\d+) \(0\.9\d\d\), \d+ \(", stops)
    assert re.search(rf"\b{reached}\b", cells["until-text"].source)
