"""Model families by how they train: optimizers, rates, random numbers, control flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import npu_lab.tf1 as tf
from tests.device.training import Kept
from tests.device.zoo_pieces import (
    BATCH,
    CLASSES,
    LABELS,
    PIXELS,
    WIDTH,
    ZEROS,
    classifier,
    cross_entropy,
    dense,
    iterator_of,
    linear,
    sgd,
    weight,
)


def in_turn(*parts: tuple[Any, Any, Any]) -> Any:
    """Train by several (optimizer, loss, variables).

    All gradients come first: an update beside a read would be a race in any session.
    """
    pairs = [o.compute_gradients(loss, variables) for o, loss, variables in parts]
    before = [g for part in pairs for g, _ in part if g is not None]
    for (optimizer, _, _), part in zip(parts, pairs, strict=True):
        with tf.control_dependencies(before):
            before = [optimizer.apply_gradients(part)]
    return before[0]


def two_inputs_two_losses() -> Kept:
    first, second = iterator_of(PIXELS, LABELS), iterator_of(PIXELS, LABELS, first=20)
    (x, y), (u, v) = first.get_next(), second.get_next()
    shared = weight("shared", WIDTH, 6)
    one = cross_entropy(
        tf.matmul(tf.tanh(tf.matmul(x, shared)), weight("a", 6, CLASSES, seed=2)), y
    )
    two = cross_entropy(
        tf.matmul(tf.sigmoid(tf.matmul(u, shared)), weight("b", 6, CLASSES, seed=3)), v
    )
    count = tf.train.get_or_create_global_step()
    train = in_turn(
        (tf.train.MomentumOptimizer(0.1, 0.9), one, None),
        (tf.train.AdamOptimizer(0.01), two, None),
    )
    with tf.control_dependencies([train]):
        train = tf.assign_add(count, 1).op
    setup = [[first.initializer, second.initializer]]
    return Kept(train, one + two, [one, two], setup)


def adversaries() -> Kept:
    """A generator and a discriminator, each with its loss and its variables."""
    iterator = iterator_of(PIXELS)
    (real,) = iterator.get_next()
    noise = tf.random_normal([BATCH, 3], seed=8)
    with tf.variable_scope("generator"):
        fake = tf.sigmoid(tf.matmul(noise, weight("w", 3, WIDTH)))

    def judge(x: Any) -> Any:
        with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
            return tf.matmul(x, weight("w", WIDTH, 1, seed=2))

    def loss(logits: Any, truth: Any) -> Any:
        labels = truth(logits)
        return tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        )

    doubts = loss(judge(real), tf.ones_like) + loss(judge(fake), tf.zeros_like)
    deceit = loss(judge(fake), tf.ones_like)
    train = in_turn(
        (
            tf.train.RMSPropOptimizer(0.02),
            doubts,
            tf.trainable_variables("discriminator"),
        ),
        (tf.train.RMSPropOptimizer(0.01), deceit, tf.trainable_variables("generator")),
    )
    return Kept(train, doubts, [deceit], [iterator.initializer])


# --- optimizers, rates, averages ---


def optimized(optimizer: Callable[[], Any]) -> Callable[[], Kept]:
    return lambda: classifier(linear, optimizer)


def decayed(rate: Callable[[Any], Any]) -> Callable[[], Kept]:
    def build() -> Kept:
        rate_now = rate(tf.train.get_or_create_global_step())
        return classifier(linear, lambda: sgd(rate_now), metrics=lambda: [rate_now])

    return build


def moving_average() -> Kept:
    average = tf.train.ExponentialMovingAverage(
        0.9, tf.train.get_or_create_global_step()
    )

    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        trained = optimizer.minimize(loss, global_step=count)
        with tf.control_dependencies([trained]):
            return average.apply(tf.trainable_variables())

    return classifier(linear, minimize=minimize)


def clipping() -> Kept:
    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
        clipped, norm = tf.clip_by_global_norm(gradients, 0.05)
        tf.add_to_collection("norm", norm)
        return optimizer.apply_gradients(
            zip(clipped, variables, strict=True), global_step=count
        )

    return classifier(
        linear, minimize=minimize, metrics=lambda: tf.get_collection("norm")
    )


def accumulation() -> Kept:
    """Gradients of four steps are summed, then applied."""

    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        pairs = optimizer.compute_gradients(loss)
        sums = [
            tf.get_variable(f"sum{i}", v.shape, trainable=False, initializer=ZEROS)
            for i, (_, v) in enumerate(pairs)
        ]
        added = [tf.assign_add(s, g) for s, (g, _) in zip(sums, pairs, strict=True)]

        def apply() -> Any:
            now = [
                (s.read_value() / 4.0, v) for s, (_, v) in zip(sums, pairs, strict=True)
            ]
            with tf.control_dependencies([optimizer.apply_gradients(now)]):
                emptied = [tf.assign(s, tf.zeros_like(s)) for s in sums]
            return tf.group(*emptied)

        with tf.control_dependencies(added):
            counted = tf.assign_add(count, 1)
        with tf.control_dependencies([counted]):
            return tf.group(tf.cond(tf.equal(counted % 4, 0), apply, tf.no_op))

    return classifier(linear, lambda: tf.train.AdamOptimizer(0.05), minimize=minimize)


def regularised() -> Kept:
    iterator = iterator_of(PIXELS, LABELS)
    x, y = iterator.get_next()
    hidden = dense(x, 6, "hidden", kernel_regularizer=tf.keras.regularizers.l2(0.01))
    logits = dense(hidden, CLASSES, "out", kernel_regularizer=tf.nn.l2_loss)
    # Of three and more addends AddN begins with one whose memory it may take over, and
    # which that is depends on time: get_total_loss differs from run to run by itself.
    penalty = tf.losses.get_regularization_loss()
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits) + penalty
    train = sgd(0.01).minimize(loss, global_step=tf.train.get_or_create_global_step())
    return Kept(train, loss, [penalty], [iterator.initializer])


def decoupled_decay() -> Kept:
    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        trained = optimizer.minimize(loss, global_step=count)
        with tf.control_dependencies([trained]):
            shrunk = [tf.assign_sub(v, 0.01 * v) for v in tf.trainable_variables()]
        return tf.group(*shrunk)

    return classifier(
        linear, lambda: tf.train.MomentumOptimizer(0.1, 0.9), minimize=minimize
    )


def loss_scaling() -> Kept:
    """Half precision, with a loss scale that a finite check moves."""

    def logits(x: Any) -> Any:
        low = tf.cast(linear(x), tf.float16)
        return tf.cast(low, tf.float32)

    def minimize(loss: Any, optimizer: Any, count: Any) -> Any:
        scale = tf.get_variable("scale", initializer=2.0**14, trainable=False)
        pairs = optimizer.compute_gradients(loss * scale)
        finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g, _ in pairs])

        def apply() -> Any:
            down = [(g / scale, v) for g, v in pairs]
            with tf.control_dependencies([optimizer.apply_gradients(down, count)]):
                return tf.group(tf.assign(scale, scale * 2.0))

        return tf.group(
            tf.cond(finite, apply, lambda: tf.group(tf.assign(scale, scale / 4.0)))
        )

    return classifier(logits, minimize=minimize)


# --- random and control flow ---


def dropout() -> Kept:
    def logits(x: Any) -> Any:
        hidden = tf.nn.relu(tf.matmul(x, weight("w", WIDTH, 8)))
        hidden = tf.nn.dropout(hidden, rate=0.4, seed=9)
        hidden = tf.layers.dropout(hidden, 0.2, seed=10, training=True)
        return tf.matmul(hidden, weight("out", 8, CLASSES, seed=2))

    return classifier(logits)


def augmentation() -> Kept:
    def logits(x: Any) -> Any:
        image = tf.reshape(x, [BATCH, 4, 4, 1])
        image = tf.image.random_flip_left_right(image, seed=11)
        image = tf.image.random_brightness(image, 0.2, seed=12)
        image = tf.image.random_contrast(image, 0.8, 1.2, seed=13)
        image += tf.random.truncated_normal(tf.shape(image), stddev=0.05, seed=14)
        return linear(tf.reshape(image, [BATCH, WIDTH]))

    return classifier(logits)


def dropout_by_a_fed_flag() -> Kept:
    """Dropout in the branch of a tf.cond, as tf.layers.dropout makes it."""
    training = tf.placeholder(tf.bool, [], name="training")
    model = classifier(
        lambda x: linear(tf.layers.dropout(x, 0.4, seed=3, training=training))
    )
    model.feed = lambda opened: {training: True}
    return model


def dropout_in_a_function() -> Kept:
    @tf.function
    def layer(x: Any) -> Any:
        return tf.nn.dropout(x, rate=0.4, seed=3)

    return classifier(lambda x: linear(layer(x)))


def random_crop() -> Kept:
    """Cropping draws whole numbers."""

    def logits(x: Any) -> Any:
        image = tf.reshape(x, [BATCH, 4, 4])
        image = tf.image.random_crop(image, [BATCH, 3, 3], seed=6)
        return tf.matmul(tf.reshape(image, [BATCH, 9]), weight("w", 9, CLASSES))

    return classifier(logits)


def branches() -> Kept:
    """Branches chosen by the step and by the data, one with an update in it."""

    def logits(x: Any) -> Any:
        even = tf.equal(tf.train.get_or_create_global_step() % 2, 0)
        seen = tf.get_variable("seen", [], tf.int64, ZEROS, trainable=False)

        def marked() -> Any:
            with tf.control_dependencies([tf.assign_add(seen, 1)]):
                return x * 1.5

        x = tf.cond(even, marked, lambda: tf.tanh(x))
        index = tf.cast(tf.reduce_sum(x), tf.int32) % 3
        x = tf.switch_case(index, [lambda: x, lambda: -x, lambda: tf.square(x)])
        return linear(x)

    return classifier(logits)


def scan_and_map() -> Kept:
    def logits(x: Any) -> Any:
        w = weight("w", 4, 4)
        rows = tf.reshape(x, [BATCH, 4, 4])
        rows = tf.map_fn(lambda row: tf.tanh(tf.matmul(row, w)), rows)
        summed = tf.scan(lambda a, b: 0.5 * a + b, tf.transpose(rows, [1, 0, 2]))
        return tf.matmul(summed[-1], weight("out", 4, CLASSES, seed=2))

    return classifier(logits)


def function_in_the_graph() -> Kept:
    def logits(x: Any) -> Any:
        w = weight("w", WIDTH, CLASSES)
        calls = tf.get_variable("calls", [], tf.int64, ZEROS, trainable=False)

        @tf.function
        def layer(x: Any) -> Any:
            calls.assign_add(1)
            if tf.reduce_sum(x) > 30.0:  # a branch made by AutoGraph
                x = x / 2.0
            return tf.matmul(x, w)

        return layer(x)

    return classifier(logits)


def own_gradient() -> Kept:
    @tf.custom_gradient
    def halved(x: Any) -> Any:
        return tf.identity(x), lambda up: up * 0.5

    return classifier(lambda x: halved(linear(x)))


def python_in_the_model() -> Kept:
    def logits(x: Any) -> Any:
        scaled = tf.py_func(lambda v: (v * 0.5).astype("float32"), [x], tf.float32)
        scaled.set_shape([BATCH, WIDTH])
        return linear(scaled)

    return classifier(logits)


def streaming_metrics() -> Kept:
    """tf.metrics: updates of local variables that are fetched beside the training."""
    iterator = iterator_of(PIXELS, LABELS)
    x, y = iterator.get_next()
    logits = linear(x)
    loss = cross_entropy(logits, y)
    _, update = tf.metrics.accuracy(y, tf.argmax(logits, 1))
    count = tf.train.get_or_create_global_step()
    with tf.control_dependencies([update]):
        train = sgd().minimize(loss, global_step=count)
    return Kept(train, loss, [update], [iterator.initializer])


def checked() -> Kept:
    def logits(x: Any) -> Any:
        with tf.control_dependencies([tf.assert_non_negative(x)]):
            return tf.check_numerics(linear(x), "logits")

    return classifier(logits)


def partitioned_variable() -> Kept:
    def logits(x: Any) -> Any:
        parts = tf.fixed_size_partitioner(2)
        w = weight("w", WIDTH, CLASSES, partitioner=parts)
        return tf.matmul(x, tf.convert_to_tensor(w))

    return classifier(logits)
