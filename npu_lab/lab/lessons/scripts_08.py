"""The project that lesson 08 migrates: four files, as found."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
import textwrap
from pathlib import Path

TRAIN = '''\
"""Softmax regression on digits, written for one GPU."""
import input_data
import tensorflow as tf

BATCH = 96
STEPS = 60


def read(part):
    labels = part.labels.astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices((part.images, labels))
    return dataset.take(1000).batch(BATCH)


def logits_of(x):
    with tf.device("/gpu:0"):
        zeros = tf.zeros_initializer()
        weights = tf.get_variable("weights", [784, 10], initializer=zeros)
        return tf.matmul(x, weights)


def main():
    mnist = input_data.read_data_sets("/test/", one_hot=True, seed=1)
    iterator = tf.data.make_initializable_iterator(read(mnist.train).repeat())
    x, y = iterator.get_next()
    loss = tf.losses.softmax_cross_entropy(y, logits_of(x))
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        for step in range(STEPS):
            value = sess.run([train_op, loss])[1]
            if step % 20 == 0:
                print("step %d, loss %.2f" % (step, value))
        print("loss %.2f" % sess.run(loss))


if __name__ == "__main__":
    with tf.Graph().as_default():
        main()
'''

# Where the exercise of the loop puts an answer.
LOOP = """\
        for step in range(STEPS):
            value = sess.run([train_op, loss])[1]
            if step % 20 == 0:
                print("step %d, loss %.2f" % (step, value))
"""
ONLY_TRAINS = """\
for _ in range(STEPS):
    sess.run(train_op)
"""

EVALUATE = '''\
"""Counts the test digits that are recognised."""
import tensorflow as tf

from train import logits_of


def test_batches(part):
    data = part.images, part.labels.argmax(1)
    return tf.data.Dataset.from_tensor_slices(data).batch(96)


def count_right(part):
    iterator = tf.compat.v1.data.make_one_shot_iterator(test_batches(part))
    x, y = iterator.get_next()
    return tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits_of(x), 1), y), tf.int32))
'''

PLOT = '''\
"""Draws the losses of a log."""
import sys

for line in open(sys.argv[1]):
    print "#" * int(20 * float(line.split()[-1]))
'''

# Sunk by somebody in a hurry: three faults, marked.
_PARTS = TRAIN.replace('"/gpu:0"', "'/cpu:0'")
_PARTS = _PARTS.replace("batch(BATCH)", "batch(BATCH, drop_remainder=True)")
FAST = f"""\
from npu_bridge.npu_init import *
{_PARTS[_PARTS.index("import input_data") : _PARTS.index("    config = ")]}\
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = 10  # 1
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        util.set_iteration_per_loop(sess, train_op, 10)  # 2
        for _ in range(STEPS):  # 3
            sess.run(train_op)
        print("loss %.2f" % sess.run(loss))


with tf.Graph().as_default():
    main()
"""

FILES = {"evaluate.py": EVALUATE, "fast.py": FAST, "plot.py": PLOT, "train.py": TRAIN}


def with_loop(lines: str) -> str:
    """train.py with other lines in place of its loop."""
    lines = textwrap.dedent(lines).strip("\n") + "\n"
    return TRAIN.replace(LOOP, textwrap.indent(lines, " " * 8))


@functools.cache
def work_folder() -> Path:
    """A folder of this process, the same each time; it is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="npu_lab_08_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def lay_out(folder: Path | str) -> Path:
    """Write the project to `folder`/digits, anew; return that folder."""
    root = Path(folder) / "digits"
    root.mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        (root / name).write_text(content, encoding="utf-8")
    return root
