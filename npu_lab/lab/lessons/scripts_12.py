"""The script that lesson 12 lets `npu-lab tune` try."""

TRAIN = '''\
"""Softmax regression on pictures of clothes, its loop sunk with N=10."""
import tensorflow as tf
from npu_bridge.npu_init import *
from npu_lab.datasets import fashion

pictures, labels = fashion().load()
pictures = pictures.reshape([-1, 784]).astype("float32") / 255
data = tf.data.Dataset.from_tensor_slices((pictures, labels)).repeat()
data = data.batch(32, drop_remainder=True).prefetch(2)
iterator = tf.data.make_initializable_iterator(data)
images, classes = iterator.get_next()
scores = tf.layers.dense(images, 10)
loss = tf.losses.sparse_softmax_cross_entropy(classes, scores)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10

saver = tf.train.Saver()
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    train_op = util.set_iteration_per_loop(sess, train_op, 10)
    for call in range(800 // 10):
        sess.run([train_op, loss])
        if call % 20 == 19:
            saver.save(sess, "model")
'''
