"""Lesson 04, beyond what holds for all: skeletons, and the numbers in its texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.lab import check
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.lessons import answers_04, lesson_04
from npu_lab.timing import TimingModel

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "04_getnext_sinking.md"
STARVING = TimingModel.from_profile("starving_host")


def half_mended(numbers: Any, batch_size: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat()
    dataset.batch(batch_size, drop_remainder=True)
    return ____


@pytest.mark.usefixtures("device")
def test_with_a_placeholder_left_it_is_not_attempted() -> None:
    feedback = check("04/input_pipeline", half_mended)
    assert feedback.state is State.NOT_ATTEMPTED


@pytest.mark.parametrize(
    ("solution", "answers"),
    [
        (lesson_04.LONG_RUN, ("max(step, pipeline)", "pipeline > step")),
        (
            lesson_04.INPUT_PIPELINE,
            (
                "\n        batch_size, drop_remainder=True\n    ",
                "tf.data.make_initializable_iterator(dataset)",
            ),
        ),
        (
            lesson_04.BEGIN.rpartition("\n\n\n")[2],
            (
                "[tf.global_variables_initializer(), tf.local_variables_initializer()])"
                "\n    sess.run(iterator.initializer",
                "util.set_iteration_per_loop(sess, train_op, n)",
            ),
        ),
    ],
    ids=["long_run", "input_pipeline", "begin"],
)
def test_the_skeletons_in_the_notebook_are_the_solutions_with_gaps(
    solution: str, answers: tuple[str, ...]
) -> None:
    for answer in answers:
        assert solution.count(answer) == 1
        solution = solution.replace(answer, "____")
    assert solution in SOURCE.read_text(encoding="utf-8")


@pytest.mark.usefixtures("device")
def test_a_check_leaves_the_default_graph_alone_and_shows_no_note(
    recwarn: pytest.WarningsRecorder,
) -> None:
    with tf.Graph().as_default() as graph:
        assert check("04/input_pipeline", answers_04.ragged).state is State.WRONG
        assert check("04/begin", answers_04.together).state is State.WRONG
        assert not graph.get_operations()
    assert not [one for one in recwarn if "SINK" in str(one.message)]


def test_what_the_text_says_of_the_starving_host() -> None:
    times = {n: round(t * 1000, 6) for n, t in STARVING.curve((1, 3, 4, 100)).items()}
    assert times[1] == 3
    assert times[3] > 1.5
    assert times[4] == times[100] == 1.5
    waits = STARVING.schedule(20, 10).of("get_next")
    second = [s.seconds for s in waits if s.call == 1]
    late = [n for n, s in enumerate(second, 1) if s > STARVING.get_next_seconds * 1.01]
    assert late[0] == 5


def test_the_long_run_of_the_exercise_is_that_of_the_model() -> None:
    for step, pipeline in ((2.0, 5.0), (5.0, 2.0), (3.0, 3.0), (3.0, 3.2)):
        model = TimingModel(step, launch_seconds=1.0, pipeline_seconds=pipeline)
        time, starves = answers_04.long_run(step, pipeline)
        assert model.seconds_per_step(10**6) == pytest.approx(time, rel=1e-5)
        assert (model.starves(10**6) is not None) == starves
