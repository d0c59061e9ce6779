import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.estimator import EstimatorSpec, RunConfig

rng = np.random.RandomState(3)
X = rng.rand(64, 4).astype("float32")
Y = X.sum(1, keepdims=True)
losses = []


class Losses(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.losses.get_losses()[0])

    def after_run(self, run_context, run_values):
        losses.append(run_values.results)


def model_fn(features, labels, mode):
    y = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"mae": tf.metrics.mean_absolute_error(labels, y)}
        return EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def train_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(16)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(24)


config = RunConfig(
    model_dir=tempfile.mkdtemp(),
    save_checkpoints_steps=4,
    session_config=tf.ConfigProto(allow_soft_placement=True),
)
estimator = tf.estimator.Estimator(model_fn=model_fn, config=config)
train_spec = tf.estimator.TrainSpec(train_input_fn, max_steps=8, hooks=[Losses()])
eval_spec = tf.estimator.EvalSpec(eval_input_fn, steps=None, throttle_secs=0)
metrics, _ = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
losses += [metrics["loss"], metrics["mae"]]
