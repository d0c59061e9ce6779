"""The exercise of lesson 00, beyond what holds for all exercises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.lab import check
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.lessons import answers_00, lesson_00

pytestmark = pytest.mark.usefixtures("device")


def untouched(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    iterator.get_next()
    ____  # noqa: B018
    return [____ for _ in range(count)]


def half_done(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [____ for _ in range(count)]


def other_half_done(dataset: Any, count: int) -> Any:
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    with tf.Session() as sess:
        ____  # noqa: B018
        return [sess.run([number, number * number]) for _ in range(count)]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (untouched, "Replace every ____"),
        (half_done, "One ____ is left"),
        (other_half_done, "One ____ is left"),
        (____, "Replace every ____"),
    ],
)
def test_with_a_placeholder_left_it_is_not_attempted(answer: Any, message: str) -> None:
    feedback = check("00/number_and_square", answer)
    assert feedback.state is State.NOT_ATTEMPTED
    assert message in feedback.message


def test_it_is_judged_alike_once_the_migrated_script_was_imported() -> None:
    """From that import on every session is on the device."""
    from npu_bridge.npu_init import util  # noqa: F401

    assert check("00/number_and_square", answers_00.right).state is State.RIGHT
    assert "two calls" in check("00/number_and_square", answers_00.two_runs).message


def test_nothing_is_left_in_the_default_graph() -> None:
    with tf.Graph().as_default() as graph:
        check("00/number_and_square", answers_00.right)
        assert not graph.get_operations()


def test_the_skeleton_in_the_notebook_is_the_solution_with_gaps() -> None:
    source = Path(__file__).parents[2] / "notebooks" / "src" / "00_start_here.md"
    skeleton = lesson_00.SOLUTION.replace(
        "sess.run(iterator.initializer)", "____"
    ).replace("sess.run([number, square])", "____")
    assert skeleton in source.read_text(encoding="utf-8")
