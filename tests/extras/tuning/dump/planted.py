"""Random models with one planted operator that overflows in one batch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import npu_lab.tf1 as tf

BATCHES, ROWS = 10, 4


def _square(h: Any, t: Any) -> Any:
    return tf.multiply(h * t, t, name="planted")


def _exponential(h: Any, t: Any) -> Any:
    return tf.exp(h * t, name="planted")


def _quotient(h: Any, t: Any) -> Any:
    # Without a gradient, which would divide as much by itself.
    planted = tf.divide((h + 2.0) * t, 0.01, name="planted")
    return h + tf.stop_gradient(planted)


def _product(h: Any, t: Any) -> Any:
    width = h.shape[1].value
    return tf.matmul(h * t, tf.fill([width, width], 200.0), name="planted")


def _total(h: Any, t: Any) -> Any:
    name = "planted"
    return h + tf.reduce_sum(h * t * 50.0, axis=1, keepdims=True, name=name)


def _logarithm(h: Any, t: Any) -> Any:
    return tf.math.log(tf.nn.relu(300.0 - t), name="planted") + h


PLANTS: tuple[Callable[[Any, Any], Any], ...] = (
    _square,
    _exponential,
    _quotient,
    _product,
    _total,
    _logarithm,
)
KINDS = {
    _square: "Mul",
    _exponential: "Exp",
    _quotient: "RealDiv",
    _product: "MatMul",
    _total: "Sum",
    _logarithm: "Log",
}


class Planted:
    """A model whose planted operator overflows in batch `at`, and nothing before it.

    `train` is its training operation, `iterator` that of its data.
    """

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)  # noqa: S311
        self.at = self.choose.randrange(BATCHES)
        self.plant = self.choose.choice(PLANTS)
        self.kind = KINDS[self.plant]
        width = self.choose.choice([4, 6, 8])
        rng = np.random.RandomState(seed)
        x = rng.rand(BATCHES, ROWS, width).astype(np.float32)
        trigger = np.ones([BATCHES], np.float32)
        trigger[self.at] = 300
        dataset = tf.data.Dataset.from_tensor_slices((x, trigger))
        self.iterator = tf.data.make_initializable_iterator(dataset)
        h, t = self.iterator.get_next()
        layers = self.choose.randrange(2, 6)
        place = self.choose.randrange(layers)
        for number in range(layers):
            h = self._layer(h, number)
            if number == place:
                h = self.plant(tf.sigmoid(h) + 1.0, t)
        labels = tf.one_hot([0, 1, 2, 3], width)
        crossed = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=h)
        self.loss = tf.reduce_mean(crossed)
        self.train = tf.train.GradientDescentOptimizer(1e-3).minimize(self.loss)

    def _layer(self, h: Any, number: int) -> Any:
        width = h.shape[1].value
        start = tf.random_uniform_initializer(-0.5, 0.5, seed=number)
        weights = tf.get_variable(f"w{number}", [width, width], initializer=start)
        bias = tf.get_variable(f"b{number}", [width], initializer=start)
        new = tf.nn.bias_add(tf.matmul(tf.tanh(h), weights), bias)
        kind = self.choose.choice(["relu", "sigmoid", "residual", "mean", "softmax"])
        if kind == "relu":
            return tf.nn.relu(new)
        if kind == "sigmoid":
            return tf.sigmoid(new)
        if kind == "residual":
            return new + h
        if kind == "softmax":
            return tf.nn.softmax(new) * h
        return new - tf.reduce_mean(new, 1, keepdims=True)
