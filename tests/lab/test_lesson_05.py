"""The examination room of lessons 05 and 05b, beyond what holds for all exercises."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab.exercises import State
from npu_lab.lab.lessons import answers_05, answers_05b, clinic, lesson_05, lesson_05b
from npu_lab.lab.lessons.clinic import Examination, examine

STEPS = 20


@pytest.fixture
def run(
    build_model: Callable[[], Any], npu_config: Callable[[int], Any]
) -> Callable[..., Any]:
    """Train at N as the lessons do; the accuracy is made up."""

    def run(train: Callable[..., Any], n: int) -> tuple[Any, float]:
        with tf.Graph().as_default(), tf.Session(config=npu_config(n)) as sess:
            iterator, train_op, loss = build_model()
            sess.run(tf.global_variables_initializer())
            sess.run(iterator.initializer)
            return train(sess, train_op, loss, n, STEPS)[-1], 0.5

    return run


@pytest.fixture
def healthy(run: Callable[..., Any]) -> Examination:
    return examine(lambda n: run(answers_05.kept, n))


def test_a_healthy_run_has_the_figures_of_its_plan(healthy: Examination) -> None:
    found = healthy.runs[10].figures
    assert (found["calls"], found["iterations"], found["batches"]) == ("2", "20", "20")
    assert (found["loads"], found["markers"], found["steps"]) == ("4", "8", "10")
    assert healthy.runs[1].figures["steps"] == "1"
    assert found["accuracy"] == "50%"


@pytest.mark.parametrize(
    ("train", "differing"),
    [
        (answers_05.discarded, {"markers": "0", "iterations": "0", "steps": "1"}),
        (answers_05.not_divided, {"calls": "20", "iterations": "200"}),
        (answers_05.no_setter, {"loads": "0", "markers": "0"}),
        (answers_05.setter_in_the_loop, {"loads": "8", "steps": "1, 10"}),
        (answers_05b.five, {"iterations": "10", "steps": "5"}),
        (answers_05b.reset, {"markers": "8", "iterations": "2", "steps": "1"}),
        (answers_05b.scoped, {"loads": "4", "markers": "0", "steps": "1"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_fault_shows_in_the_rows_that_the_lesson_names(
    run: Callable[..., Any], train: Any, differing: dict[str, str]
) -> None:
    found = examine(lambda n: run(train, n), (10,)).runs[10].figures
    assert {name: found[name] for name in differing} == differing


def test_the_notes_that_would_name_the_fault_are_held_back(
    run: Callable[..., Any],
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        examine(lambda n: run(answers_05.discarded, n))
        assert not [w for w in caught if issubclass(w.category, NpuLabWarning)]
        run(answers_05.discarded, 10)
        assert [w for w in caught if issubclass(w.category, NpuLabWarning)]


def test_the_table_has_the_healthy_run_beside_the_patient(
    run: Callable[..., Any], healthy: Examination
) -> None:
    table = examine(lambda n: run(answers_05.discarded, n), healthy=healthy).table
    assert table.header == ("finding", "N = 1", "N = 10", "healthy, N = 10")
    assert len(table.rows) == len(clinic.ROWS)
    assert ("timeline: steps, each call", "1", "1", "10") in table.rows


def test_a_timeline_begins_at_its_first_call(healthy: Examination) -> None:
    timeline = healthy.timeline(1, 1, 4)
    assert [span.call for span in timeline.calls] == [0, 1, 2]
    assert timeline.start == 0
    assert [span.iteration for span in timeline.of("compute")] == [0, 1, 2]
    assert healthy.timeline(10).iterations == 10  # without the call that compiles


def test_nothing_is_left_in_the_default_graph(device: Device) -> None:
    exercises = [*lesson_05.EXERCISES, *lesson_05b.EXERCISES]
    with tf.Graph().as_default() as graph:
        for exercise in exercises:
            assert exercise.check(exercise.right[0]).state is State.RIGHT
        assert not graph.get_operations()
