"""Keras in graph mode: one iteration a call, counted, judged, and the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device, seam
from tests.device.models import IMAGES, LABELS, config

IMAGES_32, LABELS_32 = IMAGES[:32], LABELS[:32]
SCALARS = LABELS_32[:, :1]


@contextmanager
def keras_session(proto: Any) -> Iterator[Any]:
    """A session for Keras, as the documentation opens one."""
    np.random.seed(1)  # Keras shuffles with it
    with tf.Graph().as_default(), tf.Session(config=proto) as opened:
        tf.keras.backend.set_session(opened)
        yield opened
    tf.keras.backend.clear_session()


def dataset() -> Any:
    data = tf.data.Dataset.from_tensor_slices((IMAGES_32, (LABELS_32, SCALARS)))
    return data.shuffle(32, seed=4).repeat().batch(8, drop_remainder=True)


def two_outputs() -> Any:
    """Batch norm, dropout, and two outputs with losses and a metric of their own."""
    layers = tf.keras.layers

    def dense(units: int, seed: int, **how: Any) -> Any:
        start = tf.keras.initializers.glorot_uniform(seed=seed)
        return layers.Dense(units, kernel_initializer=start, **how)

    x = layers.Input(shape=(12,))
    hidden = layers.BatchNormalization()(dense(16, 1, activation="relu")(x))
    hidden = layers.Dropout(0.3, seed=2)(hidden)
    outputs = [dense(4, 3, activation="softmax", name="a")(hidden)]
    outputs.append(dense(1, 4, name="b")(hidden))
    model = tf.keras.Model(x, outputs)
    model.compile(
        tf.keras.optimizers.Adam(0.01),
        {"a": "categorical_crossentropy", "b": "mse"},
        metrics={"a": ["accuracy"]},
    )
    return model


def everything(proto: Any, folder: Any) -> list[Any]:
    """What Keras returns for all that a script does with a model."""
    labels = [LABELS_32, SCALARS]
    found: list[Any] = []
    seen: list[float] = []
    with keras_session(proto):
        model = two_outputs()
        callback = tf.keras.callbacks.LambdaCallback(
            on_batch_end=lambda batch, logs: seen.append(logs["loss"])
        )
        fitted = model.fit(
            IMAGES_32,
            labels,
            batch_size=8,
            epochs=2,
            verbose=0,
            callbacks=[callback, tf.keras.callbacks.ReduceLROnPlateau("loss")],
            validation_data=(IMAGES_32, labels),
        )
        found += [fitted.history[name] for name in sorted(fitted.history)]
        fitted = model.fit(dataset(), steps_per_epoch=3, epochs=2, verbose=0)
        found += [fitted.history[name] for name in sorted(fitted.history)]
        found += [model.evaluate(IMAGES_32, labels, batch_size=8, verbose=0)]
        found += [model.evaluate(dataset(), steps=2, verbose=0)]
        found += [model.train_on_batch(IMAGES_32, labels)]
        found += [model.test_on_batch(IMAGES_32, labels)]
        model.save_weights(str(folder / "weights.h5"))
        model.train_on_batch(IMAGES_32, labels)
        model.load_weights(str(folder / "weights.h5"))
        found += model.predict(IMAGES_32, batch_size=16)
        function = tf.keras.backend.function([model.input], [model.layers[1].output])
        found += function([IMAGES_32])
        found += model.get_weights()
    return [*found, seen]


@pytest.mark.parametrize("option", [1, 10])
def test_the_numbers_are_those_without_a_device(
    device: Device, option: int, tmp_path: Any
) -> None:
    with_device = everything(config(option), tmp_path)
    seam.uninstall()  # the view stays: without it this would not be graph mode
    without = everything(config(option), tmp_path)
    assert len(with_device) == len(without)
    for mine, theirs in zip(with_device, without, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert device.ledger.training_calls == 8 + 6 + 1 + 1
    assert device.ledger.batches_pulled == 6 + 2
    assert device.ledger.device_iterations == 0
    (verdict,) = device.loops  # of the same fetches, with one input and the other
    assert (verdict.calls, verdict.trains) == (16, True)
    assert (verdict.state, verdict.data) == ("not in effect", "fresh")
    expected = ["SINK043"] if option > 1 else ["SINK058"]
    assert [d.code for d in verdict.diagnostics] == expected
    assert [d.code for d in device.diagnostics] == expected
    assert "model_to_npu_estimator" in verdict.mend
    # Fed batches of 8 and of 32, and the Dataset's.
    assert len(verdict.messages) == 3


def test_each_call_waits_for_the_link(device: Device) -> None:
    with keras_session(config(1)):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(12,))])
        model.compile("sgd", "mse")
        model.fit(IMAGES_32, SCALARS, batch_size=16, verbose=0)
        device.link_delay = 0.002
        before = device.ledger.session_runs
        model.fit(IMAGES_32, SCALARS, batch_size=4, verbose=0)
        model.predict(IMAGES_32)
    calls = device.ledger.session_runs - before
    assert calls >= 8 + 1
    assert device.ledger.injected_seconds >= calls * 0.002
    assert device.ledger.training_calls == 2 + 8


def test_the_session_of_set_keras_session_npu_config(device: Device) -> None:
    with tf.Graph().as_default():
        from npu_bridge import npu_init

        opened = npu_init.set_keras_session_npu_config(config(10))
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(12,))])
        model.compile("sgd", "mse")
        model.fit(IMAGES_32, SCALARS, batch_size=8, verbose=0)
        assert tf.keras.backend.get_session() is opened
        opened.close()
    tf.keras.backend.clear_session()
    (verdict,) = device.loops
    assert (verdict.calls, verdict.option) == (4, 10)
    assert "model_to_npu_estimator" in verdict.mend
