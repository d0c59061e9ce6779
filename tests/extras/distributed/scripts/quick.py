"""Many quick steps with a collective each; writes how many threads there were."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

STEPS, N = map(int, sys.argv[1:])


def threads():
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith("Threads"))


proto = tf.ConfigProto()
npu = proto.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["iterations_per_loop"].i = N
weight = tf.get_variable("w", initializer=0.0)
loss = weight * tf.constant(1.0)
optimizer = npu_distributed_optimizer_wrapper(tf.train.GradientDescentOptimizer(0.01))
train = optimizer.minimize(loss)
with tf.Session(config=proto) as sess:
    sess.run(tf.global_variables_initializer())
    train = util.set_iteration_per_loop(sess, train, N)
    sess.run(train)
    before = threads()
    for _ in range(STEPS // N - 1):
        sess.run(train)
    with open("threads", "w") as file:
        file.write(f"{before} {threads()}")
