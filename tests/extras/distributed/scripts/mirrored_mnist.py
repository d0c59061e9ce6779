"""Digits with an Estimator on all devices of one machine, by MirroredStrategy."""

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
flags.DEFINE_integer("steps", 40, "training steps")
flags.DEFINE_integer("batch", 16, "examples in a batch, of one device")
FLAGS = flags.FLAGS


def input_fn():
    digits = input_data.read_data_sets("MNIST_data").train
    images, labels = digits.images, digits.labels.astype(np.int64)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.shard(2, 0)
    return dataset.shuffle(500, seed=1).repeat().batch(FLAGS.batch)


def model_fn(features, labels, mode):
    hidden = tf.layers.dense(features, 20, activation=tf.nn.relu)
    logits = tf.layers.dense(hidden, 10)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    strategy = tf.distribute.MirroredStrategy()
    config = tf.estimator.RunConfig(
        model_dir="model", train_distribute=strategy, save_checkpoints_steps=20
    )
    estimator = tf.estimator.Estimator(model_fn, config=config)
    estimator.train(input_fn, max_steps=FLAGS.steps)
    names = ("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias")
    np.savez("weights.npz", **{n: estimator.get_variable_value(n) for n in names})


if __name__ == "__main__":
    tf.app.run()
