from __future__ import annotations

from typing import Any

import pytest

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu import util
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
