"""What is fed to a sunk call, what is refused, and what fails, as in TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from tests.device.counting import N, fetched, model
from tests.device.models import config
from tests.device.training import same

ignored = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


def sparse_feed(m: Any) -> Any:
    m.holder = tf.sparse_placeholder(tf.float32, [3, 2])
    return tf.sparse.to_dense(m.holder) * m.float


def ragged_feed(m: Any) -> Any:
    m.holder = tf.ragged.placeholder(tf.float32, 1, [])
    product = m.holder * m.float
    return [product.values, product.row_splits, m.holder.flat_values]


def scalar_feed(m: Any) -> Any:
    m.holder = tf.placeholder_with_default(2.0, [])
    return [m.holder, m.holder * m.float, m.number]


def open_feed(m: Any) -> Any:
    m.holder = tf.placeholder(tf.float32)
    return [m.holder, tf.shape(m.holder), m.holder * m.float]


def inner_feed(m: Any) -> Any:
    """A tensor in the middle of the model is fed: what is behind it does not run."""
    m.holder = m.vector
    return [m.vector, m.vector * m.float, m.slices]


FEEDS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "SparseTensorValue": (
        sparse_feed,
        tf.SparseTensorValue(
            np.array([[0, 0], [2, 1]]), np.float32([1, 5]), np.array([3, 2])
        ),
    ),
    "a sparse tuple": (sparse_feed, ([[0, 0], [2, 1]], [1.0, 5.0], [3, 2])),
    "RaggedTensorValue": (
        ragged_feed,
        tf.ragged.constant_value([[1.0], [], [2.0, 3.0]], dtype="float32"),
    ),
    "default": (scalar_feed, 5),
    "unknown rank, scalar": (open_feed, 3.0),
    "unknown rank, array": (open_feed, np.ones([2, 1, 2])),
    "inner tensor": (inner_feed, [4, 5, 6]),
}


@pytest.fixture(params=list(FEEDS))
def fed(request: pytest.FixtureRequest) -> tuple[Any, Any, list[Any]]:
    npu_lab.deactivate()
    shape, value = FEEDS[request.param]
    theirs = fetched(shape, sunk=False, feed=lambda m: {m.holder: value})
    return shape, value, theirs


@ignored
def test_what_is_fed_reaches_every_step(
    fed: tuple[Any, Any, list[Any]], device: Device
) -> None:
    shape, value, theirs = fed
    mine = fetched(shape, sunk=True, feed=lambda m: {m.holder: value})
    assert device.ledger.device_iterations == 2 * N
    same(mine, theirs)


def test_a_fed_batch_leaves_the_dataset_where_it_is(
    sunk: SimpleNamespace, device: Device
) -> None:
    with pytest.warns(NpuLabWarning, match="SINK039"):
        sunk.opened.run(sunk.sunk, {sunk.number: 100})
    assert sunk.opened.run(sunk.variable) == 300
    assert device.ledger.batches_pulled == 0
    sunk.opened.run(sunk.sunk)
    assert sunk.opened.run(sunk.variable) == 306


# --- errors ---


def other_graph(m: Any) -> Any:
    with tf.Graph().as_default():
        return tf.constant(1.0)


WRONG: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "no such name": (lambda m: "nothing:0", lambda m: None),
    "no such output": (lambda m: "number:1", lambda m: None),
    "None": (lambda m: None, lambda m: None),
    "a number": (lambda m: [3], lambda m: None),
    "another graph's": (other_graph, lambda m: None),
    "feed: no such name": (lambda m: m.number, lambda m: {"nothing:0": 1}),
    "feed: an operation": (lambda m: m.number, lambda m: {"number": 1}),
    "feed: wrong shape": (lambda m: m.number, lambda m: {m.vector: [1.0]}),
    "feed: wrong type": (lambda m: m.number, lambda m: {m.vector: ["a", "b", "c"]}),
    "feed: a tensor": (lambda m: m.number, lambda m: {m.vector: m.vector}),
    "feed: too large": (lambda m: m.number, lambda m: {m.number: 2**70}),
    "feed: a list": (lambda m: m.number, lambda m: [1]),
}


def refused(opened: Any, m: Any, train: Any, what: str) -> tuple[type, str]:
    fetch, feed = WRONG[what]
    with pytest.raises((TypeError, ValueError, KeyError, OverflowError)) as caught:
        opened.run([train, fetch(m)], feed(m))
    return caught.type, str(caught.value).replace("IterationOp", m.train.name)


@ignored
@pytest.mark.parametrize("what", list(WRONG))
def test_a_wrong_call_is_refused_as_by_tensorflow(
    sunk: SimpleNamespace, device: Device, what: str
) -> None:
    before = device.ledger.session_runs
    mine = refused(sunk.opened, sunk, sunk.sunk, what)
    assert device.ledger.session_runs == before
    with tf.Session() as host:  # no NpuOptimizer: not on the device
        theirs = refused(host, sunk, sunk.train, what)
    assert mine[0] is theirs[0]
    assert addressless(mine[1]) == addressless(theirs[1])
    assert sunk.opened.run([sunk.sunk, sunk.number]) == [None, N]


def addressless(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def test_a_check_that_fails_in_the_loop_keeps_the_steps_done(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        m = model()
        bad = tf.where_v2(tf.equal(m.number, 7), np.nan, m.float)
        checked = tf.check_numerics(bad, "the number is not a number")
        total = tf.get_variable("sum", [], initializer=tf.zeros_initializer())
        train = tf.assign_add(total, checked).op
        with tf.Session(config=config(10)) as opened:
            opened.run([tf.global_variables_initializer(), m.setup])
            sunk = util.set_iteration_per_loop(opened, train, 10)
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="the number is not a number"
            ):
                opened.run([sunk, checked])
            assert opened.run(total) == sum(range(1, 7))
            assert device.ledger.device_iterations == 6
            assert device.ledger.batches_pulled == 7
            assert opened.run([sunk, m.number]) == [None, 17]
            assert opened.run(total) == sum(range(1, 18)) - 7
    assert device.ledger.device_iterations == 16
