"""Ranks that do not do the same: one has fewer steps, another collective, or dies."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

KIND, N, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rank = int(os.environ["RANK_ID"])
proto = tf.ConfigProto()
npu = proto.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = N
npu.parameter_map["hccl_timeout"].i = 2
count = STEPS - 7 if KIND == "fewer" and rank == 1 else STEPS
reduction = "max" if KIND == "different" and rank == 1 else "sum"
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(count))
value = tf.cast(iterator.get_next(), tf.float32)
weight = tf.get_variable("w", initializer=0.0)
total = hccl_ops.allreduce(value, reduction)
train = tf.assign_add(weight, total).op
if KIND == "killed" and rank == 1:

    def die(number):
        if number == 14:
            os.kill(os.getpid(), 9)
        return number

    with tf.control_dependencies([tf.py_func(die, [value], tf.float32)]):
        train = tf.group(train)
with tf.Session(config=proto) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train = util.set_iteration_per_loop(sess, train, N)
    for _ in range(STEPS // N):
        sess.run(train)
