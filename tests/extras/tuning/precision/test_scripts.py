"""The ways of a script to a mode: NPURunConfig, and `npu-lab run`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from npu_lab.bridge import job
from npu_lab.extras.tuning import dump
from tests.bridge import estimators

SCRIPT = """
import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
custom = config.graph_options.rewrite_options.custom_optimizers.add()
custom.name = "NpuOptimizer"
custom.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
x = tf.placeholder(tf.float32, [2, 8, 8, 1])
kernel = tf.get_variable("kernel", [3, 3, 1, 2])
y = tf.nn.avg_pool2d(tf.nn.conv2d(x, kernel, 1, "SAME"), 2, 2, "VALID")
y = tf.reshape(y, [2, 32])
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    values = sess.run(y, {x: np.random.rand(2, 8, 8, 1)})
print(np.array_equal(values, values.astype(np.float16)))
"""


@pytest.fixture(autouse=True)
def _job(monkeypatch):
    monkeypatch.setenv("JOB_ID", "10086")
    job.forget()
    yield
    job.forget()


def _estimator(folder, iterations, **config):
    from npu_bridge.npu_init import NPUEstimator, NPUEstimatorSpec, NPURunConfig

    return NPUEstimator(
        estimators.model_fn,
        config=NPURunConfig(
            model_dir=str(folder),
            iterations_per_loop=iterations,
            tf_random_seed=1,
            **config,
        ),
        params={"spec": NPUEstimatorSpec},
    )


def test_an_estimator_trains_in_mixed_precision(device, tmp_path):
    trained = []
    for number, (iterations, mode) in enumerate(
        [(1, "mixed_float16"), (10, "mixed_float16"), (10, None)]
    ):
        made = _estimator(tmp_path / str(number), iterations, precision_mode_v2=mode)
        made.train(estimators.input_fn, max_steps=20)
        trained.append(estimators.values(made))
    plain, sunk, wide = trained
    for name in plain:
        np.testing.assert_array_equal(plain[name], sunk[name])
    assert any((wide[name] != sunk[name]).any() for name in wide)


def test_dump_config_of_an_estimator(device, tmp_path):
    from npu_bridge.npu_init import DumpConfig

    folder = tmp_path / "dumps"
    folder.mkdir()
    dumped = DumpConfig(enable_dump=True, dump_path=str(folder), dump_step="2|15")
    made = _estimator(tmp_path / "model", 10, dump_config=dumped)
    made.train(estimators.input_fn, max_steps=20)
    found = dump.dumps(folder)
    assert {one.step for one in found} == {2, 15}
    assert {"MatMul", "Relu", "BiasAddGrad"} <= {one.op_type for one in found}


def test_a_script_writes_nothing_of_tensorflows_own(tmp_path: Path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    command = [sys.executable, "-m", "npu_lab", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "True" in done.stdout.splitlines()
    assert "oneDNN" not in done.stderr
