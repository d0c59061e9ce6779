"""The names of 1.15 that are not simply those of compat.v1."""

from __future__ import annotations

import sys
import types

import pytest

import npu_lab.tf1.estimator
from npu_lab.tf1 import absent, contrib_summary, face
from npu_lab.tf1.absent_names import PRESENT

tf = face.tf


def resolve(path):
    found = tf
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("path", sorted(face.SOURCES.keys() - PRESENT))
def test_every_module_that_is_laid_over_can_be_taken_and_imported(path):
    assert isinstance(resolve(path), types.ModuleType)
    assert face.find(path) is resolve(path)


@pytest.mark.parametrize("path", sorted(face.VALUES))
def test_every_value_that_is_supplied_can_be_taken(path):
    assert resolve(path) is not None


def test_what_is_present_of_contrib_is_reached_only_by_its_whole_name():
    scalar = tf.contrib.summary.scalar  # (an assert would take it in several steps)
    assert scalar is contrib_summary.scalar
    assert face.find("contrib.summary") is contrib_summary
    assert face.find("contrib", ["summary"]).summary is contrib_summary
    assert not hasattr(tf, "contrib")
    assert "contrib" not in dir(tf)
    with pytest.raises(absent.AbsentNameError, match=r"^tf\.contrib is not in"):
        tf.contrib  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"^tf\.contrib is not in"):
        face.find("contrib", ["slim"])


def test_the_estimator_is_the_same_by_every_name():
    assert tf.estimator is npu_lab.tf1.estimator is face.find("estimator")
    assert tf.estimator.export is face.find("estimator.export")
    for name in ("DNNClassifier", "experimental.LinearSDCA", "tpu"):
        with pytest.raises(absent.AbsentNameError, match=rf"^tf\.estimator\.{name} is"):
            resolve(f"estimator.{name}")
    with pytest.raises(AttributeError, match=r"^module 'tensorflow\.estimator' has no"):
        tf.estimator.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("keras.layers.Dense", "tf_keras."),
        ("keras.layers.BatchNormalization", "tf_keras.src.layers.normalization."),
        ("keras.optimizers.Adam", "tf_keras.src.optimizers.legacy."),
        ("keras.experimental.LinearCosineDecay", "tf_keras."),
        ("layers.dense", "tf_keras.src.legacy_tf_layers."),
        ("nn.rnn_cell.LSTMCell", "tf_keras."),
        ("python.keras.engine.base_layer.Layer", "tf_keras."),
        ("python.layers.base.Layer", "tf_keras.src.legacy_tf_layers."),
        ("python.ops.rnn_cell_impl.RNNCell", "tf_keras."),
        ("python.ops.rnn.dynamic_rnn", "tensorflow."),
        ("train.Saver", "tensorflow."),
        ("losses.softmax_cross_entropy", "tensorflow.python.ops.losses."),
        ("data.Dataset", "tensorflow."),
    ],
)
def test_where_names_come_from(path, home):
    assert resolve(path).__module__.startswith(home)


def test_the_view_of_a_module_is_always_the_same_object():
    assert tf.compat.v1 is tf
    assert tf.compat.v1.compat.v1 is tf
    assert tf.keras is tf.compat.v1.keras
    assert tf.python.keras is face.find("python.keras")
    assert tf.python.keras.layers is face.find("python.keras.layers")


def test_a_name_that_user_code_sets_stays_in_the_view():
    real = sys.modules["tensorflow"].compat.v1
    tf.session_of_mine = "mine"
    try:
        assert tf.session_of_mine == "mine"
        assert not hasattr(real, "session_of_mine")
    finally:
        del tf.session_of_mine
    assert not hasattr(tf, "session_of_mine")


def test_a_module_that_is_not_there_is_named_in_the_error():
    with pytest.raises(ModuleNotFoundError, match=r"'tensorflow\.train\.nothing'"):
        face.find("train.nothing.more")
    with pytest.raises(ModuleNotFoundError, match=r"^tf\.contrib\.slim is not in"):
        face.find("contrib.slim")
