"""Where the device hooks in: every door is counted, and everything is restored."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session as tf_session

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device, seam
from npu_lab.device.options import SessionOptions
from tests.device.models import config, session, softmax

DOORS = [
    (tf_session.BaseSession, "run"),
    (tf_session.BaseSession, "make_callable"),
    (tf_session.BaseSession, "_make_callable_from_options"),
    (tf_session.BaseSession, "partial_run"),
    (tf_session.Session, "__init__"),
    (tf_session.InteractiveSession, "__init__"),
]


def test_deactivate_restores_every_door() -> None:
    npu_lab.deactivate()
    before = [getattr(*door) for door in DOORS]
    for _ in range(2):
        npu_lab.activate(view=True)
        npu_lab.activate()
        seam.install_defaults()
        seam.install_defaults()
        assert [getattr(*door) for door in DOORS] != before
        npu_lab.deactivate()
        npu_lab.deactivate()
        assert [getattr(*door) for door in DOORS] == before


def test_a_door_taken_before_deactivate_still_opens(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        double = x * 2.0
        with tf.Session() as opened:
            run, make = opened.run, opened.make_callable
            partial_run = opened.partial_run
            from_options = opened._make_callable_from_options
            handle = opened.partial_run_setup([double], [x])
            npu_lab.deactivate()
            assert run(double, {x: 1.0}) == 2.0
            assert make(double, [x])(1.0) == 2.0
            assert partial_run(handle, double, {x: 1.0}) == 2.0
            options = config_pb2.CallableOptions(feed=["Placeholder:0"], fetch=["mul"])
            assert from_options(options)(np.float32(1.0)) == [2.0]
    assert device.ledger.session_runs == 0


def test_activate_twice_gives_the_same_device(device: Device) -> None:
    assert npu_lab.activate(link_delay=0.25) is device
    assert device.link_delay == 0.25
    assert npu_lab.activate() is device
    assert device.link_delay == 0.25


@pytest.mark.parametrize("bad", [-1.0, float("nan"), "fast", True])
def test_a_bad_delay_changes_nothing(bad: Any) -> None:
    npu_lab.deactivate()
    run = tf_session.BaseSession.run
    with pytest.raises((TypeError, ValueError), match="link_delay"):
        npu_lab.activate(link_delay=bad)
    assert npu_lab.active_device() is None
    assert tf_session.BaseSession.run is run


def test_kinds_of_calls(device: Device, tmp_path: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        saver = tf.train.Saver()
        with session(model, config(1)) as opened:
            opened.run(model.train)
            model.step.load(5, opened)
            opened.run([model.loss, model.step])
            path = saver.save(opened, str(tmp_path / "model"))
            saver.restore(opened, path)
    assert dict(device.ledger.calls) == {
        "initialize": 1,
        "iterator": 1,
        "training": 1,
        "load": 1,
        "read": 1,
        "save": 1,
        "restore": 1,
    }
    assert device.ledger.training_calls == 1
    assert device.ledger.session_runs == 7


def test_an_update_written_by_hand_counts_as_training(device: Device) -> None:
    with tf.Graph().as_default():
        weight = tf.get_variable("w", initializer=2.0)
        gradient = tf.gradients(weight**2, weight)[0]
        update = tf.assign(weight, weight - 0.1 * gradient)
        average = tf.get_variable("average", initializer=0.0, trainable=False)
        track = tf.assign(average, 0.9 * average + 0.1 * weight)
        with tf.Session(config=config(1)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(update)
            opened.run(track)
    assert device.ledger.training_calls == 1


def test_an_update_inside_a_branch_counts_as_training(device: Device) -> None:
    with tf.Graph().as_default():
        weight = tf.get_variable("w", initializer=2.0)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        gradients = optimizer.compute_gradients(weight**2)
        apply = tf.cond(
            tf.constant(True),
            lambda: tf.group(optimizer.apply_gradients(gradients)),
            tf.no_op,
        )
        with tf.Session(config=config(1)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(apply)
    assert device.ledger.training_calls == 1


def test_make_callable_is_a_counted_run(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        double, constant = x * 2.0, tf.constant(3.0)
        with tf.Session(config=config(1)) as opened:
            assert opened.make_callable(constant)() == 3.0
            with_options = opened.make_callable([constant], accept_options=True)
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            assert with_options(options, metadata) == [3.0]
            fed = opened.make_callable(double, [x])
            np.testing.assert_array_equal(fed([1.0, 2.0]), [2.0, 4.0])
    assert metadata.step_stats.dev_stats
    assert device.ledger.session_runs == 3


def test_partial_run_is_counted_and_never_sunk(device: Device) -> None:
    with tf.Graph().as_default():
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        first = a + 1.0
        second = first * b
        with tf.Session(config=config(10)) as opened:
            handle = opened.partial_run_setup([first, second], [a, b])
            assert opened.partial_run(handle, first, {a: 1.0}) == 2.0
            assert opened.partial_run(handle, second, {b: 3.0}) == 6.0
    assert device.ledger.calls["read"] == 2
    assert [v.calls for v in device.verdicts] == [1, 1]
    assert [d.code for d in device.diagnostics] == ["SINK033"]


def test_errors_of_tensorflow_are_unchanged(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        opened = tf.Session(config=config(1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value"):
            opened.run(x * 2.0)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            opened.run(x, {x: [1.0, 2.0, 3.0]})
        with pytest.raises(TypeError, match="Cannot interpret feed_dict"):
            opened.run(x, {"nothing": 1.0})
        with pytest.raises((TypeError, ValueError)):
            opened.run("nothing")
        with pytest.raises(TypeError):
            opened.run(None)
        opened.close()
        with pytest.raises(RuntimeError, match="closed"):
            opened.run(x, {x: [1.0, 2.0]})
    with (
        tf.Graph().as_default(),
        tf.Session(config=config(1)) as empty,
        pytest.raises(RuntimeError, match="empty"),
    ):
        empty.run([])


@pytest.mark.parametrize(
    "shape",
    [
        lambda t: t,
        lambda t: [t, [t, (t,)]],
        lambda t: {"a": t, "b": {"c": t}},
        lambda t: [t.name, t.op],
        lambda t: [],
    ],
)
def test_fetch_structures_come_back_as_from_tensorflow(
    device: Device, shape: Any
) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(99))
        fetches = shape(iterator.get_next())
        with tf.Session(config=config(1)) as opened:
            opened.run(iterator.initializer)
            mine = opened.run(fetches)
        npu_lab.deactivate()
        with tf.Session(config=config(1)) as opened:
            opened.run(iterator.initializer)
            theirs = opened.run(fetches)
    assert mine == theirs
    assert type(mine) is type(theirs)


def test_a_session_is_freed_with_its_last_reference(device: Device) -> None:
    import gc
    import weakref

    with tf.Graph().as_default():
        opened = tf.Session(config=config(1))
        opened.run(tf.constant(1.0))
        alive = weakref.ref(opened)
    opened.close()
    del opened
    gc.collect()
    assert alive() is None


def test_threads_that_use_a_session_first_share_its_side(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    read = SessionOptions.from_config

    def slowly(given: Any) -> Any:
        made.append(given)
        time.sleep(0.05)  # long enough for the others to come
        return read(given)

    monkeypatch.setattr(SessionOptions, "from_config", slowly)
    with tf.Graph().as_default():
        constant = tf.constant(1.0)
        with tf.Session(config=config(1)) as opened, ThreadPoolExecutor(4) as threads:
            values = [threads.submit(opened.run, constant) for _ in range(4)]
            assert [value.result() for value in values] == [1.0] * 4
    assert len(made) == 1
    assert device.ledger.session_runs == 4
