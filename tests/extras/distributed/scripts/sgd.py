"""Linear regression by SGD, sunk: a rank takes its part of each global batch."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

N, STEPS, BATCH = map(int, sys.argv[1:])

npu_sess, npu_shutdown = init_resource()
size, rank = get_npu_rank_size(), get_npu_rank_id()

random = np.random.RandomState(0)
x = random.randn(STEPS * BATCH, 6).astype(np.float32)
y = (x @ random.randn(6, 3) + random.randn(3)).astype(np.float32)

dataset = tf.data.Dataset.from_tensor_slices((x, y))
dataset = dataset.shard(get_rank_size(), get_rank_id())
dataset = dataset.batch(BATCH // size, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
images, labels = iterator.get_next()
weights = tf.get_variable("w", initializer=tf.ones([6, 3]))
bias = tf.get_variable("b", initializer=tf.zeros([3]))
loss = tf.reduce_mean(tf.square(tf.matmul(images, weights) + bias - labels))
optimizer = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.05))
step = tf.train.get_or_create_global_step()
train = optimizer.minimize(loss, global_step=step)

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
    train = util.set_iteration_per_loop(sess, train, N)
    for _ in range(STEPS // N):
        _, value = sess.run([train, loss])
    if rank == 0:
        print("step", sess.run(step), "of", size, "ranks")
    np.savez("weights.npz", w=sess.run(weights), b=sess.run(bias))

shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
