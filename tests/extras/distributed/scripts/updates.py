"""640 samples in batches of 10 a device, and what is said of them before training."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

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


class Begin(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        print("training begins", file=sys.stderr, flush=True)


for steps in map(int, sys.argv[1:]):
    config = NPURunConfig(
        iterations_per_loop=8, model_dir=f"model_{steps}", save_checkpoints_steps=0
    )
    estimator = NPUEstimator(model_fn, config=config)
    estimator.train(input_fn, steps=steps, hooks=[Begin()])
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
