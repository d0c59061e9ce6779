"""Networks trained on the bundled pictures on the device: as good frozen as live."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import datasets
from npu_lab.extras.freeze import FrozenModel, freeze
from tests.device.models import config

pytestmark = pytest.mark.usefixtures("device")
N = 10


def network(images):
    """A small convolutional network."""
    seeds = iter(range(1, 9))

    def weights():
        return tf.glorot_uniform_initializer(next(seeds))

    x = tf.reshape(images, [-1, 28, 28, 1])
    x = tf.layers.conv2d(
        x, 8, 5, 2, activation=tf.nn.relu, kernel_initializer=weights()
    )
    x = tf.layers.conv2d(
        x, 16, 3, 2, activation=tf.nn.relu, kernel_initializer=weights()
    )
    x = tf.layers.flatten(x)
    return tf.identity(
        tf.layers.dense(x, 10, kernel_initializer=weights()), name="logits"
    )


def digits():
    sets = datasets.mnist()
    return (sets.train.images, sets.train.labels), (sets.test.images, sets.test.labels)


def clothes():
    folder = datasets.fashion()
    images, labels = folder.load()
    images = np.reshape(images, [len(images), -1]).astype("float32")
    images /= 255
    order = np.random.RandomState(0).permutation(len(images))
    cut = len(order) * 4 // 5
    parts = [(images[part], labels[part]) for part in (order[:cut], order[cut:])]
    return parts[0], parts[1]


def train(images, labels, calls, folder):
    """Train in a device loop; the prefix of the checkpoint."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        tf.set_random_seed(1)
        data = tf.data.Dataset.from_tensor_slices((images, labels.astype("int32")))
        data = data.shuffle(len(images), seed=2).repeat().batch(50, drop_remainder=True)
        iterator = tf.data.make_initializable_iterator(data)
        x, y = iterator.get_next()
        loss = tf.losses.sparse_softmax_cross_entropy(y, network(x))
        step = tf.train.AdamOptimizer(1e-3).minimize(loss)
        with tf.Session(config=config(N)) as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            sunk = util.set_iteration_per_loop(session, step, N)
            for _ in range(calls):
                session.run(sunk)
            return tf.train.Saver().save(session, str(folder / "model.ckpt"))


def inference():
    return network(tf.placeholder(tf.float32, [None, 784], name="input"))


def live(prefix, images):
    with tf.Graph().as_default():
        logits = inference()
        with tf.Session() as session:
            tf.train.Saver().restore(session, prefix)
            return session.run(logits, {"input:0": images})


@pytest.mark.parametrize(
    ("data", "calls", "least"), [(digits, 80, 0.9), (clothes, 80, 0.7)]
)
def test_the_frozen_network_classifies_as_the_live_one(
    data, calls, least, tmp_path, record_property
):
    (images, labels), (test_images, test_labels) = data()
    prefix = train(images, labels, calls, tmp_path)
    made = freeze(prefix, tmp_path / "m.pb", model=inference)
    with FrozenModel(made.path, batch=64) as model:
        found = model(test_images)
    expected = live(prefix, test_images)
    assert np.abs(found - expected).max() <= 1e-6 * max(1, np.abs(expected).max())
    accuracy = np.mean(found.argmax(1) == test_labels)
    record_property("accuracy", accuracy)
    print(f"{data.__name__}: {accuracy:.4f} of {len(test_labels)}")
    assert accuracy == np.mean(expected.argmax(1) == test_labels)
    assert accuracy >= least
