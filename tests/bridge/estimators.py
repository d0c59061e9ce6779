"""A small model for the Estimators, its data, and what training leaves on disk."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import npu_lab.tf1 as tf
from tests.device.models import BATCH, IMAGES, LABELS


def input_fn() -> Any:
    data = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).repeat()
    return data.batch(BATCH, drop_remainder=True)


def one_batch() -> Any:
    """The same batch over and over: it does not matter where training goes on."""
    data = tf.data.Dataset.from_tensors((IMAGES[:BATCH], LABELS[:BATCH]))
    return data.repeat()


def dense(inputs: Any, name: str, units: int, seed: int) -> Any:
    with tf.variable_scope(name):
        kernel = tf.get_variable(
            "kernel",
            [inputs.shape[1], units],
            initializer=tf.truncated_normal_initializer(seed=seed),
        )
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


def build(features: Any, labels: Any) -> tuple[Any, Any]:
    """The scores, and the loss; the seeds are fixed."""
    hidden = tf.nn.relu(dense(features, "dense", 16, seed=1))
    scores = dense(hidden, "dense_1", 4, seed=2)
    return scores, tf.losses.softmax_cross_entropy(labels, scores)


def minimize(loss: Any) -> Any:
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    return optimizer.minimize(loss, global_step=tf.train.get_global_step())


def model_fn(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
    """`params` may have ``spec``, the class to return, and ``host_call``: (fn, which).

    `which` gives the tensors of the host_call for the step and the loss.
    """
    kind = params.get("spec", tf.estimator.EstimatorSpec)
    if mode == tf.estimator.ModeKeys.PREDICT:
        scores, _ = build(features, tf.zeros([BATCH, 4]))
        return kind(mode, predictions={"class": tf.argmax(scores, 1)})
    _, loss = build(features, labels)
    extra = {}
    if "host_call" in params:
        function, which = params["host_call"]
        extra["host_call"] = function, which(tf.train.get_global_step(), loss)
    if mode == tf.estimator.ModeKeys.EVAL:
        return kind(mode, loss=loss, **extra)
    return kind(mode, loss=loss, train_op=minimize(loss), **extra)


def points(folder: Path) -> list[tuple[str, int]]:
    """(tag, step) of all summaries in the event files, in the order of writing."""
    return [
        (value.tag, event.step)
        for path in sorted(folder.glob("events.*"))
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]


def values(estimator: Any) -> dict[str, Any]:
    """All that is in the newest checkpoint."""
    names = estimator.get_variable_names()
    return {name: estimator.get_variable_value(name) for name in names}


def threads_of_channels() -> list[str]:
    return [t.name for t in threading.enumerate() if "npu_lab_outfeed" in t.name]
