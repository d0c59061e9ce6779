"""Networks to freeze, and what trains and saves them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from npu_lab.extras.freeze import FrozenModel
from tests.device.models import BATCH, IMAGES, LABELS, config, dataset_input


def scores(x: Any, *, training: Any = False, keep: Any = None) -> Any:
    """Two dense layers, with batch normalization and dropout between them."""
    hidden = tf.layers.dense(
        x, 16, tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(1)
    )
    hidden = tf.layers.batch_normalization(hidden, training=training)
    if keep is not None:
        hidden = tf.nn.dropout(hidden, keep, seed=4)
    made = tf.layers.dense(
        hidden, 4, kernel_initializer=tf.glorot_uniform_initializer(2)
    )
    return tf.identity(made, name="logits")


def inference() -> Any:
    """The graph to freeze, as the guide builds it."""
    return scores(tf.placeholder(tf.float32, [None, 12], name="input"))


def train_op(logits: Any, labels: Any) -> Any:
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, step)


def train(folder: Path, *, source: str = "dataset", steps: int = 12, **how: Any) -> str:
    """Train in a session and save; the prefix of the checkpoint.

    `source` is "dataset" or "fed" (placeholders called x and y).
    """
    with tf.Graph().as_default():
        feed = None
        initializer = tf.no_op()
        if source == "dataset":
            iterator = dataset_input()
            (x, y), initializer = iterator.get_next(), iterator.initializer
        else:
            x = tf.placeholder(tf.float32, [None, 12], name="x")
            y = tf.placeholder(tf.float32, [None, 4], name="y")
            feed = {x: IMAGES[:BATCH], y: LABELS[:BATCH]}
        training = how.pop("training", True)
        if training == "placeholder":
            training = tf.placeholder(tf.bool, [], name="is_training")
            feed = {**(feed or {}), training: True}
        keep = how.pop("keep", None)
        if keep == "placeholder":
            keep = tf.placeholder(tf.float32, name="keep_prob")
            feed = {**(feed or {}), keep: 0.5}
        logits = scores(x, training=training, keep=keep)
        step = train_op(logits, y)
        saver = tf.train.Saver()
        with tf.Session(config=config()) as session:
            session.run(tf.global_variables_initializer())
            session.run(initializer)
            for _ in range(steps):
                session.run(step, feed)
            return str(saver.save(session, str(folder / "model.ckpt"), steps))


def live(prefix: str, images: Any) -> Any:
    """What plain TensorFlow gives with the inference graph and the checkpoint."""
    with tf.Graph().as_default():
        logits = inference()
        with tf.Session() as session:
            tf.train.Saver().restore(session, prefix)
            return session.run(logits, {"input:0": images})


def frozen(path: Any, images: Any, **how: Any) -> Any:
    with FrozenModel(path, **how) as model:
        return model(images)


def near(one: Any, other: Any) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= 1e-6))
