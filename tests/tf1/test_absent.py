"""A name of 1.15 that is not there is told in full, with what to use instead."""

from __future__ import annotations

import re

import pytest

from npu_lab.tf1 import absent, face
from npu_lab.tf1.absent_names import ABSENT

tf = face.tf


def resolve(path):
    found = tf
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_every_replacement_exists_in_the_view(name):
    text = absent.explain(name)
    assert text.startswith(f"tf.{name} is not in the TF 1.15 view. ")
    advice = text.partition("view. ")[2]
    for path in re.findall(r"\btf(?:\.\w+)+", advice):
        if not path.startswith("tf.contrib"):
            resolve(path)


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_every_absent_name_raises_an_attribute_error(name):
    with pytest.raises(AttributeError, match=r"is not in the TF 1\.15 view"):
        resolve(f"tf.{name}")


def test_the_whole_name_that_the_code_asks_for_is_told():
    with pytest.raises(absent.AbsentNameError) as caught:
        tf.contrib.layers.xavier_initializer(uniform=True)
    assert str(caught.value) == (
        "tf.contrib.layers.xavier_initializer is not in the TF 1.15 view. "
        "Use tf.glorot_uniform_initializer."
    )
    with pytest.raises(
        absent.AbsentNameError, match=r"Use tf\.data\.experimental\.map_"
    ):
        # fmt: off
        (tf.contrib
           .data.map_and_batch(len, 2))
        # fmt: on
    with pytest.raises(absent.AbsentNameError, match=r"^tf\.estimator\.tpu\.RunConfig"):
        tf.estimator.tpu.RunConfig().model_dir  # noqa: B018


def test_names_that_only_the_upgrade_table_of_tensorflow_knows_are_told():
    with pytest.raises(AttributeError, match=r"Use tf\.nn\.rnn_cell\.BasicLSTMCell\."):
        tf.contrib.rnn.BasicLSTMCell(4)
    with pytest.raises(AttributeError, match=r"Use tf\.train\.checkpoints_iterator\."):
        tf.contrib.training.checkpoints_iterator("folder")


def test_a_check_for_the_name_says_that_it_is_not_there():
    assert not hasattr(tf, "contrib")
    assert not hasattr(tf.estimator, "DNNClassifier")
    assert "contrib" not in dir(tf)
    assert "DNNClassifier" not in dir(tf.estimator)
    assert hasattr(tf, "layers")


def test_a_name_that_no_tensorflow_had_gets_the_usual_error():
    with pytest.raises(AttributeError) as caught:
        tf.no_such_name  # noqa: B018
    assert str(caught.value) == "module 'tensorflow' has no attribute 'no_such_name'"
    assert caught.value.name == "no_such_name"
    assert absent.explain("train.Saver") is None
