"""Problems that people had with an Estimator on the device, each as a test."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.bridge import job
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.plan import Share, TrainingPlan

BATCH, SAMPLES = 10, 640
Train = Callable[..., list[str]]


@pytest.fixture
def trained(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Train]:
    """Train an NPUEstimator for some steps; the lines that TensorFlow logged."""
    from npu_bridge.npu_init import NPUEstimator, NPURunConfig

    monkeypatch.setenv("JOB_ID", "10086")
    monkeypatch.delenv("RANK_SIZE", raising=False)
    job.forget()
    lines: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler, logger = Handler(), tf.get_logger()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)

    def train(steps: int | None, input_fn: Any = None, **config: Any) -> list[str]:
        del lines[:]
        folder = tmp_path / f"model_{len(list(tmp_path.iterdir()))}"
        settings = NPURunConfig(model_dir=str(folder), **config)
        NPUEstimator(model_fn, config=settings).train(input_fn or samples, steps=steps)
        return list(lines)

    yield train
    logger.setLevel(level)
    logger.removeHandler(handler)
    job.forget()


def samples(epochs: int | None = None) -> Any:
    numbers = np.arange(SAMPLES, dtype="float32").reshape(-1, 1) / SAMPLES
    data = tf.data.Dataset.from_tensor_slices(numbers).repeat(epochs)
    return data.batch(BATCH, drop_remainder=True)


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(features * weight), name="the_loss")
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def with_loss(lines: list[str]) -> list[int]:
    """The steps of the lines with the loss."""
    found = [line for line in lines if line.startswith("loss = ")]
    return [int(line.partition("step = ")[2].partition(" ")[0]) for line in found]


def test_a01_mixed_compute_with_a_loop_is_refused_before_any_graph(
    device: Device,
) -> None:
    from npu_bridge.npu_init import NPURunConfig

    before = len(tf.get_default_graph().get_operations())
    with pytest.raises(ValueError, match="iterations_per_loop") as refused:
        NPURunConfig(mix_compile_mode=True, iterations_per_loop=10)
    assert "mix_compile_mode" in str(refused.value)
    assert len(tf.get_default_graph().get_operations()) == before
    assert NPURunConfig(mix_compile_mode=True, iterations_per_loop=1).mix_compile_mode


def test_a01_data_from_a_queue_are_warned_about(device: Device, trained: Train) -> None:
    def from_queue() -> Any:
        numbers = np.ones([SAMPLES, 1], "float32")
        one = tf.train.slice_input_producer([numbers], shuffle=False)[0]
        return tf.train.batch([one], BATCH)

    with pytest.warns(NpuLabWarning, match="queue.*Dataset"):
        trained(20, from_queue, iterations_per_loop=10)
    # No loop, and so no rule of the loop is broken either.
    codes = [one.code for one in device.diagnostics]
    assert codes == ["SINK050", "SINK026"]
    assert device.ledger.training_calls == 20


@pytest.mark.parametrize(
    ("n", "lines", "first"), [(1, 125, 0), (125, 1, 125), (1875, 1, 1875)]
)
@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
def test_a06_a_line_with_the_loss_comes_once_a_call(
    device: Device, trained: Train, n: int, lines: int, first: int
) -> None:
    logged = trained(
        1875,
        iterations_per_loop=n,
        log_step_count_steps=lines,
        save_checkpoints_steps=1875,
    )
    steps = with_loss(logged)
    plan = TrainingPlan(steps=1875, iterations_per_loop=n, log_step_count_steps=lines)
    assert len(steps) == len(plan.logged_steps) == (1 if n == 1875 else 15)
    assert steps[0] == first
    assert ("SINK048" in {one.code for one in device.diagnostics}) == (n == 1875)


def test_a06_a_single_line_is_announced(device: Device, trained: Train) -> None:
    with pytest.warns(NpuLabWarning, match=r"at the steps 1875 \(1 in all\)") as told:
        logged = trained(
            1875,
            iterations_per_loop=1875,
            log_step_count_steps=125,
            save_checkpoints_steps=1875,
        )
    assert len(told) == 1
    assert with_loss(logged) == [1875]


def test_a06_the_value_is_that_of_the_last_iteration(trained: Train) -> None:
    config = {"log_step_count_steps": 1, "save_checkpoints_steps": 100}
    values = {
        n: [
            line.partition(",")[0]
            for line in trained(20, iterations_per_loop=n, **config)
            if line.startswith("loss = ")
        ]
        for n in (1, 10)
    }
    assert values[10] == values[1][9::10]


@pytest.mark.parametrize("n", [1, 8])
def test_a15_what_will_be_trained_is_said_before_and_is_what_was_counted(
    device: Device, trained: Train, n: int
) -> None:
    logged = trained(64, iterations_per_loop=n, save_checkpoints_steps=64)
    note = next(one for one in device.diagnostics if one.code == "SINK050")
    share = Share.of_samples(SAMPLES, BATCH)
    assert note.facts == {
        "updates": share.updates,
        "batch": share.batch,
        "ranks": share.ranks,
        "global_batch": share.global_batch,
        "samples": share.samples,
    }
    said = logged.index(note.text())
    assert said < next(i for i, line in enumerate(logged) if line.startswith("loss ="))
    assert "64 updates with a batch of 10" in logged[said]
    assert "samples in all: 640" in logged[said]
    assert device.ledger.training_calls * n == share.updates
    assert device.ledger.batches_pulled * BATCH == share.samples


def test_a15_steps_are_those_of_each_device() -> None:
    assert Share.of_samples(SAMPLES, BATCH, ranks=2).updates == 32
    assert Share.of_samples(SAMPLES, BATCH, ranks=2).samples == SAMPLES
    # Steps that are given are not divided.
    assert Share(64, BATCH, ranks=2).updates == 64
