"""Contestants under the hooks of TensorFlow 1: an Estimator, a monitored session.

An Estimator is measured as Keras is: one long `train` for each measurement.  Timed is
the second half of its host calls: building, restoring, and what a thread writes for the
first half second (the graph, in which are the data) are left out.  Checkpoints are
written at both ends only.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from typing import Any

from benchmarks import models
from benchmarks.graphs import activated_tensorflow, plain_tensorflow, variables_of
from benchmarks.worker import Contestant, repeat

NEVER = 10**9


def sunk(model: str) -> Contestant:
    """An NPUEstimator at the model's N, as a user writes it."""
    os.environ["JOB_ID"] = "10086"
    tf = activated_tensorflow()
    from npu_bridge.npu_init import NPUEstimator, NPURunConfig

    spec = models.MODELS[model]
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = models.loss(tf, model, variables_of(tf, model), features, labels)
        optimizer = tf.train.GradientDescentOptimizer(spec.learning_rate)
        train = optimizer.minimize(loss, global_step=tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    ends: list[float] = []

    class Clock(tf.train.SessionRunHook):
        """Notes the end of each host call."""

        def after_run(self, *_: Any) -> None:
            ends.append(time.perf_counter())

    config = NPURunConfig(
        model_dir=folder,
        iterations_per_loop=spec.steps,
        save_checkpoints_steps=NEVER,
        log_step_count_steps=NEVER,
    )
    estimator = NPUEstimator(model_fn, config=config)

    def run(steps: int) -> None:
        estimator.train(lambda: models.pipeline(tf), hooks=[Clock()], steps=steps)

    def measure(seconds: float) -> dict[str, float]:
        ends.clear()
        run(2 * models.steps_of_fit(spec, seconds))
        timed = ends[len(ends) // 2 :]
        return {"time": (timed[-1] - timed[0]) / (len(timed) - 1) / spec.steps}

    def variables(steps: int) -> list[Any]:
        run(steps)
        return [estimator.get_variable_value(name) for name in spec.shapes]

    return Contestant(measure, variables, f"N = {spec.steps}")


def monitored(model: str) -> Contestant:
    """Stock `MonitoredTrainingSession` with its hooks, one call a step."""
    tf = plain_tensorflow()
    iterator = tf.data.make_initializable_iterator(models.pipeline(tf))
    x, y = iterator.get_next()
    step = tf.train.get_or_create_global_step()
    variables = variables_of(tf, model)
    loss = models.loss(tf, model, variables, x, y)
    rate = models.MODELS[model].learning_rate
    optimizer = tf.train.GradientDescentOptimizer(rate)
    train = optimizer.minimize(loss, global_step=step)
    scaffold = tf.train.Scaffold(
        local_init_op=tf.group(
            tf.train.Scaffold.default_local_init_op(), iterator.initializer
        )
    )
    hooks = [tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=NEVER)]
    session = tf.train.MonitoredTrainingSession(scaffold=scaffold, hooks=hooks)

    def call() -> None:
        session.run([train, loss])

    timed = repeat(call)

    def values(steps: int) -> list[Any]:
        for _ in range(steps):
            call()
        return list(session.run(list(variables.values())))

    return Contestant(lambda seconds: {"time": timed(seconds)}, values, "N = 1")
