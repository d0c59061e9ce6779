"""Keras in graph mode, each rank with a start and a share of its own."""

import sys

import numpy as np
import tensorflow as tf
from npu_bridge.npu_init import *

KIND = sys.argv[1]
npu_sess, npu_shutdown = init_resource()
size, rank = get_npu_rank_size(), get_npu_rank_id()
sess = set_keras_session_npu_config()
random = np.random.RandomState(0)
x = random.randn(160, 5).astype(np.float32)
y = (x @ random.randn(5, 2)).astype(np.float32)
BATCH = 16 // size
data = tf.data.Dataset.from_tensor_slices((x, y)).shard(size, rank)
data = data.batch(BATCH, drop_remainder=True).repeat()
start = tf.keras.initializers.Constant(0.1 * rank)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(2, input_shape=(5,), kernel_initializer=start)]
)
optimizer = tf.keras.optimizers.SGD(0.05)
wrap = npu_keras_optimizer if KIND == "class" else npu_distributed_optimizer_wrapper
model.compile(optimizer=wrap(optimizer), loss="mse")
model.fit(
    data, epochs=2, steps_per_epoch=10, verbose=0, callbacks=npu_callbacks_append([])
)
kernel, bias = model.get_weights()
np.savez("weights.npz", kernel=kernel, bias=bias)
sess.close()
shutdown_resource(npu_sess, npu_shutdown)
close_session(npu_sess)
