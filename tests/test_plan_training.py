"""The plan of an Estimator's training, against TensorFlow's own hooks."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_lab._tensorflow import tf
from npu_lab.plan import Share, TrainingPlan
from tests.properties import generated

train = tf.compat.v1.train


def hooks_say(plan: TrainingPlan) -> dict[str, list[int]]:
    """What the hooks do when a session calls them as the plan's training does."""
    done: dict[str, list[int]] = {"checkpoints": [], "logged": [], "summaries": []}
    n, step = plan.iterations_per_loop, plan.first_step
    session = SimpleNamespace(run=lambda _: step)
    context = SimpleNamespace(session=session)
    saver = train.CheckpointSaverHook(
        "", save_steps=plan.save_checkpoints_steps, saver="none"
    )
    saver._global_step_tensor = "step"
    saver._save = lambda _, at: done["checkpoints"].append(at)
    saver._save(session, step)
    saver._timer.update_last_triggered_step(step)
    summary = train.SummarySaverHook(
        save_steps=plan.save_summary_steps,
        summary_op="loss",
        summary_writer=SimpleNamespace(
            add_session_log=lambda *_: None,
            add_summary=lambda _, at: done["summaries"].append(at),
        ),
    )
    summary._next_step, summary._global_step_tensor = None, "step"
    lines = train.LoggingTensorHook(
        [],
        every_n_iter=plan.log_step_count_steps,
        formatter=lambda _: str(done["logged"].append(step)),
    )
    lines.begin()
    while step < plan.last_step:
        for hook in (summary, lines):
            hook.before_run(context)
        before, step = step, step + n
        # A plain run reads the step before its update, a loop after the last one.
        read = before if n == 1 else step
        results = {saver: read, summary: {"global_step": read, "summary": ["..."]}}
        if not summary._request_summary:
            del results[summary]["summary"]
        for hook in (saver, summary, lines):
            hook.after_run(context, SimpleNamespace(results=results.get(hook)))
    saver.end(session)
    return done


@generated(300)
@given(
    first=st.one_of(st.just(0), st.integers(0, 100)),
    steps=st.integers(1, 120),
    n=st.integers(1, 15),
    save=st.integers(1, 40),
    every=st.one_of(st.integers(1, 4), st.integers(1, 40)),
    lines=st.integers(1, 10),
)
def test_tensorflows_hooks_do_what_is_planned(
    first: int, steps: int, n: int, save: int, every: int, lines: int
) -> None:
    plan = TrainingPlan(
        first_step=first,
        steps=steps,
        iterations_per_loop=n,
        save_checkpoints_steps=save,
        save_summary_steps=every,
        log_step_count_steps=lines,
    )
    assert hooks_say(plan) == {
        "checkpoints": list(plan.checkpoints),
        "logged": list(plan.logged_steps),
        "summaries": list(plan.summary_steps),
    }
    assert plan.checkpoints[-1] == plan.final_step >= plan.last_step
    assert plan.final_step == first + plan.training_calls * n < plan.last_step + n


@pytest.mark.parametrize(("every", "points"), [(1, 6), (2, 3), (12, 3), (13, 2)])
def test_summaries_in_a_loop_of_ten(every: int, points: int) -> None:
    plan = TrainingPlan(steps=60, iterations_per_loop=10, save_summary_steps=every)
    assert len(plan.summary_steps) == points
    full = replace(plan, save_checkpoints_steps=1, log_step_count_steps=1)
    assert hooks_say(full)["summaries"] == list(plan.summary_steps)


def test_an_even_training() -> None:
    plan = TrainingPlan(steps=60, iterations_per_loop=10, save_checkpoints_steps=20)
    assert (plan.training_calls, plan.final_step) == (6, 60)
    assert list(plan.checkpoints) == [0, 20, 40, 60]
    assert plan.logged_steps == plan.summary_steps == ()


def test_a_resumed_training_counts_from_its_checkpoint() -> None:
    plan = TrainingPlan(
        first_step=25, max_steps=60, iterations_per_loop=10, save_checkpoints_steps=15
    )
    assert (plan.training_calls, plan.final_step) == (4, 65)
    assert list(plan.checkpoints) == [25, 45, 65]


@pytest.mark.parametrize("first", [60, 61])
def test_nothing_is_done_where_max_steps_is_reached(first: int) -> None:
    plan = TrainingPlan(
        first_step=first,
        max_steps=60,
        iterations_per_loop=10,
        save_checkpoints_steps=10,
        save_summary_steps=10,
        log_step_count_steps=1,
    )
    assert (plan.training_calls, plan.final_step) == (0, first)
    for steps in (plan.checkpoints, plan.logged_steps, plan.summary_steps):
        assert len(steps) == 0


@pytest.mark.parametrize("off", [None, 0])
def test_without_an_interval_there_is_nothing(off: int | None) -> None:
    plan = TrainingPlan(
        steps=20,
        save_checkpoints_steps=off,
        save_summary_steps=off,
        log_step_count_steps=off,
    )
    assert plan.checkpoints == plan.logged_steps == plan.summary_steps == ()


def test_the_saver_keeps_the_newest() -> None:
    plan = TrainingPlan(steps=35, iterations_per_loop=10, save_checkpoints_steps=20)
    assert plan.kept(2) == (20, 40)
    assert plan.kept(0) == (0, 20, 40)
    later = TrainingPlan(first_step=40, steps=10, save_checkpoints_steps=20)
    assert later.kept(3, earlier=plan.kept(0)) == (20, 40, 50)
    assert later.kept(0, earlier=plan.kept(0)) == (0, 20, 40, 50)


def test_a_very_long_training_is_planned_at_once() -> None:
    plan = TrainingPlan(steps=10**12, iterations_per_loop=7, save_checkpoints_steps=100)
    assert plan.checkpoints[:3] == (0, 105, 210)
    assert plan.checkpoints[-1] == plan.final_step == 10**12 + 6
    assert plan.kept(2) == (999_999_999_915, plan.final_step)
    with pytest.raises(IndexError):
        plan.checkpoints[len(plan.checkpoints)]


@pytest.mark.parametrize(
    ("given_", "error", "text"),
    [
        ({}, ValueError, "either steps or max_steps"),
        ({"steps": 1, "max_steps": 1}, ValueError, "either steps or max_steps"),
        ({"steps": 0}, ValueError, "steps must be at least 1"),
        ({"max_steps": 2.0}, TypeError, "max_steps must be an integer"),
        ({"steps": 1, "iterations_per_loop": 0}, ValueError, "iterations_per_loop"),
        ({"steps": 1, "first_step": -1}, ValueError, "first_step must be at least 0"),
        ({"steps": 1, "save_checkpoints_steps": -1}, ValueError, "save_checkpoints"),
        ({"steps": 1, "save_summary_steps": True}, TypeError, "save_summary_steps"),
        ({"steps": 1, "log_step_count_steps": 1.5}, TypeError, "log_step_count_steps"),
    ],
)
def test_what_cannot_be_planned(
    given_: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        TrainingPlan(**given_)


def test_a_pass_over_sharded_samples_takes_fewer_updates_on_more_devices() -> None:
    one, two = Share.of_samples(640, 10), Share.of_samples(640, 10, ranks=2)
    assert (one.updates, one.global_batch, one.samples) == (64, 10, 640)
    assert (two.updates, two.global_batch, two.samples) == (32, 20, 640)
    assert Share.of_samples(39, 10, ranks=2).samples == 20


def test_steps_are_never_divided_by_the_number_of_devices() -> None:
    assert Share(updates=64, batch=10, ranks=2).samples == 1280


@pytest.mark.parametrize("fault", [{"batch": 0}, {"ranks": 0}, {"updates": -1}])
def test_a_share_needs_counts(fault: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(fault))} must be at least"):
        Share(**{"updates": 1, "batch": 1, **fault})
