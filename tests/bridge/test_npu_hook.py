from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from npu_lab._tensorflow import tf
from npu_lab.bridge import channels
from npu_lab.bridge.estimator.npu import npu_hook, util
from npu_lab.bridge.estimator.npu.npu_hook import SetIterationsVarHook

v1 = tf.compat.v1


def run_with(hook: Any, train_op: Any, weight: Any) -> Any:
    """The loaded count after one step in a monitored session."""
    op = tf.group(train_op, name="IterationOp")
    with v1.train.MonitoredSession(hooks=[hook]) as sess:
        sess.run(op)
        assert sess.run(weight) == 1.0
        return sess.run(util.create_or_get_var("iterations_per_loop"))


@pytest.mark.parametrize("iterations", [1, 10])
def test_the_hook_creates_before_the_graph_is_finalized_and_loads_after(
    train_op: Any, weight: Any, capsys: pytest.CaptureFixture[str], iterations: int
) -> None:
    count = run_with(SetIterationsVarHook(iterations), train_op, weight)
    assert count == iterations - 1
    assert capsys.readouterr().out.splitlines() == [
        "load iterations_per_loop value -----------",
        str(iterations - 1),
    ]


def test_no_count_fails_when_the_session_is_there(train_op: Any, weight: Any) -> None:
    hook = SetIterationsVarHook()
    with pytest.raises(TypeError, match="iterations_per_loop is None"):
        run_with(hook, train_op, weight)


def stepping(hooks: list[Any], steps: int) -> Any:
    """Run a counter in a monitored session; returns the counter's tensor."""
    count = v1.get_variable("count", initializer=0.0, use_resource=True)
    op = v1.assign_add(count, 1.0)
    with v1.train.MonitoredSession(hooks=hooks) as session:
        for _ in range(steps):
            session.run(op)
    return op


class TestOutputTensorHook:
    def collect(self, graph: Any, **how: Any) -> list[list[dict[Any, Any]]]:
        handed: list[list[dict[Any, Any]]] = []
        seven = tf.constant(7.0, name="seven")
        tensors = how.pop("tensors", {"seven": seven})
        hook = npu_hook.NPUOutputTensorHook(tensors, output_fn=handed.append, **how)
        stepping([hook], 5)
        return handed

    def test_hands_over_every_few_runs_and_the_rest_at_the_end(
        self, graph: Any
    ) -> None:
        handed = self.collect(graph, output_every_n_steps=2)
        assert [len(part) for part in handed] == [2, 2, 1]
        assert handed[0] == [{"seven": 7.0}] * 2

    def test_hands_over_nothing_twice(self, graph: Any) -> None:
        handed = self.collect(graph, output_every_n_steps=5)
        assert [len(part) for part in handed] == [5]

    def test_takes_names_and_lists_and_nothing(self, graph: Any) -> None:
        handed = self.collect(graph, tensors=["seven:0"], output_every_n_steps=5)
        assert handed[0][0] == {"seven:0": 7.0}

    def test_without_tensors_fetches_nothing(self, graph: Any) -> None:
        handed = self.collect(graph, tensors=None, output_every_n_steps=5)
        assert handed == [[{}] * 5]

    def test_its_own_default_is_a_division_by_zero(self, graph: Any) -> None:
        with pytest.raises(ZeroDivisionError, match="output_every_n_steps is 0"):
            self.collect(graph)

    def test_dependencies_run_too_and_want_a_dict(self, graph: Any) -> None:
        ran: list[int] = []
        added = v1.py_func(lambda: ran.append(1) or 0, [], tf.int64)
        handed = self.collect(
            graph,
            tensors={"one": tf.constant(1.0)},
            dependencies=[added],
            output_every_n_steps=5,
        )
        assert handed == [[{"one": 1.0}] * 5]
        assert len(ran) == 5
        with pytest.raises(ValueError, match="must be a dict"):
            npu_hook.NPUOutputTensorHook(["x"], dependencies=[added])


class TestTellMeStepOrLossHook:
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("STEP_NOW", "TOTAL_STEP", "LOSS_NOW", "TARGET_LOSS"):
            monkeypatch.setenv(name, "before")

    def test_publishes_step_and_loss(self, graph: Any) -> None:
        hook = npu_hook.TellMeStepOrLossHook(
            tf.constant(3), 10, tf.constant(0.5), final_loss=0.1
        )
        names = ("STEP_NOW", "TOTAL_STEP", "LOSS_NOW", "TARGET_LOSS")
        assert [os.environ[name] for name in names] == ["0", "10", "0.0", "0.1"]
        stepping([hook], 1)
        assert [os.environ[name] for name in names] == ["3", "10", "0.5", "0.1"]

    def test_one_of_the_two_is_enough_and_none_is_not(self, graph: Any) -> None:
        stepping([npu_hook.TellMeStepOrLossHook(step=tf.constant(4))], 1)
        assert os.environ["STEP_NOW"] == "4"
        assert os.environ["LOSS_NOW"] == "0.0"
        with pytest.raises(ValueError, match="step, or of the loss"):
            npu_hook.TellMeStepOrLossHook(total_step=10)


def test_the_saver_hook_saves_as_tensorflow_s_and_logs_each_step(
    graph: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    step = v1.train.get_or_create_global_step()
    advance = v1.assign_add(step, 1)
    hook = npu_hook.NPUCheckpointSaverHook(
        str(tmp_path), save_steps=2, saver=v1.train.Saver()
    )
    caplog.set_level("INFO", "tensorflow")
    with v1.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(3):
            session.run(advance)
    saved = {path.stem for path in tmp_path.glob("*.index")}
    assert saved == {f"model.ckpt-{n}" for n in (0, 2, 3)}
    lines = [r.getMessage() for r in caplog.records if "global_step..." in r.message]
    assert lines == ["global_step...1", "global_step...2", "global_step...3"]


def test_the_log_hook_prints_what_the_device_sends(
    graph: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    sent = channels.outfeed_enqueue_op("_npu_log", [tf.constant("from the device")])
    hook = npu_hook.NPULogOutfeedSessionHook(sys.stderr)
    with v1.train.MonitoredSession(hooks=[hook]) as session:
        session.run(sent)
    assert "from the device" in capfd.readouterr().err


@pytest.mark.usefixtures("no_extra")
def test_the_broadcast_is_for_several_ranks(
    weight: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = npu_hook.NPUBroadcastGlobalVariablesHook(0, 0)
    with v1.train.MonitoredSession(hooks=[hook, npu_hook.NPUShutDownHook()]) as session:
        assert session.run(weight) == 0.0
    monkeypatch.setenv("RANK_SIZE", "8")
    with pytest.raises(NotImplementedError, match=r"NPUBroadcast.*8 ranks"):
        hook.begin()
