"""Lesson 12, beyond what holds for all lessons."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest

from npu_lab.lab.lessons import answers_12, lesson_12, scripts_12

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "12_performance_tuning.md"


@pytest.mark.parametrize("folder", ["", "zh"])
def test_what_the_texts_say_is_what_the_cells_show(folder: str) -> None:
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    shown = {
        cell.id: "".join(one.get("text", "") for one in cell.get("outputs", ()))
        for cell in nbformat.read(place, as_version=4).cells
    }
    assert shown["profile"].startswith("Data Aug Bound\n")
    assert "as found, mended, without profile: True" in shown["equal"]
    assert "recommended: 100" in shown["price"]
    assert "half as long: True" in shown["again"]
    assert shown["advice"] == "['data bound']\n"
    assert "40" in shown["tune"]


def test_the_checkers_slow_pipeline_is_that_of_the_lesson() -> None:
    part = SOURCE.read_text("utf-8").partition("def as_found")[2].partition("\n\n")[0]
    (lessons,) = ast.parse(f"def as_found{part.partition('```')[0]}").body
    own = next(
        one
        for one in ast.parse(Path(answers_12.__file__).read_text("utf-8")).body
        if getattr(one, "name", "") == "as_found"
    )
    told = [ast.unparse(one) for one in own.body]
    data = "tf.data.Dataset.from_tensor_slices((paths, labels))"
    assert [one.replace("_data(paths, labels)", "data") for one in told] == [
        "return data.repeat().map(decode).batch(32, drop_remainder=True)"
    ]
    assert ast.unparse(lessons.body[0]) == f"data = {data}.repeat()"
    assert ast.unparse(lessons.body[1]) == (
        "return data.map(decode).batch(32, drop_remainder=True)"
    )


def test_the_script_trains_and_saves_as_the_text_says() -> None:
    assert "range(800 // 10)" in scripts_12.TRAIN
    assert "call % 20 == 19" in scripts_12.TRAIN  # each 200 steps
    assert (lesson_12.STEPS, lesson_12.INTERVAL) == (800, 200)
