"""Small models, fed and Dataset-fed, and the two ways to train them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import npu_lab.tf1 as tf

BATCH = 8
_rng = np.random.RandomState(5)
IMAGES = _rng.rand(400, 12).astype("float32")
LABELS = np.eye(4, dtype="float32")[_rng.randint(0, 4, 400)]


@dataclass
class Model:
    """What a training script has at hand; `feed(i)` is the feed_dict of call i."""

    train: Any
    loss: Any
    accuracy: Any
    step: Any
    weights: Any
    initializer: Any = None
    feed: Callable[[int], dict[Any, Any] | None] = lambda i: None
    get_next: Any = None


def dataset_input(epochs: int | None = None, drop_remainder: bool = True) -> Any:
    data = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).repeat(epochs)
    return tf.data.make_initializable_iterator(
        data.batch(BATCH, drop_remainder=drop_remainder)
    )


def softmax(source: str = "dataset", **how: Any) -> Model:
    x, y, extra = _inputs(source, **how)
    weights = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
    return _model(tf.matmul(x, weights), y, weights, extra)


def mlp(source: str = "dataset", **how: Any) -> Model:
    """One hidden layer with dropout; every random op has a seed of its own."""
    x, y, extra = _inputs(source, **how)
    weights = tf.get_variable(
        "w", [12, 16], initializer=tf.truncated_normal_initializer(seed=1)
    )
    hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(x, weights)), rate=0.3, seed=2)
    out = tf.get_variable(
        "out", [16, 4], initializer=tf.random_normal_initializer(stddev=0.3, seed=3)
    )
    return _model(tf.matmul(hidden, out), y, weights, extra)


def _inputs(source: str, **how: Any) -> tuple[Any, Any, dict[str, Any]]:
    if source == "dataset":
        iterator = dataset_input(**how)
        x, y = iterator.get_next()
        return x, y, {"initializer": iterator.initializer, "get_next": x}
    x = tf.placeholder(tf.float32, [None, 12], name="x")
    y = tf.placeholder(tf.float32, [None, 4], name="y")

    def feed(i: int) -> dict[Any, Any]:
        part = slice(i * BATCH % 400, i * BATCH % 400 + BATCH)
        return {x: IMAGES[part], y: LABELS[part]}

    return x, y, {"feed": feed}


def _model(logits: Any, y: Any, weights: Any, extra: dict[str, Any]) -> Model:
    loss = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits), name="loss"
    )
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    step = tf.train.get_or_create_global_step()
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
    return Model(train, loss, accuracy, step, weights, **extra)


def config(iterations_per_loop: int | None = None, **options: Any) -> Any:
    """A session configuration with NpuOptimizer, as the documentation writes it."""
    proto = tf.ConfigProto()
    custom = proto.graph_options.rewrite_options.custom_optimizers.add()
    custom.name = "NpuOptimizer"
    given = {"use_off_line": True, "enable_data_pre_proc": True, **options}
    for key, value in given.items():
        if isinstance(value, bool):
            custom.parameter_map[key].b = value
        elif isinstance(value, int):
            custom.parameter_map[key].i = value
        else:
            custom.parameter_map[key].s = tf.compat.as_bytes(value)
    if iterations_per_loop is not None:
        custom.parameter_map["iterations_per_loop"].i = iterations_per_loop
    off = proto.graph_options.rewrite_options.OFF
    proto.graph_options.rewrite_options.remapping = off
    proto.graph_options.rewrite_options.memory_optimization = off
    return proto


@contextmanager
def session(model: Model, proto: Any) -> Iterator[Any]:
    """An initialised session; the input pipeline is initialised by a run of its own."""
    with tf.Session(config=proto) as opened:
        opened.run(tf.global_variables_initializer())
        if model.initializer is not None:
            opened.run(model.initializer)
        yield opened


@dataclass
class Trained:
    """What came back from each call, and what the model ended as."""

    losses: list[float]
    accuracies: list[float | None]
    step: int
    weights: Any


def train(
    build: Callable[[], Model],
    calls: Sequence[int],
    *,
    option: int,
    batches: Sequence[int] | None = None,
    **options: Any,
) -> Trained:
    """Train with one host call for each entry of `calls`: that many steps in it.

    Where three divides the steps done after it, a call also fetches the accuracy: two
    fetch sets take turns.  A fed model is fed batch `batches[i]` at call i (i itself
    by default), so that a plain run can repeat a batch as a loop would.
    """
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = build()
        losses, accuracies, done = [], [], 0
        with session(model, config(option, **options)) as opened:
            sunk = None
            for number, steps in enumerate(calls):
                if steps > 1 and sunk is None:
                    sunk = util.set_iteration_per_loop(opened, model.train, steps)
                done += steps
                fetches = [sunk if steps > 1 else model.train, model.loss]
                if done % 3 == 0:
                    fetches.append(model.accuracy)
                fed = model.feed(number if batches is None else batches[number])
                values = opened.run(fetches, fed)
                losses.append(values[1])
                accuracies.append(values[2] if len(values) > 2 else None)
            step, weights = opened.run([model.step, model.weights])
        return Trained(losses, accuracies, int(step), weights)
