"""Keras in graph mode, each rank with a start and a share of its own."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

npu_sess, npu_shutdown = init_resource()
size, rank = get_npu_rank_size(), get_npu_rank_id()
random = np.random.RandomState(0)
x = random.randn(160, 5).astype(np.float32)
y = (x @ random.randn(5, 2)).astype(np.float32)
BATCH = 16 // size
saved = {}
WAYS = {
    "class": KerasDistributeOptimizer,
    "helper": npu_keras_optimizer,
    "wrapper": npu_distributed_optimizer_wrapper,
}


def fit(kind):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shard(size, rank)
    data = data.batch(BATCH, drop_remainder=True).repeat()
    start = tf.keras.initializers.Constant(0.1 * rank)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(2, input_shape=(5,), kernel_initializer=start)]
    )
    model.compile(optimizer=WAYS[kind](tf.keras.optimizers.SGD(0.05)), loss="mse")
    callbacks = [NPUBroadcastGlobalVariablesCallback(0)]
    if kind != "class":
        callbacks = npu_callbacks_append([])
    model.fit(data, epochs=2, steps_per_epoch=10, verbose=0, callbacks=callbacks)
    kernel, bias = model.get_weights()
    saved.update({f"{kind} kernel": kernel, f"{kind} bias": bias})


for kind in sys.argv[1:]:
    sess = set_keras_session_npu_config()
    fit(kind)
    npu_clear_session()
np.savez("weights.npz", **saved)
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
