"""SavedModels: those of Estimators, of exporters, of tf.saved_model and of Keras."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.freeze import FreezeError, FrozenModel, freeze
from tests.device.models import BATCH, IMAGES, LABELS
from tests.extras.freeze import networks

pytestmark = pytest.mark.usefixtures("device")


def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    logits = networks.scores(
        features["x"], training=training, keep=0.5 if training else None
    )
    predictions = {"class": tf.argmax(logits, 1), "scores": tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions)
    loss = tf.losses.softmax_cross_entropy(labels, logits)
    step = networks.train_op(logits, labels) if training else None
    return tf.estimator.EstimatorSpec(mode, predictions, loss, step)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({"x": IMAGES}, LABELS))
    return data.repeat().batch(BATCH, drop_remainder=True)


def receiver():
    x = tf.placeholder(tf.float32, [None, 12], name="input")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def estimator(folder, kind=None):
    if kind is None:
        return tf.estimator.Estimator(model_fn, model_dir=str(folder))
    from npu_bridge.npu_init import NPUEstimator, NPURunConfig

    return NPUEstimator(
        model_fn,
        model_dir=str(folder),
        config=NPURunConfig(iterations_per_loop=4, save_checkpoints_steps=8),
    )


def expected(trained):
    data = tf.estimator.inputs.numpy_input_fn(
        {"x": IMAGES}, batch_size=len(IMAGES), shuffle=False
    )
    rows = list(trained.predict(data))
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


@pytest.mark.parametrize("kind", [None, "npu"])
def test_an_estimators_export(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("JOB_ID", "lab")
    trained = estimator(tmp_path / "run", kind)
    trained.train(input_fn, max_steps=8)
    folder = trained.export_saved_model(str(tmp_path / "export"), receiver)
    made = freeze(folder, tmp_path / "m.pb")
    assert [one.name for one in made.inputs] == ["input"]
    assert len(made.outputs) == 2
    live = expected(trained)
    outputs = [one.name for one in made.outputs]
    with FrozenModel(made.path, outputs, batch=32) as model:
        found = model(IMAGES)
    classes, scores = (found[name] for name in sorted(outputs))
    assert (classes == live["class"]).all()
    assert networks.near(scores, live["scores"])


def test_the_newest_export_of_an_exporter(tmp_path):
    trained = estimator(tmp_path / "run")
    tf.estimator.train_and_evaluate(
        trained,
        tf.estimator.TrainSpec(input_fn, max_steps=8),
        tf.estimator.EvalSpec(
            input_fn,
            steps=2,
            exporters=tf.estimator.FinalExporter("final", receiver),
        ),
    )
    made = freeze(tmp_path / "run" / "export" / "final", tmp_path / "m.pb")
    live = expected(trained)
    scores = next(one.name for one in made.outputs if one.type == "float32")
    found = networks.frozen(made.path, IMAGES, outputs=scores)
    assert networks.near(found, live["scores"])


def test_an_export_in_training_mode_is_refused(tmp_path):
    trained = estimator(tmp_path / "run")
    trained.train(input_fn, max_steps=4)

    supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
        {"x": tf.placeholder(tf.float32, [None, 12])},
        tf.placeholder(tf.float32, [None, 4]),
    )
    folder = trained.experimental_export_all_saved_models(
        str(tmp_path / "export"), {tf.estimator.ModeKeys.TRAIN: supervised}
    )
    with pytest.raises(FreezeError, match="tags serve; it has: train"):
        freeze(folder, tmp_path / "m.pb")
    with pytest.raises(FreezeError) as stopped:
        freeze(folder, tmp_path / "m.pb", "logits", tags=["train"])
    assert "dropout is active" in str(stopped.value)
    assert "batch normalization uses" in str(stopped.value)


def test_another_signature(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        y = tf.matmul(x, w, name="y")
        z = tf.nn.relu(-y, name="z")
        session.run(tf.global_variables_initializer())
        info = tf.saved_model.build_tensor_info
        signatures = {
            name: tf.saved_model.build_signature_def(
                {"x": info(x)}, {"o": info(out)}, "predict"
            )
            for name, out in (("serving_default", y), ("negative", z))
        }
        builder = tf.saved_model.Builder(str(tmp_path / "s"))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()
    for name, output in ((None, "y"), ("negative", "z")):
        made = freeze(tmp_path / "s", tmp_path / "m.pb", signature=name)
        assert [one.name for one in made.outputs] == [output]
    with pytest.raises(FreezeError, match="has negative, serving_default"):
        freeze(tmp_path / "s", tmp_path / "m.pb", signature="positive")


def test_a_damaged_export(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "saved_model.pb").write_bytes(b"nonsense")
    with pytest.raises(FreezeError) as stopped:
        freeze(tmp_path / "s", tmp_path / "m.pb")
    assert stopped.value.key == "bad export"


def test_texts_have_to_be_given(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, [None], name="x")
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        y = tf.identity(tf.strings.to_number(x) * w, name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(tmp_path / "s"), {"x": x}, {"y": y})
    with pytest.raises(FreezeError) as stopped:
        freeze(tmp_path / "s", tmp_path / "m.pb")
    assert stopped.value.key == "strings"
    made = freeze(tmp_path / "s", tmp_path / "m.pb", feeds={"x": ["1", "2.5"]})
    assert networks.frozen(made.path, np.array(["3", "4"], object)).tolist() == [3, 4]
