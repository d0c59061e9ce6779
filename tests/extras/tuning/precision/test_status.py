"""The float status: set by an overflow, read and cleared inside a step."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.tuning.precision import status
from tests.device import models
from tests.extras.tuning.precision.runs import saturate

BIG = np.array([300, 2], np.float32)
SMALL = np.array([3, 2], np.float32)
CLEAN, SET = [0] * 8, [1, *[0] * 7]


def _graph(build, dtype=tf.float32):
    """x, and (result, status after it), and what clears the status."""
    x = tf.placeholder(dtype, [2])
    result = build(x)
    with tf.control_dependencies([result]):
        found = status.get()
    return x, (result, found), status.clear()


def _session(**options):
    from npu_bridge.npu_init import util  # noqa: F401

    return tf.Session(config=models.config(**options))


@pytest.mark.parametrize("saturates", [False, True])
@pytest.mark.parametrize(
    "build",
    [
        lambda x: x * x,
        lambda x: tf.cond(x[0] > 100, lambda: x * x, lambda: x + 0.0),
        lambda x: tf.while_loop(
            lambda i, y: i < 1, lambda i, y: (i + 1, y * y), [0, x]
        )[1],
        tf.function(lambda y: y * y),
    ],
    ids=["plain", "cond", "while", "function"],
)
def test_it_is_set_until_it_is_cleared(device, build, saturates):
    saturate(saturates)
    with tf.Graph().as_default(), _session(precision_mode="force_fp16") as session:
        x, fetches, clear = _graph(build)
        assert session.run(fetches, {x: SMALL})[1].tolist() == CLEAN
        assert session.run(fetches, {x: BIG})[1].tolist() == SET
        assert session.run(fetches, {x: SMALL})[1].tolist() == SET
        assert session.run(status.get()).tolist() == SET
        session.run(clear)
        assert session.run(fetches, {x: SMALL})[1].tolist() == CLEAN


def test_it_needs_no_initializer_and_is_in_no_collection(device):
    with tf.Graph().as_default() as graph, _session() as session:
        assert session.run(status.get()).tolist() == CLEAN
        assert graph.get_all_collection_keys() == []


def test_each_session_has_its_own(device):
    with tf.Graph().as_default():
        x, fetches, _ = _graph(lambda x: x * x)
        with _session(precision_mode="force_fp16") as session:
            assert session.run(fetches, {x: BIG})[1].tolist() == SET
        with _session(precision_mode="force_fp16") as session:
            assert session.run(fetches, {x: SMALL})[1].tolist() == CLEAN


@pytest.mark.parametrize(("factor", "wanted"), [(1e30, CLEAN), (1e38, SET)])
def test_an_overflow_of_float32_sets_it_too(device, factor, wanted):
    with tf.Graph().as_default(), _session() as session:
        x, fetches, _ = _graph(lambda x: x * factor)
        assert session.run(fetches, {x: BIG})[1].tolist() == wanted


def test_float16_of_the_scripts_own_sets_it_too(device):
    with tf.Graph().as_default(), _session() as session:
        x, fetches, _ = _graph(lambda x: x * x, tf.float16)
        assert session.run(fetches, {x: BIG})[1].tolist() == SET


def test_the_cast_of_an_input_sets_it(device):
    with tf.Graph().as_default(), _session(precision_mode="force_fp16") as session:
        x, fetches, _ = _graph(lambda x: x * 0.1)
        assert session.run(fetches, {x: BIG * 300})[1].tolist() == SET


@pytest.mark.parametrize("option", [1, 10])
def test_it_is_read_and_cleared_in_each_pass_of_a_loop(device, option):
    """Of 20 batches, 4 overflow: each is seen in its own step, sunk or not."""
    from npu_bridge.npu_init import util

    data = np.ones([20, 2], np.float32)
    data[[3, 4, 11, 19]] = 300
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices(data)
        iterator = tf.data.make_initializable_iterator(dataset)
        weight = tf.get_variable("w", initializer=np.float32(1))
        seen = tf.get_variable("seen", initializer=np.int32(0), trainable=False)
        x = iterator.get_next()
        optimizer = tf.train.GradientDescentOptimizer(1e-6)
        pairs = optimizer.compute_gradients(tf.reduce_sum(x * x * weight))
        with tf.control_dependencies([gradient for gradient, _ in pairs]):
            found = status.get()
        with tf.control_dependencies([found]):
            clear = status.clear()
        with tf.control_dependencies([clear]):
            count = seen.assign_add(tf.reduce_sum(found))
        finite = tf.reduce_all(tf.equal(found, 0))
        update = tf.cond(finite, lambda: optimizer.apply_gradients(pairs), tf.no_op)
        train = tf.group(update, count)
        config = models.config(option, precision_mode="force_fp16")
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            if option > 1:
                train = util.set_iteration_per_loop(session, train, option)
            for _ in range(20 // option):
                session.run(train)
            assert session.run(seen) == 4
            assert session.run(status.get()).tolist() == CLEAN


def test_the_vendors_names(device):
    from npu_bridge.estimator import npu_ops

    with tf.Graph().as_default(), _session(precision_mode="force_fp16") as session:
        x = tf.placeholder(tf.float32, [2])
        with tf.control_dependencies([x * x]):
            second = npu_ops.npu_get_float_status_v2()
            allocated = npu_ops.npu_alloc_float_status()
            first = npu_ops.npu_get_float_status(allocated)
        zeros = npu_ops.npu_clear_float_status(first)
        got = session.run([first, second], {x: BIG})
        assert [one.tolist() for one in got] == [SET, SET]
        assert [one.dtype for one in got] == [np.float32, np.int32]
        assert session.run(zeros, {x: BIG}).tolist() == CLEAN
        assert session.run(status.get()).tolist() == CLEAN
        session.run([first, second], {x: BIG})
        session.run(npu_ops.npu_clear_float_status_v2())
        assert session.run(status.get()).tolist() == CLEAN
