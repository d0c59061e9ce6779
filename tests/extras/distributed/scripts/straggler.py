"""Trains on several ranks; the data of one of them come late.

Arguments: steps, N, the late rank, and by how many seconds each of its batches.
"""

import sys
import time

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

STEPS, N, LATE = map(int, sys.argv[1:4])
SECONDS = float(sys.argv[4])

npu_sess, npu_shutdown = init_resource()
rank = get_npu_rank_id()


def batch(number):
    time.sleep(SECONDS if rank == LATE else 0)
    return np.full([8, 4], number, np.float32)


dataset = tf.data.Dataset.range(STEPS).map(
    lambda n: tf.ensure_shape(tf.numpy_function(batch, [n], tf.float32), [8, 4])
)
iterator = tf.data.make_initializable_iterator(dataset)
x = iterator.get_next()
weights = tf.get_variable("w", initializer=tf.ones([4, 3]))
bias = tf.get_variable("b", initializer=tf.zeros([3]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) * 1e-3 + bias - 1))
optimizer = tf.train.GradientDescentOptimizer(0.05)
train_op = npu_distributed_optimizer_wrapper(optimizer).minimize(loss)

config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = N
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train_op = util.set_iteration_per_loop(sess, train_op, N)
    for _ in range(STEPS // N):
        sess.run(train_op)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
