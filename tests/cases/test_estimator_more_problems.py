"""Problems that users of Estimator mode really had, by their numbers: A10 and A11."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import NpuLabWarning
from npu_lab.bridge import job
from npu_lab.device import Device
from tests.bridge import estimators
from tests.device import models

N, STEPS, EVERY = 10, 40, 4


@pytest.fixture
def device(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("JOB_ID", "1")
    job.forget()
    yield device
    job.forget()


def train(folder: Path, save_summary_steps: int = 0, **params: Any) -> None:
    from npu_bridge.npu_init import NPUEstimator, NPUEstimatorSpec, NPURunConfig

    config = NPURunConfig(iterations_per_loop=N, save_summary_steps=save_summary_steps)
    params["spec"] = NPUEstimatorSpec
    made = NPUEstimator(estimators.model_fn, str(folder), config, params)
    made.train(estimators.input_fn, max_steps=STEPS)


# TensorFlow's hook thinks of the next step when it decides before a call: with every 4
# steps it leaves out each second loop end.
@pytest.mark.parametrize(
    ("every", "expected"), [(1, [10, 20, 30, 40]), (EVERY, [10, 30])]
)
def test_a10_a_plain_summary_warns_and_has_points_at_loop_ends_only(
    device: Device, tmp_path: Path, every: int, expected: list[int]
) -> None:
    with pytest.warns(NpuLabWarning) as caught:
        train(tmp_path, every)
    announced, *_ = [str(warning.message) for warning in caught]
    assert "summary" in announced
    assert f"steps {', '.join(map(str, expected))}" in announced
    steps = [step for tag, step in estimators.points(tmp_path) if tag == "loss"]
    assert steps == expected


@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
@pytest.mark.parametrize(
    ("every", "expected"),
    [(1, list(range(1, STEPS + 1))), (EVERY, list(range(EVERY, STEPS + 1, EVERY)))],
)
def test_a10_a_host_call_has_the_points_that_it_asks_for(
    device: Device, tmp_path: Path, every: int, expected: list[int]
) -> None:
    summary = tf.contrib.summary

    def write(step: Any, loss: Any) -> Any:
        with (
            summary.create_file_writer(
                str(tmp_path / "host"), max_queue=1000
            ).as_default(),
            summary.record_summaries_every_n_global_steps(every, global_step=step),
        ):
            summary.scalar("loss", loss, step=step)
            return summary.all_summary_ops()

    host_call = write, lambda step, loss: [step, loss]
    train(tmp_path / "model", host_call=host_call)
    assert estimators.points(tmp_path / "host") == [("loss", s) for s in expected]


def test_a10_a_summary_by_session_run_is_said_to_be_not_supported(
    device: Device,
) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = models.softmax()
        merged = tf.summary.scalar("loss", model.loss)
        with models.session(model, models.config(N)) as session:
            op = util.set_iteration_per_loop(session, model.train, N)
            with pytest.warns(NpuLabWarning, match="Not supported on the NPU: a summ"):
                session.run([op, merged])


def test_a11_the_npu_s_hook_comes_last_in_the_list_that_was_given(
    device: Device,
) -> None:
    from npu_bridge.npu_init import (
        NPUBroadcastGlobalVariablesHook,
        npu_hooks_append,
    )

    class Timing(tf.train.SessionRunHook):  # type: ignore[misc]
        total_time = 0.0

    mine = Timing()
    hooks = [mine]
    given = npu_hooks_append(hooks_list=hooks)
    assert given is hooks  # documented: it is changed in place
    assert len(given) == 2
    assert given[0] is mine
    assert isinstance(given[-1], NPUBroadcastGlobalVariablesHook)
    with pytest.raises(AttributeError, match="total_time"):
        _ = given[-1].total_time
    with tf.Graph().as_default():
        weight = tf.get_variable("w", initializer=1.0)
        with tf.train.MonitoredSession(hooks=given) as session:
            assert session.run(weight) == 1.0
    assert npu_lab.activate() is device
