"""Small models trained in each documented way, plain and sunk; rank 1 has its half."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

STEPS, BATCH = 20, 8
KINDS = sys.argv[1:]

npu_sess, npu_shutdown = init_resource()
size, rank = get_npu_rank_size(), get_npu_rank_id()
random = np.random.RandomState(1)
ROWS = STEPS * BATCH
x = random.randn(ROWS, 5).astype(np.float32)
words = random.randint(0, 7, [ROWS]).astype(np.int32)
y = random.randn(ROWS, 2).astype(np.float32)


def optimizer(kind):
    if kind == "wrapper":
        return npu_distributed_optimizer_wrapper(
            tf.train.AdamOptimizer(0.01, epsilon=1e-3)
        )
    if kind == "class":
        return npu_tf_optimizer(tf.train.MomentumOptimizer(0.02, 0.9))
    return tf.train.GradientDescentOptimizer(0.05)


def model(kind):
    """The operation of one step, and the variables."""
    data = tf.data.Dataset.from_tensor_slices((x, words, y))
    data = data.shard(get_rank_size(), get_rank_id())
    data = data.batch(BATCH // size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(data.repeat())
    rows, word, labels = iterator.get_next()
    table = tf.get_variable(
        "table", initializer=np.linspace(-1, 1, 21).reshape(7, 3).astype(np.float32)
    )
    weights = tf.get_variable("w", initializer=tf.ones([8, 2]))
    half = tf.get_variable("half", initializer=tf.zeros([2], tf.float16))
    unused = tf.get_variable("unused", initializer=tf.zeros([2]))
    looked_up = tf.nn.embedding_lookup(table, word)
    guess = tf.matmul(tf.concat([rows, looked_up], axis=1), weights)
    loss = tf.reduce_mean(tf.square(guess - labels))
    loss += tf.reduce_mean(tf.square(tf.cast(half, tf.float32) - labels))
    made = optimizer(kind)
    if kind == "gradients":
        variables = [weights, half]
        means = npu_allreduce(tf.gradients(loss, variables))
        train = made.apply_gradients(zip(means, variables, strict=True))
    else:
        train = made.minimize(loss)
    return iterator.initializer, train, loss, [table, weights, half, unused]


def config(n):
    proto = tf.ConfigProto()
    npu = proto.graph_options.rewrite_options.custom_optimizers.add()
    npu.name = "NpuOptimizer"
    npu.parameter_map["use_off_line"].b = True
    npu.parameter_map["enable_data_pre_proc"].b = True
    npu.parameter_map["iterations_per_loop"].i = n
    return proto


saved = {}
for kind in KINDS:
    for n in (1, 10):
        with tf.Graph().as_default():
            setup, train, loss, variables = model(kind)
            with tf.Session(config=config(n)) as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(setup)
                train = util.set_iteration_per_loop(sess, train, n)
                for _ in range(STEPS // n):
                    sess.run([train, loss])
                for variable in variables:
                    saved[f"{kind} {n} {variable.op.name}"] = sess.run(variable)
np.savez("weights.npz", **saved)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
