"""What an input function may return, and the ready-made ones for arrays."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.tf1.estimator import inputs
from tests.tf1.estimator.models import X, Y, model_fn, run_config

pytestmark = pytest.mark.usefixtures("device")
numpy_input_fn = tf.estimator.inputs.numpy_input_fn


def read(input_fn, runs=None):
    """All batches, or so many of them."""
    batches = []
    with tf.Graph().as_default():
        result = input_fn()
        with tf.train.MonitoredSession() as session:
            while not session.should_stop() and len(batches) != runs:
                batches.append(session.run(result))
    return batches


def test_batches_come_in_order_and_the_last_is_smaller():
    batches = read(numpy_input_fn({"b": X, "a": Y}, Y, 24, shuffle=False))
    assert [len(labels) for _, labels in batches] == [24, 24, 16]
    np.testing.assert_array_equal(np.concatenate([f["b"] for f, _ in batches]), X)
    np.testing.assert_array_equal(np.concatenate([f["a"] for f, _ in batches]), Y)


def test_batches_go_on_over_the_ends_of_epochs():
    batches = read(numpy_input_fn(X, batch_size=48, num_epochs=2, shuffle=False))
    assert [len(batch) for batch in batches] == [48, 48, 32]
    np.testing.assert_array_equal(batches[1], np.concatenate([X[48:], X[:32]]))
    endless = read(numpy_input_fn(X, Y, 40, num_epochs=None, shuffle=False), runs=9)
    assert [len(labels) for _, labels in endless] == [40] * 9


def test_shuffled_data_are_the_same_in_another_order():
    batches = read(numpy_input_fn(X, {"y": Y}, 8, shuffle=True))
    labels = np.concatenate([labels["y"] for _, labels in batches])
    assert labels.tolist() != Y.tolist()
    assert sorted(labels) == sorted(Y)
    for features, labels in batches:
        np.testing.assert_allclose(features.sum(axis=1), labels["y"], rtol=1e-6)


def test_an_estimator_trains_and_evaluates_on_arrays(tmp_path):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), run_config())
    estimator.train(numpy_input_fn({"x": X}, Y, 8, num_epochs=3, shuffle=True))
    assert estimator.get_variable_value("global_step") == 24
    given = numpy_input_fn({"x": X}, Y, 8, shuffle=False)
    assert estimator.evaluate(given)["loss"] < 0.1
    only_x = numpy_input_fn({"x": X}, batch_size=24, shuffle=False)
    assert len(list(estimator.predict(only_x))) == len(X)


@pytest.mark.parametrize(
    ("x", "y", "error", "text"),
    [
        ([1, 2], None, TypeError, "an array or a dict"),
        ({}, None, ValueError, "x is empty"),
        (X[:0], None, ValueError, "x is empty"),
        (X, {}, ValueError, "y is empty"),
        (X, Y[:3], ValueError, "different numbers of examples"),
        ({"a": X}, {"a": Y}, ValueError, r"both have the names \['a'\]"),
    ],
)
def test_wrong_arrays_are_refused(x, y, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        numpy_input_fn(x, y, shuffle=False)()


def test_the_order_must_be_chosen():
    with pytest.raises(ValueError, match="shuffle must be True"):
        numpy_input_fn(X, Y)


class Frame:
    """As much of a DataFrame as is used; pandas itself is no requirement."""

    def __init__(self, **columns):
        self._values, self.columns = columns, list(columns)
        self.index = np.arange(len(Y))

    def __getitem__(self, name):
        return self._values[name]


class Series(np.ndarray):
    index = np.arange(len(Y))


def test_frames_are_read_by_column():
    pandas_input_fn = tf.estimator.inputs.pandas_input_fn
    frame, labels = Frame(a=X[:, 0], b=X[:, 1]), Y.view(Series)
    batches = read(pandas_input_fn(frame, labels, 40, shuffle=False))
    assert [set(features) for features, _ in batches] == [{"a", "b"}] * 2
    np.testing.assert_array_equal(batches[1][0]["b"], X[40:, 1])
    np.testing.assert_array_equal(batches[0][1], Y[:40])
    ((_, named), *_) = read(pandas_input_fn(frame, Frame(y=Y), 64, shuffle=False))
    assert set(named) == {"y"}
    with pytest.raises(ValueError, match="target_column"):
        pandas_input_fn(Frame(target=Y), labels, shuffle=False)
    with pytest.raises(TypeError, match="pandas DataFrame"):
        pandas_input_fn(X, shuffle=False)
    other = Frame(a=Y)
    other.index = other.index + 1
    with pytest.raises(ValueError, match="indexes"):
        pandas_input_fn(other, labels, shuffle=False)


def test_what_an_input_function_may_return():
    with tf.Graph().as_default():
        a, b = tf.constant([1]), tf.constant([2])
        assert inputs.parse((a, b)) == (a, b, [])
        assert inputs.parse([a, b]) == (a, b, [])
        assert inputs.parse({"a": a}) == ({"a": a}, None, [])
        data = tf.data.Dataset.from_tensors({"a": 1})
        features, labels, (hook,) = inputs.parse(data)
        assert (set(features), labels) == ({"a"}, None)
        with pytest.raises(tf.errors.FailedPreconditionError), tf.Session() as session:
            session.run(features)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            assert session.run(features) == {"a": 1}


def test_input_that_never_ends_is_said_in_prediction(tmp_path, caplog):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    next(estimator.predict(lambda: tf.constant(X)))
    assert "it never ends" in caplog.text
    caplog.clear()
    next(estimator.predict(numpy_input_fn(X, shuffle=False)))
    next(estimator.predict(lambda: tf.data.Dataset.from_tensors(X)))
    one = tf.data.make_one_shot_iterator
    next(estimator.predict(lambda: one(tf.data.Dataset.from_tensors(X)).get_next()))
    assert "it never ends" not in caplog.text
