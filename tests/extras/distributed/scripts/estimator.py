"""NPUEstimator, sunk: each rank begins with weights of its own, rank 0 saves."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

N, STEPS, BATCH, HOROVOD = map(int, sys.argv[1:])
npu_sess, npu_shutdown = init_resource()
size, rank = get_rank_size(), get_rank_id()
random = np.random.RandomState(0)
x = random.randn(STEPS * BATCH, 6).astype(np.float32)
y = (x @ random.randn(6, 3)).astype(np.float32)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices((x, y))
    data = data.shard(get_rank_size(), get_rank_id())
    return data.batch(BATCH // size, drop_remainder=True).repeat()


def model_fn(features, labels, mode):
    start = np.full([6, 3], rank, np.float32)
    weights = tf.get_variable("w", initializer=start)
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    optimizer = npu_distributed_optimizer_wrapper(optimizer)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


class Keep(tf.train.SessionRunHook):
    def end(self, session):
        value = session.run(session.graph.get_tensor_by_name("w/Read/ReadVariableOp:0"))
        np.savez("weights.npz", w=value)


estimator = NPUEstimator(
    model_fn,
    config=NPURunConfig(
        iterations_per_loop=N,
        model_dir="model",
        save_checkpoints_steps=N if rank == 0 else 0,
        horovod_mode=bool(HOROVOD),
    ),
)
estimator.train(input_fn, max_steps=STEPS, hooks=[Keep()])
if rank == 0:
    print("evaluated:", sorted(estimator.evaluate(input_fn, steps=2)))
print("saved:", tf.train.latest_checkpoint("model"))
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
