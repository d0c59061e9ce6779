"""The data of the model families, and the pieces they are built from.

Every random operator has a seed of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from tests.device.training import Kept

BATCH, TIME, WIDTH, CLASSES, WORDS = 4, 5, 16, 3, 11
_rng = np.random.RandomState(17)
ROWS = 48
PIXELS = _rng.rand(ROWS, WIDTH).astype("float32")
TOKENS = _rng.randint(0, WORDS, (ROWS, TIME)).astype("int32")
LENGTHS = _rng.randint(1, TIME + 1, ROWS).astype("int32")
LABELS = _rng.randint(0, CLASSES, ROWS).astype("int32")
ZEROS = tf.zeros_initializer()


def iterator_of(*columns: Any, first: int = 0) -> Any:
    data = tf.data.Dataset.from_tensor_slices(tuple(c[first:] for c in columns))
    data = data.shuffle(16, seed=3).repeat().batch(BATCH, drop_remainder=True)
    return tf.data.make_initializable_iterator(data)


def weight(name: str, *shape: int, seed: int = 1, **how: Any) -> Any:
    start_value = tf.truncated_normal_initializer(stddev=0.4, seed=seed)
    return tf.get_variable(name, list(shape), initializer=start_value, **how)


def cross_entropy(logits: Any, labels: Any) -> Any:
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits
    )
    return tf.reduce_mean(losses)


def accuracy(logits: Any, labels: Any) -> Any:
    right = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels)
    return tf.reduce_mean(tf.cast(right, tf.float32))


def sgd(rate: Any = 0.1) -> Any:
    return tf.train.GradientDescentOptimizer(rate)


def classifier(
    logits_of: Callable[[Any], Any],
    optimizer: Callable[[], Any] = sgd,
    columns: Sequence[Any] = (PIXELS, LABELS),
    minimize: Callable[[Any, Any, Any], Any] | None = None,
    metrics: Callable[[], Sequence[Any]] = list,
) -> Kept:
    """A classifier on the last of `columns`; `logits_of` gets the others."""
    iterator = iterator_of(*columns)
    *inputs, labels = iterator.get_next()
    logits = logits_of(*inputs)
    loss = cross_entropy(logits, labels)
    count = tf.train.get_or_create_global_step()
    if minimize is None:
        train = optimizer().minimize(loss, global_step=count)
    else:
        train = minimize(loss, optimizer(), count)
    found = [accuracy(logits, labels), *metrics()]
    return Kept(train, loss, found, [iterator.initializer])


def linear(x: Any) -> Any:
    return tf.matmul(x, weight("w", WIDTH, CLASSES)) + weight("b", CLASSES, seed=2)


def dense(x: Any, units: int, name: str, **how: Any) -> Any:
    start_value = tf.glorot_uniform_initializer(seed=len(name))
    return tf.layers.dense(x, units, kernel_initializer=start_value, name=name, **how)
