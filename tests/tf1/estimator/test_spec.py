"""EstimatorSpec checks what a model function returns."""

from __future__ import annotations

import pytest

import npu_lab.tf1 as tf

Spec = tf.estimator.EstimatorSpec
TRAIN, EVAL, PREDICT = "train", "eval", "infer"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_the_modes_have_the_values_of_1_15():
    keys = tf.estimator.ModeKeys
    assert (keys.TRAIN, keys.EVAL, keys.PREDICT) == (TRAIN, EVAL, PREDICT)


def test_what_is_not_given_becomes_empty():
    spec = Spec(EVAL, loss=tf.constant(1.0))
    assert (spec.predictions, spec.eval_metric_ops) == ({}, {})
    assert spec.training_hooks == spec.evaluation_hooks == spec.prediction_hooks == ()
    assert isinstance(spec.scaffold, tf.train.Scaffold)
    assert spec.export_outputs is None
    assert spec._fields[:4] == ("mode", "predictions", "loss", "train_op")


def test_a_loss_of_one_element_becomes_a_scalar():
    assert Spec(EVAL, loss=tf.constant([[1.0]])).loss.shape.as_list() == []
    scalar = tf.constant(1.0)
    assert Spec(EVAL, loss=scalar).loss is scalar


def test_predictions_are_served_by_default():
    spec = Spec(PREDICT, predictions={"y": tf.constant([1.0])})
    assert list(spec.export_outputs) == ["serving_default"]
    mine = {"mine": tf.estimator.export.PredictOutput({"y": tf.constant([1.0])})}
    spec = Spec(PREDICT, predictions=tf.constant([1.0]), export_outputs=mine)
    assert set(spec.export_outputs) == {"mine", "serving_default"}


def hook():
    return tf.train.SessionRunHook()


@pytest.mark.parametrize(
    ("mode", "given", "error", "text"),
    [
        (TRAIN, {"loss": 1.0}, ValueError, "Missing train_op"),
        (TRAIN, {"train_op": 1.0}, ValueError, "Missing loss"),
        (EVAL, {}, ValueError, "Missing loss"),
        (PREDICT, {}, ValueError, "Missing predictions"),
        (EVAL, {"loss": [1.0, 2.0]}, ValueError, "must be scalar"),
        (EVAL, {"loss": "x"}, TypeError, "loss must be a Tensor"),
        (PREDICT, {"predictions": {"y": 3}}, TypeError, r"predictions\['y'\]"),
        (EVAL, {"loss": 1.0, "eval_metric_ops": 3}, TypeError, "must be a dict"),
        (EVAL, {"loss": 1.0, "eval_metric_ops": {"a": 3}}, TypeError, "a pair"),
        (EVAL, {"loss": 1.0, "scaffold": 3}, TypeError, "tf.train.Scaffold"),
        (EVAL, {"loss": 1.0, "evaluation_hooks": [3]}, TypeError, "SessionRunHook"),
        (PREDICT, {"predictions": 1.0, "export_outputs": 3}, TypeError, "dict"),
    ],
)
def test_what_is_missing_or_wrong_is_named(mode, given, error, text):
    def tensor(value):
        numbers = isinstance(value, float | list) and value != [3]
        return tf.constant(value) if numbers else value

    with pytest.raises(error, match=text):
        Spec(mode, **{name: tensor(value) for name, value in given.items()})


def test_a_tensor_of_another_graph_is_named():
    other = tf.constant(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="inside model_fn"):
        Spec(EVAL, loss=other)


def test_a_keras_metric_without_an_update_is_refused():
    metric = tf.keras.metrics.Mean()
    with pytest.raises(ValueError, match=r"update_state\(\)"):
        Spec(EVAL, loss=tf.constant(1.0), eval_metric_ops={"m": metric})
