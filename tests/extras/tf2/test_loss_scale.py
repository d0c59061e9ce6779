"""NpuLossScaleOptimizer: its arithmetic by the documented formula."""

from __future__ import annotations

import numpy as np
import pytest

from npu_lab._tensorflow import tf

KINDS = {"new": tf.keras.optimizers.SGD, "legacy": tf.keras.optimizers.legacy.SGD}
kinds = pytest.mark.parametrize("kind", KINDS)

pytestmark = pytest.mark.filterwarnings("ignore")


def formula(scale, counter, finite, growth, multiplier=2.0):
    """The reference's lines, one step."""
    if not finite:
        return max(scale / multiplier, 1), 0
    if counter + 1 >= growth:
        return (scale * multiplier if scale < 3.4e38 / multiplier else scale), 0
    return scale, counter + 1


def make(npu, kind, **options):
    return npu.train.optimizer.NpuLossScaleOptimizer(KINDS[kind](0.5), **options)


def step_of(optimizer, weight):
    @tf.function
    def step(gradient):
        with tf.GradientTape() as tape:
            scaled = optimizer.get_scaled_loss(tf.reduce_sum(weight * gradient))
        (scaled,) = tape.gradient(scaled, [weight])
        (plain,) = optimizer.get_unscaled_gradients([scaled])
        optimizer.apply_gradients([(plain, weight)])

    return step


@kinds
def test_the_defaults(opened, kind):
    made = make(opened, kind)
    assert made.initial_scale == 2**15
    assert made.dynamic_growth_steps == 2000
    assert made.dynamic
    assert isinstance(made, tf.keras.mixed_precision.LossScaleOptimizer)
    assert isinstance(made, opened.train.optimizer.NpuLossScaleOptimizer)


@kinds
@pytest.mark.parametrize(("initial", "growth"), [(8.0, 2), (1.0, 1), (2.0**126, 1)])
@pytest.mark.parametrize("graph", [True, False])
def test_the_schedule_is_exact(opened, kind, initial, growth, graph):
    opened.set_device_sat_mode(0)
    made = make(opened, kind, initial_scale=initial, dynamic_growth_steps=growth)
    weight = tf.Variable([0.0])
    random = np.random.default_rng(growth)
    scale, counter, applied = initial, 0, 0

    def step(gradient):
        made.apply_gradients([(gradient, weight)])

    step = tf.function(step) if graph else step
    for number in range(1, 31):
        finite = bool(random.random() < 0.7)
        gradient = 1.0 if finite else [np.inf, np.nan][number % 2]
        step(tf.constant([gradient]))
        scale, counter = formula(scale, counter, finite, growth)
        applied += finite
        assert float(made.loss_scale) == scale
        assert int(made.dynamic_counter) == counter
        assert int(made.iterations) == number  # counted in each case
        assert bool(made.last_step_finite) == finite
        assert float(weight[0]) == -0.5 * applied


@kinds
def test_the_usual_way(opened, kind):
    opened.set_device_sat_mode(0)
    made = make(opened, kind, initial_scale=4.0)
    weight = tf.Variable([1.0, 1.0])
    step_of(made, weight)(tf.constant([2.0, 4.0]))
    assert weight.numpy().tolist() == [0.0, -1.0]
    assert float(made.get_scaled_loss(tf.constant(3.0))) == 12


@kinds
def test_the_name_of_the_flag(opened, kind):
    made = make(opened, kind)
    assert made.last_step_finite.name.startswith("npu_last_step_finite")
    assert made.last_step_finite.dtype == tf.bool


@kinds
@pytest.mark.parametrize("default", [True, False])
def test_otherwise_it_is_keras(npu, kind, default):
    """With infinity and NaN, or without the device, it does as Keras does."""
    handle = npu.open()
    if default:
        handle.as_default()
        npu.set_device_sat_mode(1)
    else:
        npu.set_device_sat_mode(0)
    ours = make(npu, kind, initial_scale=8.0, dynamic_growth_steps=2)
    stock = tf.keras.mixed_precision.LossScaleOptimizer(
        KINDS[kind](0.5), initial_scale=8.0, dynamic_growth_steps=2
    )
    weights = [tf.Variable([0.0]), tf.Variable([0.0])]
    for gradient in (1.0, np.inf, 1.0, 1.0, 1.0):
        for one, weight in zip((ours, stock), weights, strict=True):
            one.apply_gradients([(tf.constant([gradient]), weight)])
        assert float(ours.loss_scale) == float(stock.loss_scale)
        assert int(ours.iterations) == int(stock.iterations)
    assert float(weights[0][0]) == float(weights[1][0]) == -2
    assert bool(ours.last_step_finite)  # not told


@kinds
def test_a_fixed_scale(opened, kind):
    opened.set_device_sat_mode(0)
    made = make(opened, kind, dynamic=False, initial_scale=16.0)
    weight = tf.Variable([1.0])
    step_of(made, weight)(tf.constant([2.0]))
    assert float(made.loss_scale) == 16
    assert float(weight[0]) == 0
    assert made.last_step_finite is None


def test_it_takes_a_keras_optimizer(opened):
    with pytest.raises(TypeError, match="inner_optimizer"):
        opened.train.optimizer.NpuLossScaleOptimizer("sgd")


@kinds
def test_in_a_sunk_loop(opened, device2, kind):
    opened.set_device_sat_mode(0)
    made = make(opened, kind, initial_scale=8.0, dynamic_growth_steps=2)
    weight = tf.Variable([0.0])
    values = [[1.0], [1.0], [np.inf], [1.0]]
    data = tf.data.Dataset.from_tensor_slices(np.array(values, np.float32))
    made.apply_gradients([(tf.constant([0.0]), weight)])  # makes its variables

    @tf.function
    def loop(iterator, steps):
        for _ in tf.range(steps):
            made.apply_gradients([(next(iterator), weight)])

    opened.set_npu_loop_size(4)
    loop(iter(data), tf.constant(4))
    assert device2.verdicts[-1].mode == "NPU_LOOP"
    assert float(weight[0]) == -1.5
    assert int(made.iterations) == 5
    assert float(made.loss_scale) == 8  # 8, 16, then halved
