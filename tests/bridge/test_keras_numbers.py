"""The converted Keras model against Keras itself: the same losses, the same weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device

BATCH, STEPS = 16, 50
_rng = np.random.RandomState(7)
IMAGES = _rng.rand(64, 8, 8, 1).astype("float32")
ROWS = _rng.rand(64, 12).astype("float32")
SIDE = _rng.rand(64, 3).astype("float32")
WORDS = _rng.randint(0, 20, (64, 7)).astype("int32")
CLASSES = _rng.randint(0, 4, 64).astype("int32")
NUMBERS = _rng.rand(64, 1).astype("float32")
WEIGHTS = _rng.rand(64).astype("float32")
KINDS = "sparse_categorical_crossentropy"


@dataclass
class Case:
    """A compiled model, its data for Keras, and for an input_fn where that differs."""

    model: Any
    x: Any
    y: Any
    features: Any = None
    labels: Any = None
    weights: Any = None
    losses: list[float] = field(default_factory=list)

    def input_fn(self) -> Any:
        features = self.x if self.features is None else self.features
        labels = self.y if self.labels is None else self.labels
        data = tf.data.Dataset.from_tensor_slices((features, labels))
        return data.repeat().batch(BATCH, drop_remainder=True)


def _compiled(model: Any, optimizer: Any = "sgd", **how: Any) -> Any:
    model.compile(optimizer, how.pop("loss", KINDS), **how)
    return model


def _dense(**how: Any) -> Any:
    layers = tf.keras.layers
    return layers.Dense(4, activation="softmax", **how)


def convolution(optimizer: Any) -> Case:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(4, 3, kernel_regularizer="l2", input_shape=(8, 8, 1)),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPool2D(),
            layers.Flatten(),
            _dense(),
        ]
    )
    return Case(_compiled(model, optimizer, metrics=["accuracy"]), IMAGES, CLASSES)


def two_inputs(optimizer: Any) -> Case:
    """Two inputs, two outputs, loss weights, and sample weights for each output."""
    layers = tf.keras.layers
    a, b = layers.Input((12,), name="a"), layers.Input((3,), name="b")
    hidden = layers.concatenate([layers.Dense(5, activity_regularizer="l2")(a), b])
    outputs = [_dense(name="p")(hidden), layers.Dense(1, name="q")(hidden)]
    model = _compiled(
        tf.keras.Model([a, b], outputs),
        optimizer,
        loss={"p": KINDS, "q": "mse"},
        loss_weights={"p": 1.0, "q": 0.5},
        metrics={"p": ["accuracy"], "q": ["mae"]},
    )
    weights = {"p": WEIGHTS, "q": 2 * WEIGHTS}
    return Case(
        model,
        [ROWS, SIDE],
        [CLASSES, NUMBERS],
        features={"features": {"b": SIDE, "a": ROWS}, "sample_weights": weights},
        labels={"q": NUMBERS, "p": CLASSES},
        weights=weights,
    )


def recurrent(optimizer: Any) -> Case:
    layers = tf.keras.layers
    parts = [layers.Embedding(20, 6, mask_zero=True, input_length=7), layers.LSTM(5)]
    model = tf.keras.Sequential([*parts, _dense()])
    return Case(_compiled(model, optimizer), WORDS, CLASSES)


def nested(optimizer: Any) -> Case:
    """A model in a model, used twice, with operations of TensorFlow between."""
    layers = tf.keras.layers
    inner = tf.keras.Sequential([layers.Dense(6, input_shape=(12,))], name="inner")
    x = layers.Input((12,))
    doubled = inner(layers.Lambda(lambda tensor: tensor * 2.0)(x))
    model = tf.keras.Model(x, _dense()(inner(x) + tf.nn.relu(doubled)))
    model.add_loss(tf.reduce_mean(tf.square(doubled)))
    return Case(_compiled(model, optimizer), ROWS, CLASSES)


def frozen(optimizer: Any) -> Case:
    case = convolution(optimizer)
    for layer in case.model.layers[:2]:
        layer.trainable = False
    _compiled(case.model, optimizer)
    return case


def without_shape(optimizer: Any) -> Case:
    """A Sequential model that learns its input's shape from the first batch."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(6), _dense()])
    _compiled(model, optimizer).train_on_batch(ROWS, CLASSES)
    return Case(model, ROWS, CLASSES)


def schedule() -> Any:
    schedules = tf.keras.optimizers.schedules
    return tf.keras.optimizers.SGD(schedules.ExponentialDecay(0.1, 10, 0.5))


FAMILIES: dict[str, tuple[Callable[[Any], Case], Callable[[], Any]]] = {
    "convolution": (convolution, lambda: "sgd"),
    "two inputs and outputs": (two_inputs, lambda: "sgd"),
    "recurrent": (recurrent, lambda: "sgd"),
    "nested": (nested, lambda: "sgd"),
    "frozen": (frozen, lambda: "sgd"),
    "without a shape": (without_shape, lambda: "sgd"),
    "adam": (convolution, lambda: "adam"),
    "momentum and decay": (
        convolution,
        lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, decay=0.01, clipnorm=1.0),
    ),
    "schedule": (convolution, schedule),
    "tf.train": (two_inputs, lambda: tf.train.MomentumOptimizer(0.05, 0.9)),
}


class Losses(tf.train.SessionRunHook):  # type: ignore[misc]
    """Keeps what the training returns as its loss, once per run."""

    def __init__(self) -> None:
        self.found: list[float] = []
        self.loss: Any = None

    def begin(self) -> None:
        (self.loss,) = tf.get_collection(tf.GraphKeys.LOSSES)

    def before_run(self, context: Any) -> Any:
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, context: Any, values: Any) -> None:
        self.found.append(values.results)


def trained(case: Case, folder: Path, n: int) -> tuple[list[float], dict[str, Any]]:
    """The losses that the host sees, and all variables at the end."""
    from npu_bridge.npu_init import NPURunConfig, keras_to_npu

    config = NPURunConfig(
        model_dir=str(folder), iterations_per_loop=n, save_checkpoints_steps=STEPS
    )
    estimator = keras_to_npu.model_to_npu_estimator(case.model, config=config)
    losses = Losses()
    estimator.train(case.input_fn, hooks=[losses], max_steps=STEPS)
    names = estimator.get_variable_names()
    return losses.found, {name: estimator.get_variable_value(name) for name in names}


def with_keras(case: Case) -> list[float]:
    losses = []
    for step in range(STEPS):
        start = step * BATCH % len(CLASSES)
        part = slice(start, start + BATCH)
        weights = case.weights and {k: v[part] for k, v in case.weights.items()}
        x = (
            [each[part] for each in case.x]
            if isinstance(case.x, list)
            else case.x[part]
        )
        y = (
            [each[part] for each in case.y]
            if isinstance(case.y, list)
            else case.y[part]
        )
        found = case.model.train_on_batch(x, y, sample_weight=weights)
        losses.append(found[0] if isinstance(found, list) else found)
    return losses


@pytest.mark.parametrize("family", FAMILIES)
def test_the_converted_model_trains_as_keras_does(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    monkeypatch.setenv("JOB_ID", "1")
    build, optimizer = FAMILIES[family]
    with tf.Graph().as_default(), tf.Session().as_default():
        case = build(optimizer())
        names = [variable.op.name for variable in case.model.weights]
        single, last = trained(case, tmp_path / "1", 1)
        sunk, sunk_last = trained(case, tmp_path / "10", 10)
        expected = with_keras(case)
        weights = case.model.get_weights()
    tf.keras.backend.clear_session()
    # One iteration a call, or ten: the same bits.
    assert sunk == single[9::10]
    assert sunk_last.keys() == last.keys()
    for name, value in last.items():
        np.testing.assert_array_equal(sunk_last[name], value, err_msg=name)
    assert last["global_step"] == STEPS
    assert device.ledger.device_iterations == STEPS
    # And those of Keras.
    assert single[0] == pytest.approx(expected[0], abs=1e-6)
    np.testing.assert_allclose(single, expected, atol=1e-5)
    for name, value in zip(names, weights, strict=True):
        kept = last[name.removeprefix("sequential/")]
        np.testing.assert_allclose(kept, value, atol=1e-5, err_msg=name)
