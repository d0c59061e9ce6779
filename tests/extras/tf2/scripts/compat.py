"""A script in the style of TensorFlow 1, by the door of the adapter of TensorFlow 2."""

import npu_device
from npu_device.compat.v1.npu_init import *

npu_device.compat.enable_v1()

import tensorflow as tf
from npu_device.compat.v1.estimator.npu import util

builder = npu_device.compat.v1.SessionConfigBuilder()
builder.parameter_map["iterations_per_loop"].i = 10
weight = tf.compat.v1.get_variable("weight", [], initializer=tf.ones_initializer())
loss = tf.square(weight)
train = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.compat.v1.Session(config=builder.session_config) as session:
    session.run(tf.compat.v1.global_variables_initializer())
    train = util.set_iteration_per_loop(session, train, 10)
    session.run(train)
    print(f"weight {session.run(weight):.6f}")
