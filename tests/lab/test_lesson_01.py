"""The exercises of lesson 01, beyond what holds for all exercises."""

from __future__ import annotations

from pathlib import Path

import pytest

from npu_lab import TimingModel
from npu_lab.lab import check
from npu_lab.lab.exercises import State
from npu_lab.lab.lessons import lesson_01 as lesson

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "01_round_trips.md"


def test_the_text_gives_the_figures_that_the_checkers_use() -> None:
    text = SOURCE.read_text("utf-8")
    for n, time in lesson.TIMES.items():
        assert f"{time:g} ms at N = {n}" in text
    assert (
        f"A call costs {lesson.OVERHEAD:g} ms, a step takes {lesson.STEP:g} ms" in text
    )
    assert f"every {lesson.LOG_STEPS} steps" in text
    assert f"a checkpoint every {lesson.SAVE_STEPS:,} steps" in text


@pytest.mark.parametrize(("overhead", "step", "share"), lesson.CASES)
def test_the_smallest_n_is_that_of_the_timing_model(
    overhead: float, step: float, share: float
) -> None:
    model = TimingModel(step, launch_seconds=overhead)
    assert lesson.smallest(overhead, step, share) == model.break_even(share)


def test_one_n_fits_all_wishes() -> None:
    states = {n: check("01/chosen_n", n).state for n in range(1, lesson.SAVE_STEPS + 1)}
    assert [n for n, state in states.items() if state is State.RIGHT] == [100]
    assert set(states.values()) == {State.RIGHT, State.WRONG}


def test_overhead_and_step_may_be_rounded_but_not_guessed() -> None:
    def state(overhead: float, step: float) -> State:
        return check("01/overhead_and_step", (overhead, step)).state

    assert state(4.01, 1.201) is State.RIGHT
    for overhead in (0.0, 3.9, 4.1, -4.0):
        for step in (1.1, 1.2, 1.3, -1.2):
            assert state(overhead, step) is State.WRONG
