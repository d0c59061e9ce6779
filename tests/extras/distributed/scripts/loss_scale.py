"""Six steps on each rank; one of one rank overflows: loss_scale.py KIND N."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

import npu_lab

KIND, N = sys.argv[1], int(sys.argv[2])
npu_sess, npu_shutdown = init_resource()
npu_plugin.set_device_sat_mode(0)
rank = get_rank_id()
values = [1.0, 2.0, 60000.0 if rank else 3.0, 4.0, 5.0, 6.0]
iterator = tf.data.make_initializable_iterator(
    tf.data.Dataset.from_tensor_slices(values)
)
x = tf.cast(tf.cast(iterator.get_next(), tf.float16) * 2.0, tf.float32)
weight = tf.get_variable("w", initializer=1.0)
manager = ExponentialUpdateLossScaleManager(8, 100, 1, decr_ratio=0.5)
sgd = tf.train.GradientDescentOptimizer(0.125)
if KIND == "loss_scale":
    optimizer = NPULossScaleOptimizer(
        npu_tf_optimizer(sgd), manager, is_distributed=True
    )
else:
    optimizer = NPUOptimizer(
        sgd,
        manager,
        is_distributed=True,
        is_loss_scale=True,
        is_tailing_optimization=KIND == "tailing",
    )
step = tf.train.get_or_create_global_step()
train = optimizer.minimize(weight * x, global_step=step)
config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = N
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    train = util.set_iteration_per_loop(session, train, N)
    for _ in range(6 // N):
        session.run(train)
    print("ended", *session.run([weight, step, manager.get_loss_scale()]))
codes = [found.code for found in npu_lab.active_device().diagnostics]
assert "SINK069" not in codes
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
