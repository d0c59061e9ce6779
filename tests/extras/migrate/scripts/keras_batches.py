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


def main():
    m = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(4,))]
    )
    m.compile(optimizer="sgd", loss="mse")
    for _ in range(4):
        losses.append(m.train_on_batch(X, Y))


if __name__ == "__main__":
    main()
