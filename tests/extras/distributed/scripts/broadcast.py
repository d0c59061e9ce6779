"""Ranks that begin with weights of their own, or with those of rank 0."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

KIND = sys.argv[1]
rank = int(os.getenv("RANK_ID", "0"))

initial = np.random.RandomState(rank).randn(4, 1).astype(np.float32)
weights = tf.get_variable("w", initializer=initial)
average = tf.get_variable(
    "average", initializer=tf.fill([1], float(rank)), trainable=False
)
x = tf.constant(np.random.RandomState(7 + rank).randn(6, 4).astype(np.float32))
# The gradient does not depend on the weights, so it is the mean for all ranks.
loss = tf.reduce_mean(tf.matmul(x, weights))
step = tf.train.get_or_create_global_step()
optimizer = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.1))
train = optimizer.minimize(loss, global_step=step)
init = tf.global_variables_initializer()

hooks = [tf.train.StopAtStepHook(5)]
if KIND == "hook":
    hooks = npu_hooks_append(hooks)
by_hand = [
    tf.assign(v, hccl_ops.broadcast([v], 0)[0])
    for v in tf.global_variables()
    if v.dtype.is_floating
]


if KIND == "too early":
    tf.Session().run(by_hand)


class Begin(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        if KIND == "by hand":
            session.run(by_hand)


with tf.train.MonitoredSession(hooks=[Begin(), *hooks]) as sess:
    while not sess.should_stop():
        sess.run(train)
        last = sess._tf_sess()
        values = last.run({"w": weights, "average": average})
np.savez("weights.npz", initial=initial, **values)
