"""What each of two workers sees: reductions, broadcasts, and a sunk training."""

import json
import sys

import npu_device as npu

handle = npu.open().as_default()

import tensorflow as tf

rank = handle.worker_id
found = {"rank": rank, "workers": handle.workers_num}
reduce = npu.distribute.all_reduce
found["mean"] = reduce(tf.constant([1.0 + rank, 2.0])).numpy().tolist()
for name in ("sum", "max", "min", "prod"):
    found[name] = reduce(tf.constant([2.0 + rank]), name).numpy().tolist()
integers, nothing = reduce([tf.constant([1 + rank]), None])
found["integers"] = [integers.dtype.name, *integers.numpy().tolist()]
found["none"] = nothing is None

variables = [tf.Variable([rank + 5.0]), tf.Variable([rank + 7.0])]
found["broadcast"] = npu.distribute.broadcast(variables, 1)
found["variables"] = [v.numpy().tolist() for v in variables]
variables = [tf.Variable([float(rank)]) for _ in range(3)]


def mark(pairs):
    for gradient, variable in pairs:
        variable.assign(gradient)


gradients = [tf.constant([10.0 * (rank + 1)])] * 3
npu.distribute.grouping_gradients_apply(mark, zip(gradients, variables, strict=False))
npu.distribute.grouping_broadcast(variables)
found["grouping"] = [v.numpy().tolist() for v in variables]

from npu_device.distribute import hccl_ops

tensor = tf.constant([rank + 1.0, 1.0])
found["gather"] = hccl_ops.allgather(tensor, 2).numpy().tolist()
found["scatter"] = hccl_ops.reduce_scatter(tensor, "sum", 2).numpy().tolist()

wrapped = tf.keras.optimizers.SGD(1.0)
optimizer = npu.distribute.npu_distributed_keras_optimizer_wrapper(wrapped)
found["same"] = optimizer is wrapped
weight = tf.Variable([0.0])
dataset, batch = npu.distribute.shard_and_rebatch_dataset(
    tf.data.Dataset.range(40).map(lambda i: tf.cast(i, tf.float32)), 4
)
found["batch"] = batch
try:
    npu.distribute.shard_and_rebatch_dataset(dataset, 5)
except ValueError as error:
    found["uneven"] = str(error)
optimizer.build([weight])


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        batch = next(iterator)
        optimizer.apply_gradients([(tf.reduce_mean(batch, keepdims=True), weight)])


npu.set_npu_loop_size(10)
loop(iter(dataset.batch(batch, drop_remainder=True)), tf.constant(10))
found["weight"] = weight.numpy().tolist()

from npu_device.distribute.hccl import npu_broadcast_scope_wrapper

strategy = npu_broadcast_scope_wrapper(tf.distribute.get_strategy())
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")]
    )
    model.layers[0].kernel.assign([[rank + 3.0]])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
model.fit(tf.ones([4, 1]), tf.ones([4, 1]), batch_size=4, verbose=0)
found["model"] = model.layers[0].kernel.numpy().tolist()
print(json.dumps(found))
sys.stdout.flush()
