"""Modes in plain and sunk runs alike, in functions, and off."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from tests.device import models
from tests.extras.tuning.precision.runs import convolution, run, saturate

OPTIONS = [
    {"precision_mode": "force_fp16"},
    {"precision_mode": "allow_mix_precision"},
    {"precision_mode_v2": "cube_fp16in_fp32out"},
    {"precision_mode": "allow_mix_precision_bf16"},
]
BIG = np.array([300, 2], np.float32)


def _same(one, other):
    assert one.step == other.step
    np.testing.assert_array_equal(one.weights, other.weights)
    for name in ("losses", "accuracies"):
        ends = getattr(one, name)[9::10]
        np.testing.assert_array_equal(
            [v for v in ends if v is not None],
            [v for v in getattr(other, name) if v is not None],
        )


@pytest.mark.parametrize("saturates", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("build", [models.softmax, models.mlp])
def test_ten_steps_in_a_loop_are_ten_steps(device, build, options, saturates):
    saturate(saturates)
    plain = models.train(build, [1] * 30, option=1, **options)
    sunk = models.train(build, [10] * 3, option=10, **options)
    wide = models.train(build, [10] * 3, option=10)
    _same(plain, sunk)
    assert not np.array_equal(wide.weights, sunk.weights)


def test_plain_and_sunk_runs_take_turns(device):
    options = OPTIONS[0]
    plain = models.train(models.mlp, [1] * 24, option=10, **options)
    mixed = models.train(models.mlp, [1, 1, 10, 1, 1, 10], option=10, **options)
    np.testing.assert_array_equal(plain.weights, mixed.weights)


def _cond(x):
    return tf.cond(x[0] > 0, lambda: x * x, lambda: x)


def _while(x):
    return tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, y * y), [0, x])[1]


def _nested(x):
    return tf.cond(x[0] > 0, lambda: _while(x), lambda: x)


def _function(x):
    return tf.function(lambda y: y * y)(x)


@pytest.mark.parametrize("build", [_cond, _while, _nested, _function])
@pytest.mark.parametrize(("saturates", "top"), [(False, np.inf), (True, 65504)])
def test_the_bodies_of_functions_are_reduced_too(device, build, saturates, top):
    saturate(saturates)
    got = run(build, (BIG,), precision_mode="force_fp16")
    np.testing.assert_array_equal(got, [top, 4])
    np.testing.assert_array_equal(run(build, (BIG,)), [90000, 4])


def test_a_gradient_through_a_loop(device):
    def build(x):
        return tf.gradients(_while(x), x)

    pi = np.array([3.14159274], np.float32)
    (got,) = run(build, (pi,), precision_mode="force_fp16")
    assert got == 2 * pi.astype(np.float16)
    (got,) = run(build, (pi,))
    assert got == 2 * pi


def test_variables_stay_float32(device):
    """A change too small for float16 adds up in the weights."""
    from npu_bridge.npu_init import util  # noqa: F401

    with tf.Graph().as_default():
        weight = tf.get_variable("w", initializer=np.float32(1))
        loss = weight * tf.constant(1e-4)
        train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        with tf.Session(config=models.config(precision_mode="force_fp16")) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(10):
                session.run(train)
            got = session.run(weight)
    small = np.float32(np.float16(1e-4))
    np.testing.assert_allclose(got, 1 - 10 * small, rtol=1e-6)
    assert np.float16(1) - np.float16(1e-4) == 1


def test_initial_values_are_computed_as_written(device):
    from npu_bridge.npu_init import util  # noqa: F401

    with tf.Graph().as_default():
        weight = tf.get_variable("w", initializer=tf.constant(1e-4) * 3.0)
        with tf.Session(config=models.config(precision_mode="force_fp16")) as session:
            session.run(tf.global_variables_initializer())
            assert session.run(weight) == np.float32(1e-4) * np.float32(3)


def _trained(device, *, option):
    """The operations of a graph after a training, and the weights."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default() as graph:
        model = models.mlp()
        with models.session(model, models.config(option)) as session:
            train = model.train
            if option > 1:
                train = util.set_iteration_per_loop(session, train, option)
            for _ in range(20 // option):
                session.run([train, model.loss])
            weights = session.run(model.weights)
        return [operation.name for operation in graph.get_operations()], weights


@pytest.mark.parametrize("option", [1, 10])
def test_with_no_mode_nothing_is_added_and_no_bit_changes(device, option):
    with_extra = _trained(device, option=option)
    device.rewriter = None
    without = _trained(device, option=option)
    assert with_extra[0] == without[0]
    np.testing.assert_array_equal(with_extra[1], without[1])


def _definition(operation):
    definition = operation.node_def
    definition.attr.pop("_has_manual_control_dependencies", None)
    return definition


def test_the_users_graph_stays_as_it_is(device):
    from npu_bridge.npu_init import util  # noqa: F401

    with tf.Graph().as_default() as graph:
        model = models.softmax()
        before = {o.name: _definition(o) for o in graph.get_operations()}
        variables = tf.global_variables()
        config = models.config(precision_mode="force_fp16")
        with models.session(model, config) as session:
            session.run([model.train, model.loss])
        for name, definition in before.items():
            assert _definition(graph.get_operation_by_name(name)) == definition
        assert tf.global_variables() == variables


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_a_convolution_in_a_loop(device, options):
    plain = models.train(convolution, [1] * 10, option=1, **options)
    sunk = models.train(convolution, [10], option=10, **options)
    wide = models.train(convolution, [10], option=10)
    _same(plain, sunk)
    assert not np.array_equal(wide.weights, sunk.weights)
    np.testing.assert_allclose(wide.losses, sunk.losses, rtol=0.02)


def test_a_trace_of_a_run_with_a_mode_changes_no_number(device):
    quiet = models.train(models.softmax, [10], option=10, **OPTIONS[0])
    with device.trace:
        traced = models.train(models.softmax, [10], option=10, **OPTIONS[0])
    np.testing.assert_array_equal(quiet.weights, traced.weights)
