"""Lesson 03, beyond what holds for all lessons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from npu_lab.device import Device
from npu_lab.lab import check
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.lessons import answers_03, lesson_03
from npu_lab.lab.lessons.picture_03 import plot_stops

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "03_mnist_session_run.md"
SEEN = {1: {0: 0.0, 25: 0.7, 50: 0.91}, 100: {0: 0.0, 100: 0.92}}


@pytest.mark.parametrize(
    ("solution", "gaps"),
    [
        (
            lesson_03.TRAIN_SOLUTION,
            {
                "range(steps // n)": "range(____)",
                "if steps % n:": "if ____:",
                "        iteration.load_iteration_per_loop_var(sess, steps % n)\n": (
                    "        ____\n"
                ),
            },
        ),
        (
            lesson_03.STOP_SOLUTION,
            {"step += n": "step += ____", "due = (step // k + 1) * k": "due = ____"},
        ),
    ],
)
def test_a_skeleton_is_the_solution_with_gaps(
    solution: str, gaps: dict[str, str]
) -> None:
    for code, gap in gaps.items():
        assert code in solution
        solution = solution.replace(code, gap)
    assert solution in SOURCE.read_text(encoding="utf-8")


def test_with_a_placeholder_left_the_training_is_not_attempted(device: Device) -> None:
    def half_done(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
        iteration.load_iteration_per_loop_var(sess, n)
        for _ in range(steps // n):
            sess.run(train_op)
        if steps % n:
            ____  # noqa: B018
            sess.run(train_op)

    before = device.ledger.as_dict()
    feedback = check("03/train_exactly", half_done)
    assert feedback.state is State.NOT_ATTEMPTED
    assert set(device.ledger.since(before).values()) == {0}


def test_checking_a_training_tells_nothing_beside_the_feedback(
    device: Device, recwarn: pytest.WarningsRecorder
) -> None:
    assert check("03/train_exactly", answers_03.right).state is State.RIGHT
    assert not [one for one in recwarn if "SINK" in str(one.message)]


@pytest.mark.parametrize("n", [1, 3, 10, 100])
@pytest.mark.parametrize("k", [1, 7, 25, 100, 250])
def test_the_rule_finds_the_first_evaluation_at_or_after(n: int, k: int) -> None:
    ends = range(n, 1000, n)  # of the calls
    evaluated = [e for e in ends if e // k > (e - n) // k]
    for reached in (1, 26, 104, 250):
        wanted = next(step for step in evaluated if step >= reached)
        assert {one(reached, n, k) for one in answers_03.RIGHT_STOP} == {wanted}


def test_the_picture_says_in_words_what_it_shows() -> None:
    alt = plot_stops(SEEN, reached=40, k=25, guess={1: 50, 100: 900}).alt
    assert "N=1: evaluated at 25 (0.700), 50 (0.910), stops at 50" in alt
    assert "stops at 100 (the rule says 100, your guess 900)" in alt


@pytest.mark.parametrize("guess", [None, {}, 5, {7: 3}, {1: -4, 100: 10**6}])
def test_the_picture_takes_any_guess(guess: object) -> None:
    drawn = plot_stops(SEEN, reached=40, k=25, guess=guess)
    assert drawn.png.startswith(b"\x89PNG")
    assert ("guess" in drawn.provenance) == (isinstance(guess, dict) and bool(guess))


@pytest.mark.parametrize("folder", ["", "zh"])
def test_the_step_named_in_the_text_is_the_one_found(folder: str) -> None:
    place = SOURCE.parents[1] / folder / "03_mnist_session_run.ipynb"
    cells = {cell.id: cell for cell in nbformat.read(place, as_version=4).cells}
    shown = cells["stop"].outputs[-1].data["text/plain"]
    reached = re.search(r"first reached at step (\d+)", shown)
    assert reached
    assert re.search(rf"\b{reached[1]}\b", cells["stop-text"].source)
