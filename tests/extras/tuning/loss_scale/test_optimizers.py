"""The two optimizers, what they are called, and the warnings about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from tests.device.models import config
from tests.extras.tuning.loss_scale.test_schedules import (
    by_loss_scale_optimizer,
    by_npu_optimizer,
    manager,
)
from tests.extras.tuning.loss_scale.trainings import STEPS, trained, values


def npu() -> Any:
    from npu_bridge import npu_init

    return npu_init


def sgd() -> Any:
    return tf.train.GradientDescentOptimizer(0.1)


def codes(device: Any) -> list[str]:
    return [one.code for one in device.diagnostics]


def test_the_names_are_the_adapters(device):
    del device
    with tf.Graph().as_default():
        fixed = npu().FixedLossScaleManager(2)
        assert npu().NPUOptimizer(sgd()).get_name() == (
            "NPUOptimizerGradientDescentOptimizer"
        )
        wrapped = npu().NPULossScaleOptimizer(sgd(), fixed)
        assert wrapped.get_name() == "NPULossScaleOptimizermodule"
        wrapped.minimize(tf.get_variable("w", initializer=1.0) * 2.0)
        names = [o.name for o in tf.get_default_graph().get_operations()]
        assert any(n.startswith("NPULossScaleOptimizermodule/") for n in names)
        assert wrapped._learning_rate == 0.1  # what it has not, the inner one has


def test_what_cannot_be_is_refused(device):
    del device
    with tf.Graph().as_default():
        fixed = npu().FixedLossScaleManager(2)
        with pytest.raises(ValueError, match="loss_scale_manager"):
            npu().NPUOptimizer(sgd(), is_loss_scale=True)
        with pytest.raises(ValueError, match="is_distributed"):
            npu().NPUOptimizer(
                sgd(), fixed, is_loss_scale=True, is_tailing_optimization=True
            )
        with pytest.raises(ValueError, match=r"tf\.train"):
            npu().NPULossScaleOptimizer("sgd", fixed)
        other = tf.get_variable("other", initializer=1.0)
        with pytest.raises(ValueError, match="other:0"):
            npu().NPULossScaleOptimizer(sgd(), fixed).apply_gradients([(None, other)])


def test_without_a_loss_scale_npu_optimizer_is_the_inner_one(device):
    del device
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=1.0)
        plain = npu().NPUOptimizer(sgd(), npu().FixedLossScaleManager(2))
        train = plain.minimize(w * 2.0)
        kinds = {o.type for o in tf.get_default_graph().get_operations()}
        assert not kinds & {"If", "StatelessIf"}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            assert session.run(w) == np.float32(1 - 0.1 * 2)


def test_slots_sparse_gradients_and_none_are_kept(device):
    del device
    with tf.Graph().as_default():
        table = tf.get_variable("table", initializer=np.ones([4, 2], np.float32))
        unused = tf.get_variable("unused", initializer=1.0)
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3]))
        inner = tf.train.MomentumOptimizer(0.5, 0.5)
        wrapped = npu().NPULossScaleOptimizer(inner, npu().FixedLossScaleManager(8))
        pairs = wrapped.compute_gradients(loss, [table, unused])
        assert isinstance(pairs[0][0], tf.IndexedSlices)
        assert pairs[1][0] is None
        train = wrapped.apply_gradients(pairs)
        assert wrapped.get_slot_names() == ["momentum"]
        assert wrapped.variables() == [wrapped.get_slot(table, "momentum")]
        with tf.Session(config=config()) as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            rows = session.run(table)
    assert rows.tolist() == [[1, 1], [0.5, 0.5], [1, 1], [0.5, 0.5]]


@pytest.mark.parametrize("n", [1, 10])
def test_a_scale_that_can_never_recover_is_told_once(device, n):
    data = values(range(8, STEPS), np.inf)
    schedule = {"init": 4.0, "every": 100, "decr_every": 1, "decr": 0.5}
    got = trained(lambda: manager(schedule), by_loss_scale_optimizer, data, n)
    assert (got.step, got.scale) == (8, 1)
    assert codes(device).count("SINK067") == 1


def test_the_warning_names_the_line_of_the_optimizer(device, recwarn):
    del device
    data = values(range(STEPS), np.inf)
    trained(lambda: manager({"init": 8.0}), by_loss_scale_optimizer, data, 10)
    (warning,) = [w for w in recwarn if "SINK067" in str(w.message)]
    assert warning.filename.endswith("trainings.py")


@pytest.mark.parametrize(
    ("schedule", "overflows"),
    [
        ({"init": 2.0**32, "every": 100, "decr_every": 1}, range(STEPS)),
        ({"init": 1.0, "every": 100}, range(0, STEPS, 2)),
        ({"init": 1024.0}, [i for i in range(STEPS) if i % 10]),
    ],
)
def test_a_scale_that_may_recover_is_not_warned_of(device, schedule, overflows):
    data = values(overflows, np.inf)
    trained(lambda: manager(schedule), by_loss_scale_optimizer, data, 10)
    assert "SINK067" not in codes(device)


def test_a_manager_under_control_dependencies_is_told(device):
    with tf.Graph().as_default():
        manager({"init": 2.0, "every": 2})
        assert codes(device) == []
        with tf.control_dependencies([tf.no_op()]):
            manager({"init": 2.0, "every": 2})
    assert codes(device) == ["SINK068"]


def test_is_distributed_on_one_rank_is_told_and_harmless(device):
    def wrap(optimizer: Any, used: Any) -> Any:
        return npu().NPUOptimizer(
            optimizer, used, is_distributed=True, is_loss_scale=True
        )

    data = values((3,), 60000.0)
    schedule = {"init": 8.0, "every": 5}
    got = trained(lambda: manager(schedule), wrap, data, 10)
    assert got == trained(lambda: manager(schedule), by_npu_optimizer, data, 10)
    assert codes(device).count("SINK069") == 1
