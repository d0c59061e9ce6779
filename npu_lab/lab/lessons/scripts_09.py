"""The scripts that lesson 09 migrates, as found."""

from __future__ import annotations

from pathlib import Path

TRAIN = """\
import input_data
import tensorflow as tf

profiler = False
mnist = input_data.read_data_sets("/test/", one_hot=True)
data = mnist.train.images[:2000], mnist.train.labels[:2000].astype("float32")
dataset = tf.data.Dataset.from_tensor_slices(data).repeat().batch(100)
iterator = tf.data.make_initializable_iterator(dataset)
x, y = iterator.get_next()
logits = tf.layers.dense(x, 10, kernel_initializer=tf.zeros_initializer())
loss = tf.losses.softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    for _ in range(100):
        sess.run(train_op)
    if profiler:
        print("profile written")
    print("loss", sess.run(loss))
"""

HOROVOD = """\
import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()


def train(model, rate, steps):
    optimizer = tf.train.GradientDescentOptimizer(rate * hvd.size())
    optimizer = hvd.DistributedOptimizer(optimizer)
    train_op = optimizer.minimize(model())
    hooks = [hvd.BroadcastGlobalVariablesHook(0)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        for _ in range(steps):
            sess.run(train_op)
"""

FILES = {"train.py": TRAIN, "horovod_train.py": HOROVOD}


def lay_out(folder: Path | str) -> None:
    """Write the scripts into `folder`, anew."""
    for name, content in FILES.items():
        (Path(folder) / name).write_text(content, encoding="utf-8")
