"""640 samples in batches of 10 a device, and what is said of them before training."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

import npu_lab

STEPS = int(sys.argv[1])
npu_sess, npu_shutdown = init_resource()


def input_fn():
    data = tf.data.Dataset.range(640).shard(get_rank_size(), get_rank_id())
    return data.batch(10, drop_remainder=True).repeat()


def model_fn(features, mode):
    weight = tf.get_variable("w", initializer=0.0)
    loss = tf.reduce_mean(tf.square(weight - tf.cast(features, tf.float32) / 640))
    optimizer = npu_tf_optimizer(tf.train.GradientDescentOptimizer(0.1))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = NPURunConfig(
    iterations_per_loop=8, model_dir="model", save_checkpoints_steps=0
)
NPUEstimator(model_fn, config=config).train(input_fn, steps=STEPS)
for found in npu_lab.active_device().diagnostics:
    if found.code == "SINK050":
        print(found.text())
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
