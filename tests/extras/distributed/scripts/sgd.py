"""Linear regression by SGD, plain and sunk; a rank has its part of each batch."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

import npu_lab

STEPS, BATCH, *LOOPS = map(int, sys.argv[1:])

npu_sess, npu_shutdown = init_resource()
size, rank = get_npu_rank_size(), get_npu_rank_id()

random = np.random.RandomState(0)
x = random.randn(STEPS * BATCH, 6).astype(np.float32)
y = (x @ random.randn(6, 3) + random.randn(3)).astype(np.float32)


def train(n):
    dataset = tf.data.Dataset.from_tensor_slices((x, y))
    dataset = dataset.shard(get_rank_size(), get_rank_id())
    dataset = dataset.batch(BATCH // size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    images, labels = iterator.get_next()
    weights = tf.get_variable("w", initializer=tf.ones([6, 3]))
    bias = tf.get_variable("b", initializer=tf.zeros([3]))
    loss = tf.reduce_mean(tf.square(tf.matmul(images, weights) + bias - labels))
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    optimizer = npu_distributed_optimizer_wrapper(optimizer)
    step = tf.train.get_or_create_global_step()
    train_op = optimizer.minimize(loss, global_step=step)

    config = tf.ConfigProto()
    npu = config.graph_options.rewrite_options.custom_optimizers.add()
    npu.name = "NpuOptimizer"
    npu.parameter_map["use_off_line"].b = True
    npu.parameter_map["enable_data_pre_proc"].b = True
    npu.parameter_map["iterations_per_loop"].i = n
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        train_op = util.set_iteration_per_loop(sess, train_op, n)
        for call in range(STEPS // n):
            # Only rank 0 looks at the loss, and not each time.
            looks = rank == 0 and call % 3 == 1
            sess.run([train_op, loss] if looks else train_op)
        print("step", sess.run(step), "of", size, "ranks")
        return sess.run({"w": weights, "b": bias})


saved = {}
for n in LOOPS:
    ledger = npu_lab.active_device().ledger
    ledger.reset()
    with tf.Graph().as_default():
        saved |= {f"{n} {name}": value for name, value in train(n).items()}
    print(n, ledger.training_calls, ledger.device_iterations, ledger.batches_pulled)
np.savez("weights.npz", **saved)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
