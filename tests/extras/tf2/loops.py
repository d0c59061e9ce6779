"""Small loops in the documented pattern, and others, for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from npu_lab._tensorflow import tf


class Small:
    """A weight that each step moves towards its batch; `seen` counts the steps."""

    def __init__(
        self, batches: int | None = None, *, open_shapes: bool = False
    ) -> None:
        self.weight = tf.Variable(tf.zeros([2]))
        self.seen = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.sum = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.iterator = iter(data(batches, open_shapes=open_shapes))

    def step(self, number: Any) -> Any:
        """Take one batch: a vector [number] of int64."""
        value = tf.cast(number[0], tf.float32)
        self.weight.assign_sub(0.1 * (self.weight - value))
        self.seen.assign_add(1)
        self.sum.assign_add(number[0])
        return self.weight[0]


def data(batches: int | None = None, *, open_shapes: bool = False) -> Any:
    """0, 1, 2, ... in batches of one."""
    dataset = tf.data.Dataset.range(batches or 10**6)
    return dataset.batch(1, drop_remainder=not open_shapes)


def silent(model: Small) -> Any:
    """Exactly one While, nothing comes back: NPU_LOOP."""

    @tf.function
    def loop_train(iterator: Any, steps: Any) -> None:
        for _ in tf.range(steps):
            model.step(next(iterator))

    return loop_train


def telling(model: Small) -> Any:
    """The loss of the last step comes back: BUILTIN_LOOP."""

    @tf.function
    def loop_train(iterator: Any, steps: Any) -> Any:
        loss = 0.0
        for _ in tf.range(steps):
            loss = model.step(next(iterator))
        return loss

    return loop_train


def expected(batches: Any) -> Any:
    """The weight after these batches."""
    weight = np.float32(0)
    for number in batches:
        weight = weight - np.float32(0.1) * (weight - np.float32(number))
    return weight
