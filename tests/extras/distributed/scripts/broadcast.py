"""Ranks whose weights begin from seeds of their own, with a broadcast or without."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

KINDS = sys.argv[1].split(",")
rank = int(os.getenv("RANK_ID", "0"))


class Run(tf.train.SessionRunHook):
    """Runs operations once the session is there."""

    def __init__(self, *operations):
        self.operations = operations

    def after_create_session(self, session, coord):
        for operation in self.operations:
            session.run(operation)


def train(kind):
    tf.set_random_seed(rank)
    normal = tf.random_normal_initializer()
    weights = tf.get_variable("w", [4, 1], initializer=normal)
    average = tf.get_variable(
        "average", initializer=tf.fill([1], float(rank)), trainable=False
    )
    x = tf.constant(np.random.RandomState(7 + rank).randn(6, 4).astype(np.float32))
    # The gradient does not depend on the weights, so it is the mean for all ranks.
    loss = tf.reduce_mean(tf.matmul(x, weights))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    optimizer = npu_distributed_optimizer_wrapper(optimizer)
    train_op = optimizer.minimize(loss, global_step=step)
    init = tf.global_variables_initializer()
    by_hand = [
        tf.assign(v, hccl_ops.broadcast([v], 0)[0])
        for v in tf.global_variables()
        if v.dtype.is_floating
    ]
    values = {"w": weights, "average": average}
    if kind in {"none", "hook", "init again"}:
        begun = {}
        hooks = [Run(init)] if kind == "init again" else []
        if kind != "none":
            hooks = [NPUBroadcastGlobalVariablesHook(0), *hooks]
        hooks.append(tf.train.StopAtStepHook(5))
        with tf.train.MonitoredSession(hooks=hooks) as sess:
            begun = sess._tf_sess().run(values)
            while not sess.should_stop():
                sess.run(train_op)
                ended = sess._tf_sess().run(values)
        return begun, ended
    with tf.Session() as sess:
        first, second = (init, by_hand) if kind == "by hand" else (by_hand, init)
        sess.run(first)
        sess.run(second)
        begun = sess.run(values)
        for _ in range(5):
            sess.run(train_op)
        return begun, sess.run(values)


saved = {}
for kind in KINDS:
    print("begin:", kind, file=sys.stderr, flush=True)
    with tf.Graph().as_default():
        for when, values in zip(("initial", "final"), train(kind), strict=True):
            saved |= {f"{kind} {when} {name}": v for name, v in values.items()}
np.savez("weights.npz", **saved)
