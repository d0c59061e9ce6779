"""A model that counts, with much that can be computed from a number."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from tests.device.models import config
from tests.device.training import plain_config

N = 3


def model() -> SimpleNamespace:
    """A sum of 0, 1, 2, ... and much that can be computed from a number."""
    m = SimpleNamespace()
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(1, 1000))
    m.setup = iterator.initializer
    m.number = tf.identity(iterator.get_next(), name="number")
    m.variable = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
    m.train = tf.assign_add(m.variable, m.number).op
    m.float = tf.cast(m.number, tf.float32, name="float")
    m.text = tf.strings.join(["n", tf.strings.as_string(m.number)], name="text")
    m.vector = tf.stack([m.float, -m.float, m.float / 3.0])
    m.grown = tf.range(m.number)  # its shape changes from step to step
    m.rankless = tf.py_func(lambda i: np.ones([2] * i), [m.number], tf.float64)
    m.sparse = tf.SparseTensor([[0, 1], [2, 0]], tf.stack([m.number, 7]), [3, 2])
    m.grown_sparse = tf.sparse.from_dense(tf.linalg.diag(m.grown))
    m.slices = tf.IndexedSlices(m.vector, tf.constant([2, 0, 1]), tf.constant([5]))
    m.open_slices = tf.IndexedSlices(m.vector, tf.constant([2, 0, 1]))
    m.ragged = tf.RaggedTensor.from_row_lengths(
        tf.range(m.number + 2), tf.stack([m.number, 0, 2])
    )
    m.words = tf.RaggedTensor.from_row_lengths(tf.fill([m.number], m.text), [m.number])
    m.same_op = tf.no_op(name="nothing")
    return m


def fetched(
    shape: Callable[[Any], Any],
    *,
    sunk: bool,
    feed: Callable[[Any], Any] = lambda m: None,
) -> list[Any]:
    """What steps 3 and 6 give: two sunk calls, or six plain ones."""
    with tf.Graph().as_default():
        m = model()
        wanted = shape(m)
        with tf.Session(config=config(N) if sunk else plain_config()) as opened:
            opened.run([tf.global_variables_initializer(), m.setup])
            train, calls = m.train, 2 * N
            if sunk:
                from npu_bridge.npu_init import util

                train, calls = util.set_iteration_per_loop(opened, m.train, N), 2
            values = [opened.run([train, wanted], feed(m))[1] for _ in range(calls)]
            return values[calls // 2 - 1 :: calls // 2]
