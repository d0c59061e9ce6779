"""NPUEstimator in each documented way; each rank begins with weights of its own."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

STEPS, BATCH = 20, 16
npu_sess, npu_shutdown = init_resource()
size, rank = get_rank_size(), get_rank_id()
random = np.random.RandomState(0)
x = random.randn(STEPS * BATCH, 6).astype(np.float32)
y = (x @ random.randn(6, 3)).astype(np.float32)
saved = {}


def input_fn():
    data = tf.data.Dataset.from_tensor_slices((x, y))
    data = data.shard(get_rank_size(), get_rank_id())
    return data.batch(BATCH // size, drop_remainder=True).repeat()


def model_fn(features, labels, mode, params):
    start = np.full([6, 3], rank, np.float32)
    weights = tf.get_variable("w", initializer=start)
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features, weights))
    optimizer = params["wrap"](tf.train.GradientDescentOptimizer(0.05))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return NPUEstimatorSpec(mode, loss=loss, train_op=train_op)


class Keep(tf.train.SessionRunHook):
    """Keeps the trained weights."""

    def __init__(self, name):
        self.name = name

    def end(self, session):
        with session.graph.as_default():
            (weights, *_) = tf.trainable_variables()
        reading = session.graph.get_operation_by_name(
            f"{weights.op.name}/Read/ReadVariableOp"
        )
        saved[self.name] = session.run(reading.outputs[0])


def keras(config):
    start = tf.keras.initializers.Constant(float(rank))
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(
                3, input_shape=(6,), use_bias=False, kernel_initializer=start
            )
        ]
    )
    optimizer = KerasDistributeOptimizer(tf.keras.optimizers.SGD(0.05))
    model.compile(optimizer=optimizer, loss="mse")
    return keras_to_npu.model_to_npu_estimator(
        model, model_dir=config.model_dir, config=config
    )


def run(name, n, hooks=(), wrap=npu_distributed_optimizer_wrapper, **options):
    config = NPURunConfig(
        iterations_per_loop=n,
        model_dir=name,
        save_checkpoints_steps=n if rank == 0 else 0,
        **options,
    )
    if name == "keras":
        estimator = keras(config)
    else:
        estimator = NPUEstimator(model_fn, config=config, params={"wrap": wrap})
    estimator.train(input_fn, max_steps=STEPS, hooks=[*hooks, Keep(name)])
    if rank == 0 and name == "each":
        print("evaluated:", sorted(estimator.evaluate(input_fn, steps=2)))
    print(name, "saved:", tf.train.latest_checkpoint(name))


for name in sys.argv[1:]:
    {
        "each": lambda: run("each", 1),
        "sunk": lambda: run("sunk", 10, wrap=NPUDistributedOptimizer),
        "hook": lambda: run("hook", 10, npu_hooks_append([]), horovod_mode=True),
        "alone": lambda: run("alone", 10, horovod_mode=True),
        "strategy": lambda: run(
            "strategy", 10, train_distribute=npu_strategy.NPUStrategy()
        ),
        "keras": lambda: run("keras", 10),
    }[name]()
np.savez("weights.npz", **saved)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
