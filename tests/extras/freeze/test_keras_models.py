"""Keras models: objects, files, descriptions with weights; and converted ones."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.freeze import FreezeError, freeze
from tests.device.models import BATCH, IMAGES, LABELS
from tests.extras.freeze import networks

pytestmark = pytest.mark.usefixtures("device")
keras = tf.keras


@pytest.fixture
def model():
    with tf.Graph().as_default(), tf.Session().as_default():
        built = keras.Sequential(
            [
                keras.layers.Input([12], name="image"),
                keras.layers.Dense(8, "relu"),
                keras.layers.BatchNormalization(),
                keras.layers.Dropout(0.5),
                keras.layers.LayerNormalization(),
                keras.layers.Dense(4, "softmax", name="class"),
            ]
        )
        built.compile("sgd", "categorical_crossentropy")
        built.fit(IMAGES, LABELS, BATCH, verbose=0)
        yield built


def check(made, model):
    assert [one.name for one in made.inputs] == ["image"]
    assert [one.name for one in made.outputs] == ["class/Softmax"]
    assert made.random == ()
    live = model.predict(IMAGES)
    assert live.std() > 0.01
    assert networks.near(networks.frozen(made.path, IMAGES), live)


def test_an_object(model, tmp_path):
    check(freeze(model, tmp_path / "m.pb"), model)
    model.fit(IMAGES, LABELS, BATCH, verbose=0)  # it can be trained on


@pytest.mark.parametrize("name", ["m.h5", "m.hdf5"])
def test_a_file(name, model, tmp_path):
    model.save(tmp_path / name)
    check(freeze(tmp_path / name, tmp_path / "m.pb"), model)


def test_a_description_with_weights(model, tmp_path):
    (tmp_path / "m.json").write_text(model.to_json())
    model.save_weights(str(tmp_path / "w.h5"))
    with pytest.raises(FreezeError, match="--weights"):
        freeze(tmp_path / "m.json", tmp_path / "m.pb")
    made = freeze(tmp_path / "m.json", tmp_path / "m.pb", weights=tmp_path / "w.h5")
    check(made, model)


def test_a_saved_model(model, tmp_path):
    model.save(tmp_path / "s", save_format="tf")
    made = freeze(tmp_path / "s", tmp_path / "m.pb")
    live = model.predict(IMAGES)
    assert networks.near(networks.frozen(made.path, IMAGES), live)


def test_recurrent_layers(tmp_path):
    with tf.Graph().as_default(), tf.Session().as_default():
        built = keras.Sequential(
            [
                keras.layers.Embedding(20, 4, input_length=6),
                keras.layers.LSTM(5, return_sequences=True),
                keras.layers.Bidirectional(keras.layers.GRU(3)),
                keras.layers.Dense(2),
            ]
        )
        words = np.arange(30).reshape(5, 6) % 20
        live = built.predict(words)
        made = freeze(built, tmp_path / "m.pb")
    assert networks.near(networks.frozen(made.path, words), live)


def test_the_graph_of_a_keras_training_has_a_learning_phase(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 12], name="x")
        layers = [keras.layers.BatchNormalization(), keras.layers.Dropout(0.4)]
        y = tf.identity(keras.Sequential(layers)(x), name="y")
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "k"))
        live = session.run(y, {x: IMAGES})
    with pytest.raises(FreezeError) as stopped:
        freeze(prefix, tmp_path / "m.pb", "y")
    assert "--set keras_learning_phase=False" in str(stopped.value)
    made = freeze(prefix, tmp_path / "m.pb", "y", constants={"keras_learning_phase": 0})
    assert [one.name for one in made.inputs] == ["x"]
    assert networks.near(networks.frozen(made.path, IMAGES), live)


def test_a_converted_model(model, tmp_path, monkeypatch):
    from npu_bridge.estimator.npu.keras_to_npu import model_to_npu_estimator
    from npu_bridge.npu_init import NPURunConfig

    monkeypatch.setenv("JOB_ID", "lab")
    folder = tmp_path / "run"
    trained = model_to_npu_estimator(
        keras_model=model,
        model_dir=str(folder),
        config=NPURunConfig(iterations_per_loop=4, save_checkpoints_steps=8),
        checkpoint_format="saver",
    )

    def input_fn():
        data = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).repeat()
        return data.batch(BATCH, drop_remainder=True)

    def receiver():
        x = tf.placeholder(tf.float32, [None, 12], name="input")
        return tf.estimator.export.ServingInputReceiver({"image": x}, {"image": x})

    trained.train(input_fn, max_steps=8)
    folder = trained.export_saved_model(str(tmp_path / "export"), receiver)
    made = freeze(folder, tmp_path / "m.pb")
    only = tf.estimator.inputs.numpy_input_fn(
        {"image": IMAGES}, batch_size=len(IMAGES), shuffle=False
    )
    (name,) = [one.name for one in made.outputs]
    live = np.stack([next(iter(row.values())) for row in trained.predict(only)])
    found = networks.frozen(made.path, IMAGES, outputs=name)
    assert networks.near(found, live)


def test_a_subclass_of_model_is_refused(tmp_path):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    with tf.Graph().as_default(), tf.Session().as_default():
        own = Own()
        own(tf.zeros([1, 3]))
        with pytest.raises(FreezeError) as stopped:
            freeze(own, tmp_path / "m.pb")
    assert stopped.value.key in {"no Keras graph", "no Keras weights"}
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "m.h5").write_bytes(b"nonsense")
    with pytest.raises(FreezeError) as stopped:
        freeze(tmp_path / "m.h5", tmp_path / "m.pb")
    assert stopped.value.key == "bad Keras"
    assert [one.name for one in tmp_path.iterdir()] == ["m.h5"]


def test_with_eager_execution(tmp_path):
    program = f"""
        import os
        import numpy as np
        from npu_lab._tensorflow import tf
        from npu_lab.extras.freeze import FrozenModel, freeze

        assert tf.executing_eagerly()
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [layers.Input([12]), layers.Dense(8), layers.BatchNormalization(),
             layers.Dropout(0.5), layers.Dense(4)]
        )
        model.compile("sgd", "mse")
        x = np.random.default_rng(1).random([20, 12], "float32")
        model.fit(x, x[:, :4], verbose=0)
        model.save({str(tmp_path / "m.h5")!r})
        for source in (model, {str(tmp_path / "m.h5")!r}):
            made = freeze(source, {str(tmp_path / "m.pb")!r})
            assert made.constants == 8, made
            with FrozenModel(made.path) as frozen:
                found = frozen(x)
            assert np.abs(found - model.predict(x, verbose=0)).max() <= 1e-6
        model.fit(x, x[:, :4], verbose=0)
        print("done")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["done"], done.stderr
