import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
X = rng.rand(64, 4).astype("float32")
Y = X.sum(1, keepdims=True)
losses = []


class Losses(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.losses.get_losses()[0])

    def after_run(self, run_context, run_values):
        losses.append(run_values.results)


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features, 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = tf.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    ds = tf.data.Dataset.from_tensor_slices((X, Y))
    return ds.repeat().batch(16, drop_remainder=True)


def main():
    estimator = tf.estimator.Estimator(
        model_fn, tempfile.mkdtemp(), params={"rate": 0.05}
    )
    estimator.train(input_fn, hooks=[Losses()], steps=6)


if __name__ == "__main__":
    main()
