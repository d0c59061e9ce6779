"""A small regression for an Estimator, and its data."""

from __future__ import annotations

import numpy as np

import npu_lab.tf1 as tf

BATCH, ROWS = 8, 64
_rng = np.random.RandomState(0)
X = _rng.rand(ROWS, 3).astype("float32")
Y = X.sum(axis=1)


def model_fn(features, labels, mode):
    """A line through the data; it begins at zero, so nothing is random."""
    x = features["x"] if isinstance(features, dict) else features
    y = tf.layers.dense(x, 1, kernel_initializer=tf.zeros_initializer())[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "x": x})
    loss = tf.losses.mean_squared_error(labels, y)
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, y)}
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(
        mode, {"y": y}, loss, train_op, eval_metric_ops=metrics
    )


def endless():
    data = tf.data.Dataset.from_tensor_slices(({"x": X}, Y))
    return data.repeat().batch(BATCH, drop_remainder=True)


def once():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(BATCH)


def run_config(*, n=None, **values):
    """A RunConfig; with `n` for a session on the device, with loops of n steps."""
    if n is not None:
        config = tf.ConfigProto()
        custom = config.graph_options.rewrite_options.custom_optimizers.add()
        custom.name = "NpuOptimizer"
        custom.parameter_map["enable_data_pre_proc"].b = True
        custom.parameter_map["iterations_per_loop"].i = n
        values["session_config"] = config
    return tf.estimator.RunConfig(**values)


def checkpoints(folder):
    """Steps of the checkpoints in a folder."""
    names = (path.name for path in folder.glob("model.ckpt-*.index"))
    return sorted(int(name.split("-")[1].split(".")[0]) for name in names)


def points(folder, tag):
    """The points of a summary in the event files of a folder, step and value."""
    found = []
    for file in sorted(folder.glob("*.tfevents.*")):
        for event in tf.train.summary_iterator(str(file)):
            found += [
                (event.step, value.simple_value)
                if value.HasField("simple_value")
                else (event.step, tf.make_ndarray(value.tensor))
                for value in event.summary.value
                if value.tag == tag
            ]
    return found
