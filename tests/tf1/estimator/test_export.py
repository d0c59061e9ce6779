"""An Estimator is exported as a SavedModel that plain TensorFlow runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import npu_lab.tf1 as tf
from tests.tf1.estimator.models import X, Y, endless, model_fn, run_config

export = tf.estimator.export


@pytest.fixture
def trained(tmp_path, device):
    config = run_config(save_summary_steps=0)
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path / "model"), config)
    return estimator.train(endless, steps=5)


def raw():
    return export.build_raw_serving_input_receiver_fn({"x": X})()


def loaded(folder, signature, values, tags=("serve",)):
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, list(tags), os.fsdecode(folder))
        made = meta.signature_def[signature]
        feed = {made.inputs[name].name: value for name, value in values.items()}
        fetches = {key: info.name for key, info in made.outputs.items()}
        return session.run(fetches, feed)


def test_a_served_model_gives_the_predictions_of_the_estimator(trained, tmp_path):
    folder = trained.export_saved_model(str(tmp_path / "out"), raw)
    assert isinstance(folder, bytes)
    assert re.fullmatch(rb"\d{10}", os.path.basename(folder))  # noqa: PTH119
    assert [path.name for path in (tmp_path / "out").iterdir()] == [
        os.fsdecode(folder)[-10:]
    ]
    served = loaded(folder, "serving_default", {"x": X})
    data = lambda: tf.data.Dataset.from_tensors({"x": X})  # noqa: E731
    predicted = [each["y"] for each in trained.predict(data)]
    np.testing.assert_array_equal(served["y"], predicted)


def test_an_export_is_read_by_a_tensorflow_without_the_lab(trained, tmp_path):
    folder = os.fsdecode(trained.export_saved_model(str(tmp_path / "out"), raw))
    program = (
        "import sys, json, tensorflow as tf\n"
        "served = tf.saved_model.load(sys.argv[1]).signatures['serving_default']\n"
        "y = served(x=tf.constant([[1., 2., 3.]]))['y'].numpy().tolist()\n"
        "assert 'npu_lab' not in sys.modules\n"
        "print(json.dumps(y))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, folder],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    kernel = trained.get_variable_value("dense/kernel").ravel()
    bias = trained.get_variable_value("dense/bias")[0]
    expected = [1, 2, 3] @ kernel + bias
    assert json.loads(done.stdout) == [pytest.approx(expected, rel=1e-6)]


def test_examples_are_parsed_extra_files_copied_and_text_written(trained, tmp_path):
    extra = tmp_path / "note.txt"
    extra.write_text("hello", "utf-8")
    spec = {"x": tf.FixedLenFeature([3], tf.float32)}
    folder = trained.export_savedmodel(
        str(tmp_path / "out"),
        export.build_parsing_serving_input_receiver_fn(spec),
        assets_extra={"docs/note.txt": str(extra)},
        as_text=True,
    )
    here = Path(os.fsdecode(folder))
    assert (here / "saved_model.pbtxt").exists()
    assert (here / "assets.extra" / "docs" / "note.txt").read_text("utf-8") == "hello"
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend(X[0])
    values = {"examples": [example.SerializeToString()]}
    served = loaded(folder, "serving_default", values)
    np.testing.assert_array_equal(served["x"], X[:1])


def test_all_modes_are_exported_together(trained, tmp_path):
    build = tf.estimator.experimental.build_raw_supervised_input_receiver_fn
    supervised = build({"x": X}, Y)
    modes = {"train": supervised, "eval": supervised, "infer": raw}
    folder = trained.experimental_export_all_saved_models(str(tmp_path / "out"), modes)
    values = {"x": X, "label": Y}
    evaluated = loaded(folder, "eval", values, ("eval",))
    trained_loss = loaded(folder, "train", values, ("train",))["loss"]
    assert (
        evaluated["loss"]
        == trained_loss
        == pytest.approx(
            np.mean((loaded(folder, "serving_default", {"x": X})["y"] - Y) ** 2),
            rel=1e-5,
        )
    )
    with pytest.raises(ValueError, match="No mode"):
        trained.experimental_export_all_saved_models(str(tmp_path / "out"), {})


def test_there_must_be_a_checkpoint(tmp_path):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
    with pytest.raises(ValueError, match="no trained model"):
        estimator.export_saved_model(str(tmp_path / "out"), raw)
    assert not (tmp_path / "out").exists()


def test_receivers_name_what_has_no_name_and_refuse_what_is_no_tensor():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        receiver = export.ServingInputReceiver(x, x, {"other": x})
        assert receiver.features == {"feature": x}
        assert receiver.receiver_tensors == {"input": x}
        assert receiver.receiver_tensors_alternatives == {"other": {"input": x}}
        alone = export.TensorServingInputReceiver(x, x)
        assert (alone.features, alone.receiver_tensors) == (x, {"input": x})
        for given, text in (
            ((None, x), "must be given"),
            (({"a": 3}, x), "must be a tensor"),
            ((x, {3: x}), "must be strings"),
            ((x, x, 3), "must be a dict"),
        ):
            with pytest.raises(ValueError, match=text):
                export.ServingInputReceiver(*given)
        build = tf.estimator.experimental.build_raw_supervised_input_receiver_fn
        with pytest.raises(ValueError, match=r"both have the names \['a'\]"):
            build({"a": x}, {"a": x})
