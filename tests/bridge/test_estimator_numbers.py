"""An NPUEstimator trains the numbers that TensorFlow's own sessions train."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.bridge import job
from npu_lab.device import Device
from tests.bridge import estimators

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
STEPS = 60

# Plain TensorFlow, without npu_lab: trains on from the checkpoint in a folder, or anew.
PLAIN = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
assert "npu_lab" not in sys.modules
folder, last = sys.argv[1], int(sys.argv[2])
x = tf.constant(np.eye(4, 12), tf.float32)
def dense(x, name, size, seed):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [x.shape[1], size],
            initializer=tf.truncated_normal_initializer(seed=seed))
        bias = tf.get_variable("bias", [size], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, kernel), bias)
step = tf.train.get_or_create_global_step()
scores = dense(tf.nn.relu(dense(x, "dense", 16, 1)), "dense_1", 4, 2)
loss = tf.losses.softmax_cross_entropy(tf.eye(4), scores)
train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(last_step=last)],
    log_step_count_steps=None, save_checkpoint_steps=10) as session:
    first = session.run_step_fn(
        lambda step_context: step_context.session.run(step))
    while not session.should_stop():
        session.run(train)
print("FIRST", first)
"""


@pytest.fixture
def device(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("JOB_ID", "1")
    job.forget()
    yield npu_lab.activate(view=True)
    job.forget()


def made(folder: Path, iterations: int, **params: Any) -> Any:
    from npu_bridge.npu_init import NPUEstimator, NPURunConfig

    return NPUEstimator(
        estimators.model_fn,
        str(folder),
        NPURunConfig(iterations_per_loop=iterations, save_checkpoints_steps=20),
        params,
    )


def by_hand(folder: Path) -> None:
    """The same training in a MonitoredTrainingSession, without a device."""
    npu_lab.deactivate()
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        iterator = tf.data.make_initializable_iterator(estimators.input_fn())
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        _, loss = estimators.build(*iterator.get_next())
        train = estimators.minimize(loss)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder),
            hooks=[tf.train.StopAtStepHook(last_step=STEPS)],
            save_checkpoint_steps=20,
        ) as session:
            while not session.should_stop():
                session.run(train)


def saved(folder: Path, step: int) -> dict[str, Any]:
    reader = tf.train.load_checkpoint(str(folder / f"model.ckpt-{step}"))
    names = reader.get_variable_to_shape_map()
    return {name: reader.get_tensor(name) for name in names}


def checkpoints(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.index"))


def test_a_loop_of_ten_one_step_and_a_hand_written_session_are_equal_to_the_bit(
    device: Device, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("sunk", "one", "by hand")}
    made(folders["sunk"], 10).train(estimators.input_fn, max_steps=STEPS)
    assert device.ledger.device_iterations == STEPS
    made(folders["one"], 1).train(estimators.input_fn, max_steps=STEPS)
    by_hand(folders["by hand"])
    expected = [f"model.ckpt-{step}" for step in (0, 20, 40, 60)]
    for folder in folders.values():
        assert checkpoints(folder) == expected
    for step in (0, 20, 40, 60):
        first, *others = (saved(folder, step) for folder in folders.values())
        assert first["global_step"] == step
        for other in others:
            assert sorted(first) == sorted(other)
            for name, value in first.items():
                assert np.array_equal(value, other[name]), (step, name)


def test_a_loop_trained_in_parts_ends_where_one_training_does(
    device: Device, tmp_path: Path
) -> None:
    whole, parts = made(tmp_path / "whole", 10), made(tmp_path / "parts", 10)
    whole.train(estimators.one_batch, max_steps=STEPS)
    for _ in range(3):
        parts.train(estimators.one_batch, steps=STEPS // 3)
    in_parts = estimators.values(parts)
    for name, value in estimators.values(whole).items():
        assert np.array_equal(value, in_parts[name]), name


def plainly(folder: Path, last: int) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", PLAIN, str(folder), str(last)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


def test_plain_tensorflow_goes_on_from_a_checkpoint_written_here_and_the_reverse(
    device: Device, tmp_path: Path
) -> None:
    here = made(tmp_path, 10)
    here.train(estimators.input_fn, max_steps=20)
    names = here.get_variable_names()
    assert not [name for name in names if "npu" in name]
    assert "FIRST 20" in plainly(tmp_path, 30)
    there = saved(tmp_path, 30)
    assert sorted(there) == sorted(names)
    here.train(estimators.input_fn, max_steps=40)
    assert here.get_variable_value("global_step") == 40
    assert device.ledger.device_iterations == 30
    restored = made(tmp_path, 10)
    evaluated = restored.evaluate(
        estimators.input_fn, steps=1, checkpoint_path=str(tmp_path / "model.ckpt-30")
    )
    assert evaluated["global_step"] == 30
