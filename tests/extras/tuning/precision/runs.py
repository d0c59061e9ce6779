"""Runs a computation in a session of the device, with precision options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from tests.device import models


def run(build: Callable[..., Any], inputs: Any, **options: Any) -> Any:
    """The values of what `build` makes of placeholders for `inputs`."""
    from npu_bridge.npu_init import util  # noqa: F401

    with tf.Graph().as_default():
        fed = {tf.placeholder(x.dtype, x.shape): x for x in map(np.asarray, inputs)}
        fetches = build(*fed)
        with tf.Session(config=models.config(**options)) as session:
            return session.run(fetches, fed)


def saturate(on: bool = True) -> None:
    """Choose the overflow mode as scripts do."""
    from npu_bridge.estimator.npu import npu_plugin

    npu_plugin.set_device_sat_mode(0 if on else 1)


def convolution() -> models.Model:
    """A small network of convolution, pooling and batch statistics."""
    x, y, extra = models._inputs("dataset")
    image = tf.reshape(x, [-1, 2, 6, 1])
    image = tf.tile(image, [1, 3, 1, 1])
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=4)
    kernel = tf.get_variable("kernel", [3, 3, 1, 4], initializer=start)
    hidden = tf.nn.conv2d(image, kernel, strides=1, padding="SAME")
    hidden = tf.nn.relu(tf.layers.batch_normalization(hidden, training=True))
    hidden = tf.nn.max_pool2d(hidden, 2, 2, "VALID")
    hidden = tf.nn.avg_pool2d(hidden, 3, 1, "SAME")
    flat = tf.reshape(hidden, [-1, 36])
    weights = tf.get_variable("w", [36, 4], initializer=start)
    model = models._model(tf.matmul(flat, weights), y, weights, extra)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    model.train = tf.group(model.train, *updates)
    return model
