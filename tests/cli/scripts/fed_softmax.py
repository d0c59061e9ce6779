"""Softmax regression on fed digits, the loop set after the session was made."""

import input_data
from npu_bridge.npu_init import *

digits = input_data.read_data_sets("/test/", one_hot=True)

import tensorflow as tf

EPOCHS, BATCH, N = 2, 100, 10

images = tf.placeholder(tf.float32, [None, 784])
labels = tf.placeholder(tf.float32, [None, 10])
weights = tf.Variable(tf.zeros([784, 10]))
bias = tf.Variable(tf.zeros([10]))
guess = tf.nn.softmax(tf.matmul(images, weights) + bias)
loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(guess), reduction_indices=1))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
init = tf.global_variables_initializer()

config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = N
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

with tf.Session(config=config) as sess:
    sess.run(init)
    train = util.set_iteration_per_loop(sess, train, N)
    for epoch in range(EPOCHS):
        for _ in range(digits.train.num_examples // BATCH):
            x, y = digits.train.next_batch(BATCH)
            _, value = sess.run([train, loss], feed_dict={images: x, labels: y})
    print("last loss is finite:", value == value)
