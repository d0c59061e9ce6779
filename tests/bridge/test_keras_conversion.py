"""What is converted, what is refused, and what a user is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import NpuLabWarning
from npu_lab.device import Device
from npu_lab.tf1 import face

_rng = np.random.RandomState(3)
ROWS = _rng.rand(64, 12).astype("float32")
CLASSES = _rng.randint(0, 4, 64).astype("int32")
LOSS = "sparse_categorical_crossentropy"
N, BATCH = 10, 16


@pytest.fixture(autouse=True)
def _job(
    device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[None]:
    monkeypatch.setenv("JOB_ID", "1")
    monkeypatch.chdir(tmp_path)
    tf.keras.backend.clear_session()
    yield
    tf.keras.backend.clear_session()


def model(**how: Any) -> Any:
    """Batch norm and dropout, so that training and evaluation differ."""
    layers = tf.keras.layers
    made = tf.keras.Sequential(
        [
            layers.Dense(8, input_shape=(12,), name="first"),
            layers.BatchNormalization(),
            layers.Dropout(0.5, seed=1),
            layers.Dense(4, activation="softmax", name="last"),
        ]
    )
    made.compile(how.pop("optimizer", "sgd"), how.pop("loss", LOSS), **how)
    return made


def data(features: Any = ROWS, labels: Any = CLASSES) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    return dataset.batch(BATCH, drop_remainder=True)


def repeated() -> Any:
    return data().repeat()


def convert(keras_model: Any = None, **how: Any) -> Any:
    from npu_bridge.npu_init import NPURunConfig, keras_to_npu

    folder = how.pop("folder", "model")
    config = NPURunConfig(
        model_dir=folder, iterations_per_loop=N, save_checkpoints_steps=N
    )
    return keras_to_npu.model_to_npu_estimator(keras_model, config=config, **how)


def codes(device: Device) -> list[str]:
    return [d.code for d in device.diagnostics if d.code in {"SINK059", "SINK060"}]


def scores(estimator: Any, input_fn: Any = data) -> Any:
    return np.array([each["last"] for each in estimator.predict(input_fn)])


def test_the_weights_are_carried_over(device: Device) -> None:
    """All of them, those of batch norm too, before there is any checkpoint."""
    trained = model(metrics=["accuracy"], weighted_metrics=["accuracy"])
    trained.fit(ROWS, CLASSES, epochs=3, verbose=0)
    kept = trained.get_weights()
    converted = convert(trained)
    results = converted.evaluate(data)
    expected = trained.evaluate(ROWS, CLASSES, batch_size=BATCH, verbose=0)
    names = ["loss", "acc", "weighted_acc"]
    assert [results[name] for name in names] == pytest.approx(expected, abs=1e-6)
    np.testing.assert_allclose(scores(converted), trained.predict(ROWS), atol=1e-6)
    # The model itself stays what it was, and may be trained on.
    for mine, before in zip(trained.get_weights(), kept, strict=True):
        np.testing.assert_array_equal(mine, before)
    trained.fit(ROWS, CLASSES, verbose=0)
    assert device.ledger.device_iterations == 0


def test_a_model_that_was_never_run_is_carried_over() -> None:
    fresh = model()
    converted = convert(fresh)
    np.testing.assert_allclose(scores(converted), fresh.predict(ROWS), atol=1e-6)


def test_training_and_evaluation_have_their_learning_phase() -> None:
    """Batch norm moves its statistics and dropout drops in training only."""
    trained = model()
    converted = convert(trained)
    twice = [converted.evaluate(data)["loss"] for _ in range(2)]
    assert twice[0] == twice[1]
    converted.train(repeated, max_steps=20)
    name = "batch_normalization/moving_mean"
    moved = converted.get_variable_value(name)
    assert np.abs(moved - trained.layers[1].get_weights()[2]).max() > 1e-3
    losses = [converted.evaluate(data)["loss"] for _ in range(2)]
    assert losses[0] == losses[1] != twice[0]
    np.testing.assert_array_equal(converted.get_variable_value(name), moved)


def test_converting_twice(device: Device) -> None:
    """The same object again, as when a cell is run twice."""
    trained = model(metrics=["accuracy"])
    convert(trained).train(repeated, max_steps=20)
    assert codes(device) == ["SINK059"]
    with pytest.warns(NpuLabWarning, match=r"SINK060.*model\.ckpt-20.*sequential"):
        again = convert(trained)
    assert codes(device) == ["SINK059", "SINK059", "SINK060"]
    again.train(repeated, max_steps=20)  # reached already
    assert again.get_variable_value("global_step") == 20
    again.train(repeated, max_steps=30)
    assert again.get_variable_value("global_step") == 30
    other = convert(trained, folder="other")
    np.testing.assert_allclose(scores(other), trained.predict(ROWS), atol=1e-6)
    trained.save("after.h5")  # which asks how the model was compiled


def test_a_loss_without_labels() -> None:
    made = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(12,))])
    made.add_loss(tf.reduce_mean(tf.square(made.output)))
    made.compile("sgd")
    converted = convert(made)
    for steps in (10, 20):
        converted.train(lambda: repeated().map(lambda rows, _: rows), max_steps=steps)
    assert converted.get_variable_value("global_step") == 20


def test_each_conversion_keeps_the_weights_of_its_time() -> None:
    trained = model()
    convert(trained)
    trained.fit(ROWS, CLASSES, verbose=0)
    np.testing.assert_allclose(
        scores(convert(trained)), trained.predict(ROWS), atol=1e-6
    )


def test_a_rate_that_was_set_after_compile_counts() -> None:
    trained = model()
    before = trained.get_weights()
    tf.keras.backend.set_value(trained.optimizer.lr, 0.0)
    converted = convert(trained)
    converted.train(repeated, max_steps=N)
    np.testing.assert_array_equal(converted.get_variable_value("last/bias"), before[-1])


def test_what_converting_says(device: Device) -> None:
    convert(model())
    (said,) = [d for d in device.diagnostics if d.code == "SINK059"]
    hooks = "save_checkpoints_steps stop_if_no_decrease_hook LoggingTensorHook"
    callbacks = "ModelCheckpoint EarlyStopping LearningRateScheduler TensorBoard"
    for language in ("en", "zh"):
        for name in [*hooks.split(), *callbacks.split(), "sequential"]:
            assert name in said.text(language), name
    assert tf.estimator.experimental.stop_if_no_decrease_hook


class Doubled(tf.keras.layers.Layer):  # type: ignore[misc]
    def call(self, inputs: Any) -> Any:
        return inputs * 2.0


def plain_loss(labels: Any, scores: Any) -> Any:
    return tf.keras.losses.sparse_categorical_crossentropy(labels, scores)


def test_a_saved_model_with_objects_of_its_own() -> None:
    made = tf.keras.Sequential(
        [Doubled(input_shape=(12,)), tf.keras.layers.Dense(4, "softmax", name="last")]
    )
    made.compile("sgd", plain_loss)
    made.save("saved.h5")
    expected = made.predict(ROWS)
    own = {"Doubled": Doubled, "plain_loss": plain_loss}
    converted = convert(keras_model_path="saved.h5", custom_objects=own)
    np.testing.assert_allclose(scores(converted), expected, atol=1e-6)
    converted.train(repeated, max_steps=N)
    with pytest.raises(ValueError, match="Doubled"):
        convert(keras_model_path="saved.h5")


@pytest.mark.parametrize("chosen", ["saver", "checkpoint"])
def test_checkpoints_of_either_format(chosen: str) -> None:
    converted = convert(model(optimizer="adam"), checkpoint_format=chosen)
    converted.train(repeated, max_steps=10)
    converted.train(repeated, max_steps=20)
    path = converted.latest_checkpoint()
    assert path.endswith("model.ckpt-20")
    names = dict(tf.train.list_variables(path))
    assert ("_CHECKPOINTABLE_OBJECT_GRAPH" in names) == (chosen == "checkpoint")
    assert not [name for name in names if "iterations_per_loop" in name]
    expected = scores(converted)
    if chosen == "checkpoint":  # Keras itself reads it
        fresh = model()
        fresh.load_weights(path).expect_partial()
        np.testing.assert_allclose(fresh.predict(ROWS), expected, atol=1e-6)


def test_a_plain_estimator() -> None:
    converted = tf.keras.estimator.model_to_estimator(model(), model_dir="plain")
    assert type(converted) is tf.estimator.Estimator
    converted.train(repeated, steps=3)
    assert converted.evaluate(data)["global_step"] == 3
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" in converted.get_variable_names()


def test_a_saved_model_to_serve() -> None:
    converted = convert(model())
    converted.train(repeated, max_steps=N)

    def serving() -> Any:
        rows = tf.placeholder(tf.float32, [None, 12])
        return tf.estimator.export.ServingInputReceiver({"first_input": rows}, rows)

    path = converted.export_saved_model("served", serving)
    expected = scores(converted)
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], path.decode())
        signature = loaded.signature_def["serving_default"]
        (fed,) = signature.inputs.values()
        found = session.run(signature.outputs["last"].name, {fed.name: ROWS})
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_loop_in_the_model_can_be_trained_after_converting() -> None:
    """Keras makes its gradients late; for a while loop that would be too late."""
    layers = tf.keras.layers
    made = tf.keras.Sequential(
        [layers.LSTM(3, input_shape=(4, 3)), layers.Dense(4, "softmax", name="last")]
    )
    made.compile("sgd", LOSS)
    convert(made)
    made.fit(ROWS.reshape(64, 4, 3), CLASSES, verbose=0)


def test_models_of_the_old_module_path() -> None:
    layers, models = (face.find(f"python.keras.{n}") for n in ("layers", "models"))
    x = layers.Input((12,))
    made = models.Model(x, layers.Dense(4, activation="softmax", name="last")(x))
    made.compile("rmsprop", LOSS)
    np.testing.assert_allclose(scores(convert(made)), made.predict(ROWS), atol=1e-6)


def test_after_the_session_was_cleared() -> None:
    from npu_bridge.npu_init import npu_clear_session, set_keras_session_npu_config

    for clear in (set_keras_session_npu_config, npu_clear_session):
        clear()
        made = model()
        converted = convert(made, folder=clear.__name__)
        np.testing.assert_allclose(scores(converted), made.predict(ROWS), atol=1e-6)


@pytest.mark.parametrize(
    ("features", "labels"),
    [
        (ROWS, CLASSES),
        ({"first_input": ROWS, "more": ROWS}, {"last": CLASSES}),
        ((ROWS,), CLASSES),
        ({"features": ROWS, "sample_weights": np.ones(64, "float32")}, CLASSES),
    ],
)
def test_names_and_bare_tensors(features: Any, labels: Any) -> None:
    converted = convert(model())
    expected = converted.evaluate(data)
    assert converted.evaluate(lambda: data(features, labels)) == expected


def test_sample_weights_weigh_the_loss() -> None:
    converted = convert(model())
    weights = np.full(64, 0.25, "float32")
    weighted = {"features": ROWS, "sample_weights": weights}
    expected = 0.25 * converted.evaluate(data)["loss"]
    found = converted.evaluate(lambda: data(weighted, CLASSES))
    assert found["loss"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("features", "error", "text"),
    [
        ({"x": ROWS}, KeyError, "'x'.*'first_input'.*missing.*without names"),
        ((ROWS, ROWS), ValueError, "2 tensors as features.*1 inputs: 'first_input'"),
    ],
)
def test_features_that_do_not_fit(
    features: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        convert(model()).train(lambda: data(features), max_steps=N)


@pytest.mark.parametrize("kind", ["float64", "uint8"])
def test_features_of_another_type(kind: str) -> None:
    made = tf.keras.Sequential(
        [tf.keras.layers.Conv1D(2, 3, input_shape=(12, 1), name="first")]
    )
    made.compile("sgd", "mse")
    rows = ROWS[..., None].astype(kind)
    text = rf"'first_input' takes float32.*gives {kind}.*tf\.cast\(x, tf\.float32"
    with pytest.raises(TypeError, match=text):
        convert(made).train(lambda: data(rows), max_steps=N)


class Subclassed(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(4)

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)


@pytest.mark.parametrize(
    "kind",
    [tf.train.AdamOptimizer, tf.train.MomentumOptimizer, tf.keras.optimizers.SGD],
)
def test_a_rate_that_is_a_tensor_is_refused(kind: Any) -> None:
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 10, 0.5, name="decayed")
    made = model(optimizer=kind(rate, 0.9))
    with pytest.raises(ValueError, match=r"tensor 'decayed:0'.*schedules\.Exp"):
        convert(made)


def test_what_is_refused() -> None:
    subclassed = Subclassed()
    subclassed.compile("sgd", LOSS)
    with pytest.raises(ValueError, match="Only Sequential and functional models"):
        convert(subclassed)
    with pytest.raises(ValueError, match=r"not compiled.*model\.compile"):
        convert(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))]))
    for both in ({}, {"keras_model": model(), "keras_model_path": "x.h5"}):
        with pytest.raises(ValueError, match="one of the two"):
            convert(**both)
    with pytest.raises(ValueError, match="saver, checkpoint, not 'pickle'"):
        convert(model(), checkpoint_format="pickle")


def test_another_configuration_is_refused() -> None:
    from npu_bridge.npu_init import keras_to_npu

    for config in (None, tf.estimator.RunConfig()):
        with pytest.raises(ValueError, match="NPURunConfig"):
            keras_to_npu.model_to_npu_estimator(model(), config=config)
