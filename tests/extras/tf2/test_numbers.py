"""Sinking changes no numbers: weights equal those of TensorFlow alone, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab
from npu_lab._tensorflow import tf

STEPS, BATCH = 200, 8

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


def batches():
    random = np.random.default_rng(1)
    images = random.random((160, 12), np.float32)
    labels = random.integers(0, 3, 160)
    data = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(50, seed=2)
    return data.repeat().batch(BATCH, drop_remainder=True)


def dense(hidden=6):
    random = np.random.default_rng(3)
    shapes = [(12, hidden), (hidden,), (hidden, 3), (3,)]
    return [tf.Variable(random.standard_normal(s).astype(np.float32)) for s in shapes]


def loss_of(weights, x, y, drop=0.0):
    hidden = tf.nn.relu(x @ weights[0] + weights[1])
    if drop:
        hidden = tf.nn.dropout(hidden, drop, seed=5)
    logits = hidden @ weights[2] + weights[3]
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    return tf.reduce_mean(losses)


def sgd(weights, gradients, _):
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.assign_sub(0.1 * gradient)


def branching(weights, gradients, loss):
    """Nested control flow: a branch, and a loop inside the loop."""

    def clipped():
        _, total = tf.while_loop(
            lambda number, _: number < 3,
            lambda number, total: (number + 1, total + tf.cast(number, tf.float32)),
            (tf.constant(0), loss),
        )
        return 0.1 / (1.0 + total)

    rate = tf.cond(loss > 1.0, clipped, lambda: 0.1)
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.assign_sub(rate * gradient)


def keras_optimizer(name):
    made = []

    def apply(weights, gradients, _):
        if not made:
            made.append(getattr(tf.keras.optimizers, name)(0.01))
        made[0].apply_gradients(zip(gradients, weights, strict=True))

    return apply


FAMILIES = {
    "sgd": (lambda: sgd, 0.0),
    "adam": (lambda: keras_optimizer("Adam"), 0.0),
    "rmsprop": (lambda: keras_optimizer("RMSprop"), 0.0),
    "dropout": (lambda: sgd, 0.3),
    "branching": (lambda: branching, 0.0),
}


def train(make, drop, sizes, *, returns=False, npu=None, nested=False):
    """Train by calls of these sizes; the weights, and what came back last."""
    tf.random.set_seed(7)
    weights, apply, iterator = dense(), make(), iter(batches())

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(weights, x, y, drop)
        apply(weights, tape.gradient(loss, weights), loss)
        return loss

    if nested:
        step = tf.function(step)

    @tf.function
    def loop(iterator, steps):
        loss = 0.0
        for _ in tf.range(steps):
            loss = step(*next(iterator))
        if returns:
            return loss
        return None

    last = None
    for size in sizes:
        if npu is not None:
            npu.set_npu_loop_size(size)
        last = loop(iterator, tf.constant(size))
    return [w.numpy() for w in weights], last


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_weights_equal_those_of_a_plain_loop(opened, device2, family, returns, nested):
    make, drop = FAMILIES[family]
    sizes = [50, 50, 1, 9, 90]
    facts = {"returns": returns, "nested": nested}
    sunk, loss = train(make, drop, sizes, npu=opened, **facts)
    assert device2.ledger.device_iterations == STEPS
    assert device2.ledger.batches_pulled == STEPS
    npu_lab.deactivate()
    plain, plain_loss = train(make, drop, sizes, **facts)
    for one, other in zip(sunk, plain, strict=True):
        assert np.array_equal(one, other)
        assert np.abs(one).max() > 0
    if returns:
        assert float(loss) == float(plain_loss)


def test_a_loop_of_the_host_equals_it_as_well(opened, device2):
    del device2
    weights = {}
    for active in (True, False):
        if not active:
            npu_lab.deactivate()
        weight = tf.Variable(1.0)
        data = tf.data.Dataset.range(50).map(lambda i: tf.cast(i, tf.float32))

        @tf.function
        def loop(iterator, steps, weight=weight):
            for _ in tf.range(steps):
                weight.assign_sub(0.01 * (weight - tf.reduce_mean(next(iterator))))

        if active:
            opened.set_npu_loop_size(20)
        loop(iter(data.batch(2)), tf.constant(20))
        weights[active] = weight.numpy()
    assert weights[True] == weights[False] != 1


@pytest.mark.parametrize("returns", [False, True])
def test_recording_changes_no_numbers(opened, device2, returns):
    sizes = [50, 50]
    plain, _ = train(lambda: sgd, 0.0, sizes, returns=returns, npu=opened)
    with device2.trace:
        traced, _ = train(lambda: sgd, 0.0, sizes, returns=returns, npu=opened)
    for one, other in zip(plain, traced, strict=True):
        assert np.array_equal(one, other)
