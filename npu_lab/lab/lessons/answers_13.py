"""Answers to the exercises of lesson 13: right ones, and the known wrong ones."""
# ruff: noqa: D103 (names that tell)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import npu_lab.tf1 as tf

Rows = Any
Build = Callable[[Any, Any], Any]


def network(x: Any, training: bool) -> Any:
    """As in the lesson."""
    hidden = tf.layers.dense(tf.cast(x, tf.float32) / 255, 64, name="hidden")
    hidden = tf.layers.batch_normalization(hidden, training=training)
    hidden = tf.layers.dropout(tf.nn.relu(hidden), 0.5, training=training)
    return tf.identity(tf.layers.dense(hidden, 10, name="scores"), name="logits")


def right_graph(build: Build) -> Any:
    return build(tf.placeholder(tf.uint8, [None, 784], name="input"), False)


def right_without_returning(build: Build) -> None:
    right_graph(build)


def another_name(build: Build) -> Any:
    return build(tf.placeholder(tf.uint8, [None, 784], name="x"), False)


def in_training(build: Build) -> Any:
    return build(tf.placeholder(tf.uint8, [None, 784], name="input"), True)


def decided_later(build: Build) -> Any:
    x = tf.placeholder(tf.uint8, [None, 784], name="input")
    return build(x, tf.placeholder(tf.bool, [], name="training"))


def with_an_iterator(build: Build) -> Any:
    data = tf.data.Dataset.from_tensors(np.zeros([1, 784], "uint8"))
    return build(tf.data.make_one_shot_iterator(data).get_next(), False)


def one_digit(build: Build) -> Any:
    return build(tf.placeholder(tf.uint8, [1, 784], name="input"), False)


def without_scores(build: Build) -> Any:  # noqa: ARG001
    return tf.placeholder(tf.uint8, [None, 784], name="input")


def repeated(batch: Rows, size: int) -> Rows:
    return np.concatenate([batch, np.repeat(batch[-1:], size - len(batch), axis=0)])


def zeros(batch: Rows, size: int) -> Rows:
    return np.pad(batch, ((0, size - len(batch)), (0, 0)))


def from_the_start(batch: Rows, size: int) -> Rows:
    return np.resize(batch, (size, batch.shape[1]))


def unchanged(batch: Rows, size: int) -> Rows:  # noqa: ARG001
    return batch


def doubled(batch: Rows, size: int) -> Rows:
    return np.concatenate([batch, np.zeros([size, batch.shape[1]])])


def in_front(batch: Rows, size: int) -> Rows:
    return np.pad(batch, ((size - len(batch), 0), (0, 0)))


def empty(batch: Rows, size: int) -> Rows:
    return np.pad(batch, ((0, size - len(batch)), (0, 0)), constant_values=np.nan)


def one_row(batch: Rows, size: int) -> Rows:
    return np.pad(batch, ((0, 64 - len(batch)), (0, 0))) if size == 64 else batch  # noqa: PLR2004


def a_list(batch: Rows, size: int) -> Any:
    return [*batch, *[0] * (size - len(batch))]
