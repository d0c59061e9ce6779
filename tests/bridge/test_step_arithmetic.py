"""What an NPUEstimator leaves on disk, against `TrainingPlan`, in many combinations."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.bridge import job
from npu_lab.device import Device
from npu_lab.plan import TrainingPlan

RULES = {"SINK045", "SINK046", "SINK047", "SINK048", "SINK049"}
# How far each training in a row goes on in the folder of the one before.
ROWS = (
    ({"steps": 10}, {"max_steps": 23}, {"max_steps": 20}, {"steps": 7}),
    ({"max_steps": 1}, {"steps": 20}, {"max_steps": 42}, {"max_steps": 42}),
)
SAVES = (0, 1, 3, 4, 10, 25)
COUNTS = (1, 2, 4, 7, 10, 20)


def input_fn() -> Any:
    batch = np.ones([4, 2], "float32"), np.zeros([4], "float32")
    return tf.data.Dataset.from_tensors(batch).repeat()


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    weights = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(features * weights, 1) - labels))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def saved(folder: Path) -> list[int]:
    """The steps of the checkpoints on disk."""
    names = [path.stem for path in folder.glob("model.ckpt-*.index")]
    return sorted(int(name.rpartition("-")[2]) for name in names)


def points(folder: Path) -> list[int]:
    """The steps of the loss's summaries, in the order they were written."""
    steps = []
    for path in sorted(folder.glob("events.*"), key=lambda p: p.stat().st_mtime_ns):
        steps += [
            event.step
            for event in tf.train.summary_iterator(str(path))
            if any(value.tag == "loss" for value in event.summary.value)
        ]
    return steps


@contextmanager
def shown_steps() -> Iterator[list[int]]:
    """The steps in the lines with the loss."""
    steps: list[int] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line = re.match(r"loss = .*, step = (\d+)", record.getMessage())
            if line:
                steps.append(int(line[1]))

    handler, logger = Handler(), tf.get_logger()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield steps
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


class Trainings:
    """Trainings one after the other in one folder, each compared with its plan."""

    def __init__(self, device: Device, folder: Path, **settings: int) -> None:
        from npu_bridge.npu_init import NPUEstimator, NPURunConfig

        settings = {"save_summary_steps": 0, "log_step_count_steps": 100} | settings
        self.device, self.folder, self.settings = device, folder, settings
        self.keep = settings.pop("keep_checkpoint_max", 0)
        config = NPURunConfig(keep_checkpoint_max=self.keep, **settings)
        self.estimator = NPUEstimator(model_fn, str(folder), config)
        self.final, self.saved, self.points = 0, [], []

    def go_on(self, **end: int) -> TrainingPlan:
        plan = TrainingPlan(first_step=self.final, **end, **self.settings)
        counted = self.device.ledger.as_dict()
        del self.device.diagnostics[:]
        with shown_steps() as shown:
            self.estimator.train(input_fn, **end)
        now = self.device.ledger.as_dict()
        n = plan.iterations_per_loop
        steps = plan.training_calls * n
        self._check_announced(plan)
        assert now["training_calls"] - counted["training_calls"] == plan.training_calls
        assert now["device_iterations"] - counted["device_iterations"] == (
            steps if n > 1 else 0
        )
        # Without a loop the step is read before it is advanced.
        assert [step + (n == 1) for step in shown] == list(plan.logged_steps)
        known = self.saved
        self.saved = list(plan.kept(self.keep, known) if plan.checkpoints else known)
        self.points += plan.summary_steps
        assert saved(self.folder) == self.saved
        assert points(self.folder) == self.points
        if plan.checkpoints:
            assert tf.train.latest_checkpoint(str(self.folder)).endswith(
                f"-{plan.final_step}"
            )
            self.final = plan.final_step
        return plan

    def _check_announced(self, plan: TrainingPlan) -> None:
        found = self.device.diagnostics
        warned = [one for one in found if one.code in RULES]
        noted = [one for one in found if one.code == "SINK050"]
        n, left = plan.iterations_per_loop, plan.last_step - plan.first_step
        if left <= 0:
            assert not warned + noted
            return
        (note,) = noted
        assert note.facts["updates"] == plan.training_calls * n
        lines = plan.log_step_count_steps or left
        broken = n > 1 and (
            left % n
            or (plan.save_checkpoints_steps or 0) % n
            or plan.save_summary_steps
            or (len(plan.logged_steps) == 1 and lines < left)
        )
        assert len(warned) == bool(broken)
        # All before the first run, which may find more.
        assert {one.code for one in found[: 1 + len(warned)]} <= {*RULES, "SINK050"}
        for one in warned:
            outcome = one.facts["outcome"]["en"]
            assert f"{plan.training_calls} host calls" in outcome
            assert f"ends at step {plan.final_step}" in outcome
            if plan.checkpoints:
                assert f"({len(plan.checkpoints)} in all)" in outcome


@pytest.fixture
def device(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("JOB_ID", "10086")
    monkeypatch.delenv("RANK_SIZE", raising=False)
    job.forget()
    yield npu_lab.activate(view=True)
    job.forget()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::npu_lab.diagnostics.NpuLabWarning")
@pytest.mark.parametrize("n", COUNTS)
def test_what_is_on_disk_is_the_plan(device: Device, tmp_path: Path, n: int) -> None:
    trained = 0
    for number, (save, row) in enumerate(itertools.product(SAVES, ROWS)):
        trainings = Trainings(
            device,
            tmp_path / str(number),
            iterations_per_loop=n,
            save_checkpoints_steps=save,
            save_summary_steps=(0, 1, 2, 3, 9, 30)[(number + n) % 6],
            log_step_count_steps=(1, 2, 5, 100)[number % 4],
        )
        for end in row:
            trainings.go_on(**end)
            trained += 1
    assert trained * len(COUNTS) >= 200


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::npu_lab.diagnostics.NpuLabWarning")
@pytest.mark.parametrize(("n", "save"), [(1, 4), (10, 15)])
def test_twenty_repeats_give_the_same(
    device: Device, tmp_path: Path, n: int, save: int
) -> None:
    for number in range(20):
        trainings = Trainings(
            device,
            tmp_path / str(number),
            iterations_per_loop=n,
            save_checkpoints_steps=save,
            save_summary_steps=3,
            log_step_count_steps=2,
        )
        trainings.go_on(max_steps=45)


def test_only_the_newest_are_kept_in_a_resumed_training_as_well(
    device: Device, tmp_path: Path
) -> None:
    trainings = Trainings(
        device,
        tmp_path,
        iterations_per_loop=5,
        save_checkpoints_steps=5,
        keep_checkpoint_max=3,
    )
    trainings.go_on(max_steps=20)
    assert trainings.saved == [10, 15, 20]
    trainings.go_on(max_steps=25)
    assert trainings.saved == [15, 20, 25]


def test_data_that_end_within_a_loop_leave_the_steps_done_in_the_last_checkpoint(
    device: Device, tmp_path: Path
) -> None:
    trainings = Trainings(
        device, tmp_path, iterations_per_loop=10, save_checkpoints_steps=10
    )
    trainings.estimator.train(lambda: input_fn().take(25), steps=100)
    assert saved(tmp_path) == [0, 10, 20, 25]
