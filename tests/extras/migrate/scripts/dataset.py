import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(7)
rng = np.random.RandomState(3)
X = rng.rand(64, 4).astype("float32")
Y = X.sum(1, keepdims=True)
losses = []


def model(x, y):
    w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    step = tf.train.get_or_create_global_step()
    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)


ds = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16).repeat()
it = tf.data.make_initializable_iterator(ds)
loss, op = model(*it.get_next())
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), it.initializer])
    for _ in range(5):
        losses.append(s.run([op, loss])[1])
