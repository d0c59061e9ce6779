"""Keras `fit`: what crosses, the verdict, and the loop size against the executions."""

from __future__ import annotations

import gc

import keras
import numpy as np
import pytest
from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function

import npu_lab
from npu_lab._tensorflow import tf

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")

KERAS = {"tf_keras": tf.keras, "keras": keras}
SAMPLES, BATCH = 320, 16
BATCHES = SAMPLES // BATCH

both = pytest.mark.parametrize("name", KERAS)


def arrays():
    random = np.random.default_rng(0)
    x = random.random((SAMPLES, 8), np.float32)
    return x, random.integers(0, 3, SAMPLES)


def model(name, executions=1, units=3, optimizer="sgd"):
    api = KERAS[name]
    api.utils.set_random_seed(4)
    made = api.Sequential([api.layers.Dense(units), api.layers.Dense(3)])
    made.build((None, 8))
    loss = api.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile(optimizer, loss, metrics=["accuracy"], steps_per_execution=executions)
    return made


def fit(made, epochs=1, data=None, **options):
    if data is None:
        data = tf.data.Dataset.from_tensor_slices(arrays())
        data = data.batch(BATCH, drop_remainder=True)
    return made.fit(data, epochs=epochs, verbose=0, shuffle=False, **options)


def training(device):
    """The verdict on what trained."""
    (verdict,) = [v for v in device.verdicts if v.trains]
    return verdict


@both
def test_a_plain_fit_has_no_loop(opened, device2, name):
    opened.set_npu_loop_size(5)
    fit(model(name))
    ledger = device2.ledger
    assert ledger.training_calls == ledger.batches_pulled == BATCHES
    assert ledger.device_iterations == 0
    verdict = training(device2)
    assert verdict.mode == "NO_LOOP"
    assert not verdict.in_effect
    assert [d.code for d in verdict.diagnostics] == ["SINK082"]


@both
def test_a_plain_fit_at_the_default_size_is_not_blamed(opened, device2, name):
    fit(model(name))
    assert not device2.diagnostics


@both
def test_executions_that_match_the_loop_size(opened, device2, name):
    opened.set_npu_loop_size(5)
    fit(model(name, 5), epochs=2)
    ledger = device2.ledger
    assert ledger.training_calls == 2 * BATCHES // 5
    assert ledger.device_iterations == ledger.batches_pulled == 2 * BATCHES
    verdict = training(device2)
    assert verdict.mode == "BUILTIN_LOOP"
    assert verdict.in_effect
    assert verdict.iterations_per_loop == 5
    assert [d.code for d in verdict.diagnostics] == ["SINK080"]


@both
def test_a_loop_size_that_is_too_small_waits_for_batches(opened, name):
    opened.set_npu_loop_size(2)
    with pytest.raises(tf.errors.InternalError, match="SINK078"):
        fit(model(name, 5))


@both
def test_a_loop_size_that_is_too_large_leaves_batches(opened, device2, name):
    opened.set_npu_loop_size(8)
    fit(model(name, 5))
    assert device2.ledger.device_iterations == BATCHES
    assert "SINK079" in {d.code for d in training(device2).diagnostics}


@both
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_weights_equal_those_of_keras_alone(opened, name, optimizer):
    opened.set_npu_loop_size(5)
    sunk = model(name, 5, optimizer=optimizer)
    history = fit(sunk, epochs=10).history
    npu_lab.deactivate()
    plain = model(name, 5, optimizer=optimizer)
    if name == "keras":
        plain.jit_compile = False
    expected = fit(plain, epochs=10).history
    for one, other in zip(sunk.get_weights(), plain.get_weights(), strict=True):
        assert np.array_equal(one, other)
    assert history == expected


@both
def test_batch_callbacks_fire_once_an_execution(opened, name):
    opened.set_npu_loop_size(5)
    ends, epochs = [], []
    callback = KERAS[name].callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: ends.append(batch),
        on_epoch_end=lambda epoch, logs: epochs.append(epoch),
    )
    fit(model(name, 5), epochs=2, callbacks=[callback])
    assert ends == [4, 9, 14, 19] * 2
    assert epochs == [0, 1]


@both
def test_evaluate_and_predict(opened, device2, name):
    opened.set_npu_loop_size(5)
    made = model(name, 5)
    x, y = arrays()
    before = device2.ledger.as_dict()
    made.evaluate(x, y, batch_size=BATCH, verbose=0)
    assert device2.ledger.since(before)["batches_pulled"] == BATCHES
    assert device2.ledger.training_calls == 0
    assert made.predict(x, batch_size=BATCH, verbose=0).shape == (SAMPLES, 3)


@both
def test_xla_is_off(opened, name):
    del opened
    before = [f for f in gc.get_objects() if isinstance(f, Function)]
    made = model(name)
    made.compile("sgd", made.loss, jit_compile=True)
    fit(made)
    known = {id(f) for f in before}
    functions = [f for f in gc.get_objects() if isinstance(f, Function)]
    functions = [f for f in functions if id(f) not in known]
    assert functions
    assert not any(f._jit_compile for f in functions)


@both
def test_a_remainder_at_the_end_of_an_epoch(opened, device2, name):
    opened.set_npu_loop_size(8)
    fit(model(name, 8))  # 20 batches: 8, 8 and 4
    assert device2.ledger.batches_pulled == BATCHES
    assert device2.ledger.training_calls == 3
