"""Scopes, the saturation mode, gelu, and the names that a script may use."""

from __future__ import annotations

import importlib

import keras
import numpy as np
import pytest

from npu_lab._tensorflow import tf

NAMES = [
    "open",
    "global_options",
    "set_npu_loop_size",
    "npu_run_context",
    "set_device_sat_mode",
    "is_inf_nan_enabled",
    "npu_compat_function",
    "keep_dtype_scope",
    "npu_recompute_scope",
    "gen_npu_ops",
    "distribute",
    "train",
    "ops",
    "compat",
    "configs",
]
MODULES = [
    "npu_device.distribute.hccl",
    "npu_device.distribute.hccl_ops",
    "npu_device.distribute.npu_callbacks",
    "npu_device.train.npu_convert",
    "npu_device.train.optimizer.npu_loss_scale_optimizer",
    "npu_device.compat.v1",
    "npu_device.configs.experimental",
    "npu_device.npu_device",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name(npu, name):
    assert hasattr(npu, name)


@pytest.mark.parametrize("name", MODULES)
def test_a_module(npu, name):
    del npu
    assert importlib.import_module(name)


@pytest.mark.parametrize(
    "name", ["npu_device.no_such", "npu_device.compat.v1.channels"]
)
def test_there_is_no_such_module(npu, name):
    del npu
    with pytest.raises(ModuleNotFoundError, match=name):
        importlib.import_module(name)


def test_an_optimizer_of_tensorflow_2_3(npu):
    del npu
    module = importlib.import_module(
        "npu_device.train.optimizer.npu_loss_scale_optimizer"
    )
    with pytest.raises(NotImplementedError, match="NpuLossScaleOptimizer"):
        module.NpuExperimentalLossScaleOptimizer("sgd", "dynamic")


def attributes(scope, name):
    @tf.function
    def made(x):
        outside = x + 1
        with scope():
            inside = tf.square(outside, name="inside")
        return inside, tf.identity(inside, name="after")

    graph = made.get_concrete_function(tf.constant(1.0)).graph
    return [
        dict(graph.get_operation_by_name(one).node_def.attr).get(name)
        for one in ("inside", "after")
    ]


def test_keep_dtype_marks_the_operations(opened):
    inside, after = attributes(opened.keep_dtype_scope, "_keep_dtype")
    assert inside.i == 1
    assert after is None


def test_recompute_marks_the_operations(opened):
    inside, after = attributes(opened.npu_recompute_scope, "_recompute")
    assert inside.b
    assert after is None


@pytest.mark.parametrize("name", ["keep_dtype_scope", "npu_recompute_scope"])
def test_eager_a_scope_does_nothing(opened, name):
    with getattr(opened, name)():
        assert float(tf.square(3.0)) == 9


def test_the_saturation_mode(npu):
    assert npu.is_inf_nan_enabled()
    npu.set_device_sat_mode(0)
    assert not npu.is_inf_nan_enabled()
    npu.set_device_sat_mode(1)
    assert npu.is_inf_nan_enabled()
    with pytest.raises(ValueError, match="saturation"):
        npu.set_device_sat_mode(2)


VALUES = np.linspace(-4, 4, 33).astype(np.float32)


def test_gelu_is_tensorflows_when_eager(opened):
    found = opened.ops.gelu(tf.constant(VALUES)).numpy()
    assert np.array_equal(found, tf.nn.gelu(VALUES).numpy())


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32])
def test_gelu_is_an_approximation_in_a_graph(opened, dtype):
    x = tf.constant(VALUES, dtype)
    found = tf.function(opened.ops.gelu)(x)
    assert found.dtype == dtype
    exact = tf.nn.gelu(VALUES).numpy()
    difference = np.abs(tf.cast(found, tf.float32).numpy() - exact).max()
    assert 0 < difference < 0.03
    expected = VALUES / (1 + np.exp(-1.702 * VALUES))
    assert np.allclose(tf.cast(found, tf.float32), expected, atol=3e-3)


def test_the_gradient_of_gelu(opened):
    x = tf.constant(VALUES)
    gradient = tf.function(lambda v: tf.gradients(opened.ops.gelu(v), v)[0])(x).numpy()
    sigmoid = 1 / (1 + np.exp(-1.702 * VALUES))
    expected = sigmoid + VALUES * 1.702 * sigmoid * (1 - sigmoid)
    assert np.allclose(gradient, expected, atol=1e-5)


def test_gelu_of_other_types(opened):
    with pytest.raises(TypeError, match=r"float16 or float32.*float64"):
        tf.function(opened.ops.gelu)(tf.constant([1.0], tf.float64))


@pytest.mark.parametrize("api", [tf.keras, keras], ids=["tf_keras", "keras"])
def test_gelu_of_a_layers_output_is_a_layer(opened, api):
    inputs = api.Input((3,))
    model = api.Model(inputs, opened.ops.gelu(inputs))
    x = VALUES[:3][None]
    found = np.asarray(model(x))
    assert np.abs(found - tf.nn.gelu(x).numpy()).max() < 0.03
    assert len(model.layers) == 2
