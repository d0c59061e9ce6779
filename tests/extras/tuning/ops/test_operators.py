"""dropout, gelu and npu_rnn against plain TensorFlow, gradients included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from tests.device.models import config

X = np.linspace(0.5, 2.5, 6000, dtype=np.float32).reshape(60, 100)


def npu() -> Any:
    from npu_bridge import npu_init

    return npu_init


def run(*fetches: Any, feed: Any = None) -> Any:
    with tf.Session(config=config()) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("kind", [tf.float32, tf.float16, tf.float64])
def test_dropout_keeps_that_share_and_scales_it(device, keep, kind):
    del device
    with tf.Graph().as_default():
        x = tf.constant(X, kind)
        y = npu().npu_ops.dropout(x, keep, seed=3)
        (slope,) = tf.gradients(y, x)
        assert y.dtype == kind
        assert y.shape.as_list() == [60, 100]
        got, slope = run(y, slope)
    kept = got != 0
    # six standard deviations
    assert abs(kept.mean() - keep) < 6 * math.sqrt(keep * (1 - keep) / X.size)
    near = 2e-3 if kind == tf.float16 else 1e-6
    np.testing.assert_allclose(got[kept], X[kept] / keep, rtol=near)
    np.testing.assert_allclose(slope, kept / keep, rtol=near)


def test_dropout_in_other_forms(device):
    del device
    with tf.Graph().as_default():
        x = tf.constant(X)
        assert npu().npu_ops.dropout(x, 1) is x
        assert npu().npu_ops.dropout(x, keep_prob=1.0) is x
        prob = tf.placeholder(tf.float32, [])
        fed = npu().npu_ops.dropout(x, prob, seed=1)
        rows = npu().npu_ops.dropout(x, 0.5, noise_shape=[60, 1], seed=1)
        same = npu().npu_ops.dropout(x, 0.5, noise_shape=[None, 1], seed=1)
        with tf.Session() as session:
            whole = session.run(fed, {prob: 1.0})
            got, other = session.run([rows, same])
    np.testing.assert_array_equal(whole, X)
    kept = got != 0
    assert (kept.all(1) | ~kept.any(1)).all()
    assert 0 < kept.mean() < 1
    np.testing.assert_array_equal(got, other)


def test_dropout_refuses_what_the_adapter_refuses(device):
    del device
    with tf.Graph().as_default():
        for keep in (0, -0.5, 1.5, float("nan")):
            with pytest.raises(ValueError, match="keep_prob"):
                npu().npu_ops.dropout(tf.constant(X), keep)
        with pytest.raises(ValueError, match="floating"):
            npu().npu_ops.dropout(tf.constant([1, 2]), 0.5)


@pytest.mark.parametrize("calls", [[10, 10], [1] * 20, [1] * 5 + [5, 10]])
def test_dropout_goes_on_in_the_loop_as_in_plain_runs(device, calls):
    del device
    assert masks(calls) == masks([1] * 20)


def masks(calls: list[int]) -> float:
    """The sum of twenty dropouts, each weighted by its step."""
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        total = tf.get_variable("total", initializer=np.zeros(8, np.float64))
        y = npu().npu_ops.dropout(tf.ones([8]), 0.5, seed=7)
        weighted = tf.cast(y, tf.float64) * 3.0 ** tf.cast(-step, tf.float64)
        with tf.control_dependencies([total.assign_add(weighted)]):
            train = step.assign_add(1).op
        with tf.Session(config=config(max(calls))) as session:
            session.run(tf.global_variables_initializer())
            loop = npu().util.IterationPerLoop()
            sunk = loop.create_iteration_per_loop_var(train)
            for n in calls:
                if n > 1:
                    loop.load_iteration_per_loop_var(session, n)
                session.run(sunk if n > 1 else train)
            return float(session.run(total).sum())


@pytest.mark.parametrize("kind", [tf.float32, tf.float16])
def test_gelu_is_tensorflows_approximation(device, kind):
    del device
    given = np.linspace(-6, 6, 301)
    with tf.Graph().as_default():
        x = tf.constant(given, kind)
        y = npu().npu_unary_ops.gelu(x)
        got, slope = run(y, tf.gradients(y, x)[0])
    rounded = given.astype(kind.as_numpy_dtype).astype(np.float64)
    inner = math.sqrt(2 / math.pi) * (rounded + 0.044715 * rounded**3)
    t = np.tanh(inner)
    near = 6e-3 if kind == tf.float16 else 1e-5
    np.testing.assert_allclose(got, rounded * (1 + t) / 2, rtol=1e-6, atol=near)
    inner_slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * rounded**2)
    expected = (1 + t) / 2 + rounded * (1 - t**2) * inner_slope / 2
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=near)


@pytest.mark.parametrize("make", ["BasicRNNCell", "BasicLSTMCell", "GRUCell"])
@pytest.mark.parametrize("lengths", [None, [1, 4, 2]])
def test_rnn_is_the_one_over_time_of_tensorflow(device, make, lengths):
    del device
    given = np.random.RandomState(1).rand(4, 3, 5).astype(np.float32)

    def results(network: Any) -> Any:
        with tf.Graph().as_default():
            tf.set_random_seed(2)
            x = tf.constant(given)
            cell = getattr(tf.nn.rnn_cell, make)(6)
            outputs, state = network(cell, x)
            loss = tf.reduce_sum(outputs**2)
            weights = tf.trainable_variables()
            slopes = tf.gradients(loss, [x, *weights])
            return run(outputs, *tf.nest.flatten(state), *slopes)

    ours = results(
        lambda cell, x: npu().npu_rnn.npu_dynamic_rnn(
            cell, x, dtype=tf.float32, sequence_length=lengths
        )
    )
    stock = results(
        lambda cell, x: tf.nn.dynamic_rnn(
            cell, x, dtype=tf.float32, sequence_length=lengths, time_major=True
        )
    )
    assert ours[0].shape == (4, 3, 6)
    for one, other in zip(ours, stock, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_rnn_needs_to_know_the_time(device):
    del device
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3, 5])
        cell = tf.nn.rnn_cell.BasicRNNCell(6)
        with pytest.raises(ValueError, match="time"):
            npu().npu_rnn.npu_dynamic_rnn(cell, x, dtype=tf.float32)
