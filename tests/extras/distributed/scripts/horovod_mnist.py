"""Digits with Horovod: each process has its share of the data, and rank 0 saves."""

import argparse
import math

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=40)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--out", default=".")


def network(images, labels, mode):
    hidden = tf.layers.conv2d(
        tf.reshape(images, [-1, 28, 28, 1]), 4, 5, strides=4, activation=tf.nn.relu
    )
    hidden = tf.layers.batch_normalization(hidden, training=mode == "train")
    logits = tf.layers.dense(tf.layers.flatten(hidden), 10)
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def read(flags):
    digits = input_data.read_data_sets("MNIST_data").train
    labels = digits.labels.astype(np.int64)
    dataset = tf.data.Dataset.from_tensor_slices((digits.images, labels))
    dataset = dataset.shard(hvd.size(), hvd.rank())
    dataset = dataset.shuffle(500, seed=1).repeat().batch(flags.batch)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def main():
    flags = parser.parse_args()
    hvd.init()
    tf.set_random_seed(hvd.rank())
    images, labels = read(flags)
    loss = network(images, labels, "train")
    step = tf.train.get_or_create_global_step()
    rate = 0.01 * math.sqrt(hvd.size())
    optimizer = hvd.DistributedOptimizer(tf.train.MomentumOptimizer(rate, 0.9))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, global_step=step)

    hooks = [
        hvd.BroadcastGlobalVariablesHook(0),
        tf.train.StopAtStepHook(last_step=flags.steps),
    ]
    if hvd.rank() == 0:
        hooks.append(
            tf.train.LoggingTensorHook({"step": step, "loss": loss}, every_n_iter=10)
        )
    checkpoints = f"{flags.out}/checkpoints" if hvd.rank() == 0 else None
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = str(hvd.local_rank())
    trained = {}
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=checkpoints, hooks=hooks, config=config
    ) as sess:
        while not sess.should_stop():
            trained = sess.run(
                {"train": train_op, "weights": tf.trainable_variables(), "loss": loss}
            )
    print("rank", hvd.rank(), "of", hvd.size(), "loss", trained["loss"])
    np.savez(f"{flags.out}/weights.npz", *trained["weights"])


if __name__ == "__main__":
    main()
