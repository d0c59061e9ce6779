import npu_device as npu

npu.open().as_default()
import tensorflow as tf

w = tf.Variable(tf.zeros([3]))
N = 10


@tf.function
def loop(it, steps):
    for _ in tf.range(steps):
        w.assign_sub(0.1 * (w - next(it)))


@tf.function
def loss_loop(it, steps):
    loss = 0.0
    for _ in tf.range(steps):
        w.assign_sub(0.1 * (w - next(it)))
        loss = w[0]
    return loss


it = iter(
    tf.data.Dataset.range(1000).map(lambda i: tf.cast(tf.fill([3], i), tf.float32))
)
npu.set_npu_loop_size(5)
loop(it, tf.constant(N))
npu.set_npu_loop_size(10)
loop(it, tf.constant(N))
loss_loop(it, tf.constant(4))
print(w.numpy())
