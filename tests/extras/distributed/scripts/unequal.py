"""Ranks that do not do the same: one has fewer steps, another collective, or dies."""

import sys

import tensorflow as tf
from npu_bridge.npu_init import *

KIND, N, STEPS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rank = int(os.environ["RANK_ID"])
odd = KIND if rank == 1 else ""  # what this rank does otherwise
count = STEPS - 7 if "fewer" in odd else STEPS
N = N // 2 if odd == "half" else N


def die(number):
    if number == 14:
        os.kill(os.getpid(), 9)
    return number


def by_hand():
    proto = tf.ConfigProto()
    npu = proto.graph_options.rewrite_options.custom_optimizers.add()
    npu.name = "NpuOptimizer"
    npu.parameter_map["use_off_line"].b = True
    npu.parameter_map["enable_data_pre_proc"].b = True
    npu.parameter_map["iterations_per_loop"].i = N
    npu.parameter_map["hccl_timeout"].i = 2
    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(count))
    value = tf.cast(iterator.get_next(), tf.float32)
    weight = tf.get_variable("w", initializer=0.0)
    given = tf.stack([value, value]) if odd == "shape" else value
    total = hccl_ops.allreduce(given, "max" if odd == "reduction" else "sum")
    train = tf.assign_add(weight, tf.reduce_sum(total)).op
    if odd == "killed":
        with tf.control_dependencies([tf.py_func(die, [value], tf.float32)]):
            train = tf.group(train)
    with tf.Session(config=proto) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        train = util.set_iteration_per_loop(sess, train, N)
        for _ in range(STEPS // N):
            sess.run(train)


def estimator():
    def model_fn(features, mode):
        weight = tf.get_variable("w", initializer=0.0)
        loss = tf.reduce_mean(tf.square(weight - tf.cast(features, tf.float32)))
        optimizer = npu_tf_optimizer(tf.train.GradientDescentOptimizer(0.01))
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)

    config = NPURunConfig(
        iterations_per_loop=N,
        hccl_timeout=6,  # a checkpoint of rank 0 may take seconds on a busy machine
        model_dir="model",
        save_checkpoints_steps=N if rank == 0 else 0,
    )
    NPUEstimator(model_fn, config=config).train(
        lambda: tf.data.Dataset.range(count * 2).batch(2, drop_remainder=True),
        max_steps=STEPS,
    )


estimator() if "estimator" in KIND else by_hand()
