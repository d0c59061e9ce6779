"""Trains in a sunk loop, until what its first argument says happens to rank 1."""

import socket
import sys
import time

import tensorflow as tf
from npu_bridge.npu_init import *

KIND = sys.argv[1]
rank = int(os.environ["RANK_ID"])
if rank == 1 and KIND == "module":
    import a_module_that_is_missing  # noqa: F401
if rank == 1 and KIND == "leaves":
    sys.exit()
if rank == 1 and KIND == "hangs":
    time.sleep(1000)
if rank == 1 and KIND == "port":
    server = socket.create_server(("", int(os.environ["HCCL_IF_BASE_PORT"]) + 1))

proto = tf.ConfigProto()
npu = proto.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = 10
count = 137 if rank == 1 and KIND == "fewer" else 1000000
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(count))
value = tf.cast(iterator.get_next(), tf.float32)
weight = tf.get_variable("w", initializer=0.0)
train = tf.assign_add(weight, hccl_ops.allreduce(value, "sum")).op


def happen(number):
    if rank == 1 and number == 137 and KIND == "killed":
        os.kill(os.getpid(), 9)
    return number


with tf.control_dependencies([tf.py_func(happen, [value], tf.float32)]):
    train = tf.group(train)
with tf.Session(config=proto) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train = util.set_iteration_per_loop(sess, train, 10)
    while KIND != "ends":
        sess.run(train)
        open(f"trains_{rank}", "w").close()
    for _ in range(5):
        sess.run(train)
