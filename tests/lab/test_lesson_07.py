"""Lesson 07, beyond what holds for all lessons."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from npu_lab.diagnostics import diagnose
from npu_lab.lab.lessons import answers_07, lesson_07, texts_07
from npu_lab.lab.lessons.picture_07 import plot_losses
from npu_lab.timing import TimingModel

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "07_keras_conversion.md"
EVERY = {"Keras fit": {1: 2.5, 2: 2.25, 3: 2.0, 4: 2.125}}


def cell(name: str) -> str:
    """The source of a cell."""
    text = SOURCE.read_text("utf-8")
    return text.partition(f"<!-- cell: {name}")[2].partition("<!-- cell:")[0]


def test_every_line_of_the_sample_is_judged() -> None:
    found = re.findall(r"  # (\d+)$", cell("sample -->"), re.MULTILINE)
    numbers = {int(number) for number in found}
    assert numbers == lesson_07.LINES
    in_order = numbers - answers_07.WRONG_LINES - answers_07.DOUBTFUL
    assert {str(n) for n in in_order} <= texts_07.FAULTS.keys()


def test_what_is_mended_is_what_the_solution_says() -> None:
    """Each step of the solution is in the cell that shows the whole sample mended."""
    mended = cell("mended export")
    for line in lesson_07.PARSE_SOLUTION.splitlines()[2:5]:
        assert line.strip() in mended


def test_the_letters_are_those_of_the_text() -> None:
    letters = re.findall(r"^- `(\w)` - ", cell("callbacks-text"), re.MULTILINE)
    assert letters == [*"abcde"] * 2
    assert sorted(answers_07.REPLACED.values()) == letters[:5]


def test_every_callback_is_named_by_the_diagnostic_of_the_conversion() -> None:
    told = str(diagnose("SINK059", model="model"))
    assert all(name in told for name in answers_07.REPLACED)


def test_figures_of_the_text_are_those_of_the_profile() -> None:
    heavy = TimingModel.from_profile("resnet50_cifar10")
    assert heavy.step_seconds == pytest.approx(18.4e-3)
    assert heavy.overhead_seconds(1) == pytest.approx(0.1e-3)
    limit = answers_07.limit(heavy.step_seconds, heavy.overhead_seconds(1))
    assert f"{limit:.3f}" == "1.005"
    assert heavy.speedup(10**9) == pytest.approx(limit)


def test_the_slow_pipeline_of_the_quiz_gains_nothing() -> None:
    model = TimingModel(0.002, launch_seconds=0.002, pipeline_seconds=0.005)
    assert model.speedup(100) == pytest.approx(1)


def test_the_picture_says_in_words_what_it_shows() -> None:
    drawn = plot_losses(EVERY, {"N=2": {2: 2.25, 4: 2.5}})
    for words in (
        "Keras fit: a loss at each of 4 steps; among them 2: 2.250, 4: 2.125",
        "N=2: 2: 2.250, 4: 2.500",
    ):
        assert words in drawn.alt
    assert drawn.png.startswith(b"\x89PNG")


def test_a_loss_beyond_the_line_is_drawn_too() -> None:
    drawn = plot_losses(EVERY, {"N=10": {10: 2.0}})
    assert "among them none" in drawn.alt


@pytest.mark.parametrize("folder", ["", "zh"])
def test_both_worlds_agree_in_the_notebook(folder: str) -> None:
    place = SOURCE.parents[1] / folder / "07_keras_conversion.ipynb"
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}
    said, shown = cells["losses"].outputs
    assert said.text.count("True") == 2
    keras, estimator = re.findall(r"10: ([\d.]+), 20: ([\d.]+),", str(shown.data))[:2]
    assert keras == estimator
    assert cells["frozen"].outputs[-1].text.split()[-2:] == ["20", "True"]
