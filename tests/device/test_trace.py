"""The trace: what happened when, inside the loop and around it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config, mlp, session, softmax, train


@pytest.fixture
def setter(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util.set_iteration_per_loop


def test_each_call_and_each_iteration_has_its_place(
    device: Device, setter: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as opened:
            sunk = setter(opened, model.train, 5)
            opened.run(sunk)
            with device.trace as trace:
                for _ in range(3):
                    opened.run([sunk, model.loss])
            opened.run(sunk)  # no longer recorded
    line = trace.timeline()
    assert line.provenance == "measured"
    assert line.iterations_per_loop == 5
    assert line.start == 0
    assert [span.call for span in line.calls] == [0, 1, 2]
    computed, waited = line.of("compute"), line.of("get_next")
    assert [span.iteration for span in computed] == list(range(15))
    assert [span.iteration for span in waited] == list(range(15))
    ended = 0.0
    for wait, compute in zip(waited, computed, strict=True):
        call = line.calls[compute.call]
        assert call.start <= wait.start <= wait.end <= compute.start
        assert compute.end <= call.end
        assert ended <= wait.start, "one iteration after the other"
        ended = compute.end
    assert device.ledger.device_iterations == 5 * 5
    assert device.ledger.batches_pulled == 5 * 5


def test_a_step_that_is_not_sunk_is_recorded_as_well(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(1)) as opened:
            with device.trace as trace:
                for _ in range(4):
                    opened.run(model.train)
                opened.run(model.step)
            line = trace.timeline()
    assert [span.iteration for span in line.of("compute")] == [0, 1, 2, 3]
    assert [span.call for span in line.of("compute")] == [0, 1, 2, 3]
    assert len(line.calls) == 5
    assert device.ledger.batches_pulled == 4


def test_waiting_for_a_batch_is_told_from_computing(
    device: Device, setter: Any
) -> None:
    def slowly(x: Any) -> Any:
        time.sleep(0.02)
        return np.float32(x)

    with tf.Graph().as_default(), tf.Session(config=config(6)) as opened:
        data = tf.data.Dataset.range(100).map(
            lambda n: tf.ensure_shape(tf.numpy_function(slowly, [n], tf.float32), [])
        )
        iterator = tf.data.make_initializable_iterator(data)
        total = tf.get_variable("total", initializer=0.0)
        step = tf.train.GradientDescentOptimizer(1.0).minimize(
            total * iterator.get_next()
        )
        opened.run(tf.global_variables_initializer())
        opened.run(iterator.initializer)
        sunk = setter(opened, step, 6)
        opened.run(sunk)
        with device.trace as trace:
            opened.run(sunk)
    line = trace.timeline()
    assert line.total("get_next") > 0.05
    assert line.total("get_next") > 5 * line.total("compute")


def test_repeated_data_is_not_waited_for(device: Device, setter: Any) -> None:
    with tf.Graph().as_default():
        model = softmax("feed")
        with session(model, config(4)) as opened:
            sunk = setter(opened, model.train, 4)
            with device.trace as trace:
                opened.run(sunk, model.feed(0))
    assert trace.timeline().total("get_next") == 0
    assert trace.timeline().iterations == 4


def test_the_injected_wait_is_part_of_the_call_and_is_said(
    device: Device, setter: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(3)) as opened:
            sunk = setter(opened, model.train, 3)
            opened.run(sunk)
            device.link_delay = 0.05
            with device.trace as trace:
                opened.run(sunk)
    line = trace.timeline()
    assert 0.05 <= line.injected < 0.5
    assert line.calls[0].seconds >= 0.05
    assert line.of("get_next")[0].start >= 0.05


def test_entering_again_starts_anew(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(1)) as opened:
            for _ in range(2):
                with device.trace as trace:
                    opened.run(model.train)
                assert trace.timeline().iterations == 1
    with device.trace as trace:
        pass
    assert trace.timeline().spans == ()
    assert trace.timeline().seconds == 0


def test_a_failed_call_has_its_place_too(device: Device, setter: Any) -> None:
    with tf.Graph().as_default():
        model = softmax(epochs=1)  # 50 batches
        with session(model, config(30)) as opened:
            sunk = setter(opened, model.train, 30)
            with device.trace as trace:
                opened.run(sunk)
                with pytest.raises(tf.errors.OutOfRangeError):
                    opened.run(sunk)
    assert trace.timeline().iterations == 30
    assert len(trace.timeline().calls) == 2
    assert device.ledger.device_iterations == 50


def test_a_trace_changes_no_number(device: Device) -> None:
    plain = train(mlp, [5] * 3 + [1] * 4, option=5)
    with device.trace as trace:
        traced = train(mlp, [5] * 3 + [1] * 4, option=5)
    np.testing.assert_array_equal(traced.losses, plain.losses)
    np.testing.assert_array_equal(traced.weights, plain.weights)
    assert trace.timeline().iterations == 19


def test_a_trace_compiles_and_judges_nothing_new(device: Device, setter: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as opened:
            sunk = setter(opened, model.train, 5)
            opened.run(sunk)
            verdicts, messages = len(device.verdicts), device.loops[0].messages
            with device.trace:
                opened.run(sunk)
    assert len(device.verdicts) == verdicts
    assert device.loops[0].messages == messages
    assert device.loops[0].calls == 2
