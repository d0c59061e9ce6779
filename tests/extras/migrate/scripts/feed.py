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


x, y = tf.placeholder(tf.float32, [16, 4]), tf.placeholder(tf.float32, [16, 1])
loss, op = model(x, y)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for i in range(4):
        at = slice(16 * i, 16 * i + 16)
        losses.append(s.run([op, loss], feed_dict={x: X[at], y: Y[at]})[1])
