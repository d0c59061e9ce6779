"""Corners of the loop that a script meets sooner or later."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.device import Device, interrupt
from npu_lab.diagnostics import NpuLabWarning
from tests.device.models import config, mlp, session, softmax

ignored = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


def counting(fetch: Callable[[Any, Any], Any], n: int, calls: int, util: Any) -> Any:
    """Values of `fetch(train, counter)` beside the train op, and the counter's end."""
    with tf.Graph().as_default():
        counter = tf.get_variable("c", [], tf.int64, tf.zeros_initializer())
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(1000))
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        train = tf.assign_add(total, iterator.get_next()).op
        wanted = fetch(train, counter)
        with tf.Session(config=config(n)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            train = util.set_iteration_per_loop(opened, train, n)
            values = [opened.run([train, wanted])[1] for _ in range(calls)]
            return values, *opened.run([counter, total])


def waiting_read(train: Any, counter: Any) -> Any:
    with tf.control_dependencies([tf.assign_add(counter, 1)]):
        return tf.identity(counter.read_value())


def read_after_training(train: Any, counter: Any) -> Any:
    with tf.control_dependencies([train]):
        return counter.read_value()


@ignored
@pytest.mark.parametrize(
    "fetch",
    [lambda train, counter: tf.assign_add(counter, 1), waiting_read],
    ids=["assign_add", "read behind an update"],
)
def test_an_update_behind_a_fetched_read_runs_in_every_pass(
    device: Device, util: Any, fetch: Any
) -> None:
    plain, sunk = counting(fetch, 1, 30, util), counting(fetch, 10, 3, util)
    assert sunk[0] == plain[0][9::10] == [10, 20, 30]
    assert sunk[1:] == plain[1:]


def test_a_read_behind_the_training_does_not_train_twice(
    device: Device, util: Any
) -> None:
    _, _, total = counting(read_after_training, 10, 3, util)
    assert total == sum(range(30))


@ignored
def test_a_twin_runs_an_update_once(device: Device) -> None:
    with tf.Graph().as_default():
        counter = tf.get_variable("c", [], tf.int64, tf.zeros_initializer())
        noise = tf.random_uniform([], seed=1)
        grown = tf.assign_add(counter, tf.cast(noise >= 0, tf.int64))
        with tf.Session(config=config(5)) as opened:
            opened.run(tf.global_variables_initializer())
            assert [opened.run([noise.op, grown])[1] for _ in range(3)] == [1, 2, 3]


@ignored
@pytest.mark.parametrize("n", [1, 3])
def test_what_is_fed_comes_back_as_fed(device: Device, util: Any, n: int) -> None:
    with tf.Graph().as_default():
        model = softmax()
        rate = tf.get_variable("rate", initializer=1.0)
        with session(model, config(n)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, n)
            fed = opened.run([train, rate], {rate: 5.0})
    assert fed[1] == 5.0


@ignored
@pytest.mark.parametrize("n", [1, 4])
def test_a_shape_given_by_set_shape_holds_in_the_loop(
    device: Device, util: Any, n: int
) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(99))
        number = iterator.get_next()
        pair = tf.py_func(lambda i: np.array([i, -i]), [number], tf.int64)
        pair.set_shape([2])
        total = tf.get_variable("total", [2], tf.int64, tf.zeros_initializer())
        train = tf.assign_add(total, pair).op
        with tf.Session(config=config(n)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            train = util.set_iteration_per_loop(opened, train, n)
            values = [opened.run([train, pair])[1] for _ in range(8 // n)]
            np.testing.assert_array_equal(values[-1], [7, -7])
            np.testing.assert_array_equal(opened.run(total), [28, -28])


def test_sparse_gradient_descent_is_training(device: Device) -> None:
    with tf.Graph().as_default():
        table = tf.get_variable("table", [5, 2])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3]) ** 2)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session(config=config(10)) as opened:
            opened.run(tf.global_variables_initializer())
            with pytest.warns(NpuLabWarning, match="SINK006"):
                opened.run(train)
    assert device.ledger.training_calls == 1


def test_copying_one_network_to_another_is_not_training(device: Device) -> None:
    with tf.Graph().as_default():
        online = tf.get_variable("online", initializer=1.0)
        target = tf.get_variable("target", initializer=0.0)
        hard = tf.assign(target, online)
        soft = tf.assign(target, 0.9 * target + 0.1 * online)
        with tf.Session(config=config(10)) as opened:
            opened.run(tf.global_variables_initializer())
            with warnings.catch_warnings():
                warnings.simplefilter("error", NpuLabWarning)
                opened.run(hard)
                opened.run(soft)
    assert device.ledger.training_calls == 0


def test_get_next_inside_a_branch_is_told(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(99))
        number = tf.cond(
            tf.constant(True), iterator.get_next, lambda: tf.constant(0, tf.int64)
        )
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        train = tf.assign_add(total, number).op
        with tf.Session(config=config(4)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            train = util.set_iteration_per_loop(opened, train, 4)
            with pytest.warns(NpuLabWarning, match="SINK038"):
                opened.run(train)
            assert opened.run(total) == 6
    assert device.loops[-1].data == "fresh"


def test_a_fed_scalar_is_no_batch(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        rate = tf.placeholder(tf.float32, [], name="rate")
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train = optimizer.minimize(model.loss)
        with session(model, config(4)) as opened:
            train = util.set_iteration_per_loop(opened, train, 4)
            with pytest.warns(NpuLabWarning, match=r"SINK039.*rate"):
                opened.run(train, {rate: 0.1})
    assert device.loops[-1].data == "fresh"
    assert [d.code for d in device.loops[-1].diagnostics] == ["SINK039"]


def test_a_feedable_iterator_handle_is_no_data(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        sets = [tf.data.Dataset.range(first, first + 50) for first in (0, 100)]
        iterators = [tf.data.make_initializable_iterator(s) for s in sets]
        handle = tf.placeholder(tf.string, [])
        feedable = tf.data.Iterator.from_string_handle(
            handle, tf.data.get_output_types(sets[0]), tf.TensorShape([])
        )
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        train = tf.assign_add(total, feedable.get_next()).op
        with tf.Session(config=config(3)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run([i.initializer for i in iterators])
            handles = opened.run([i.string_handle() for i in iterators])
            train = util.set_iteration_per_loop(opened, train, 3)
            with warnings.catch_warnings():
                warnings.simplefilter("error", NpuLabWarning)
                opened.run(train, {handle: handles[0]})
                opened.run(train, {handle: handles[1]})
            assert opened.run(total) == 0 + 1 + 2 + 100 + 101 + 102
    assert device.ledger.batches_pulled == 6
    assert device.loops[-1].data == "fresh"


def test_calls_that_tensorflow_refuses_do_not_cross(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        total = tf.reduce_sum(x)
        with tf.Session(config=config(1)) as opened:
            for feed in ({x: [1.0]}, {x: [["a", "b"]]}, {x: total}, {"y": 1.0}):
                with pytest.raises((TypeError, ValueError)):
                    opened.run(total, feed)
            assert device.ledger.session_runs == 0
            assert hostlog.judge().keyword_lines == 0
            with pytest.raises(tf.errors.InvalidArgumentError):
                opened.run(total)
            assert device.ledger.session_runs == 1


def test_the_worst_session_speaks_for_a_graph(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as good:
            train = util.set_iteration_per_loop(good, model.train, 5)
            good.run(train)
        with (
            session(model, config(5)) as bad,
            pytest.warns(NpuLabWarning, match="SINK020"),
        ):
            bad.run(train)
    (loop,) = device.loops
    assert not loop.in_effect
    assert [d.code for d in loop.diagnostics] == ["SINK020"]
    assert loop.calls == 2


def test_random_values_are_one_stream_for_every_kind_of_call(device: Device) -> None:
    def numbers(n: int) -> list[float]:
        with tf.Graph().as_default():
            noise = tf.random_uniform([], seed=8)
            kept = tf.get_variable("kept", initializer=0.0)
            keep = tf.assign(kept, noise)
            with tf.Session(config=config(n)) as opened:
                opened.run(tf.global_variables_initializer())
                ask = opened.make_callable(noise)
                return [opened.run(noise), opened.run(keep), ask(), opened.run(noise)]

    plain, near_a_loop = numbers(1), numbers(5)
    assert near_a_loop == plain
    assert len(set(plain)) == 4


def test_threads_never_draw_the_same_numbers(device: Device) -> None:
    drawn: list[float] = []
    with tf.Graph().as_default():
        noise = tf.random_uniform([2], seed=8, dtype=tf.float64)
        with tf.Session(config=config(5)) as opened:
            opened.run(noise)

            def draw() -> None:
                drawn.extend(tuple(opened.run(noise)) for _ in range(200))

            threads = [threading.Thread(target=draw) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(set(drawn)) == 800


class AlarmError(Exception):
    """What a signal handler of a script may raise."""


@pytest.mark.parametrize("kind", [TimeoutError, AlarmError, KeyboardInterrupt])
def test_what_a_signal_handler_raises_stops_the_loop(
    device: Device, util: Any, kind: type[BaseException]
) -> None:
    def handler(*_: Any) -> None:
        raise kind

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with tf.Graph().as_default():
            model = mlp()
            with session(model, config(10**6)) as opened:
                train = util.set_iteration_per_loop(opened, model.train, 10**6)
                signal.setitimer(signal.ITIMER_REAL, 1.0)
                with pytest.raises(kind):
                    opened.run(train)
                steps = int(opened.run(model.step))
                time.sleep(0.3)
                assert opened.run(model.step) == steps
                assert device.ledger.device_iterations == steps > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@ignored
def test_after_interrupts_the_loop_runs_in_full_again(
    device: Device, util: Any
) -> None:
    """Also after a second one, which does not wait for the loop to end."""

    def handler(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with tf.Graph().as_default():
            iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10**9))
            slow = tf.py_func(
                lambda i: (time.sleep(0.5 if i > 3 else 0), i)[1],
                [iterator.get_next()],
                tf.int64,
            )
            slow.set_shape([])
            total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
            train = tf.assign_add(total, slow).op
            with tf.Session(config=config(8)) as opened:
                opened.run(tf.global_variables_initializer())
                opened.run(iterator.initializer)
                iteration = util.IterationPerLoop()
                train = iteration.create_iteration_per_loop_var(train)
                iteration.load_iteration_per_loop_var(opened, 8)
                signal.setitimer(signal.ITIMER_REAL, 0.7, 0.2)
                with pytest.raises(KeyboardInterrupt):
                    opened.run(train)
                signal.setitimer(signal.ITIMER_REAL, 0)
                iteration.load_iteration_per_loop_var(opened, 3)
                # The loop that nobody waited for is counted when it has ended.
                interrupt._helper.submit(int).result()
                counted = device.ledger.device_iterations
                opened.run(train)
                assert device.ledger.device_iterations - counted == 3
                counted = device.ledger.device_iterations
                opened.run(train)
                assert device.ledger.device_iterations - counted == 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_one_warning_for_a_session(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(4, enable_data_pre_proc=False)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 4)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                opened.run(train)
                opened.run([train, model.loss])
                opened.run([train, model.accuracy])
    assert len([w for w in caught if w.category is NpuLabWarning]) == 1


@pytest.mark.parametrize("view", ["yes", 2, []])
def test_view_is_a_switch(view: Any) -> None:
    npu_lab.deactivate()
    with pytest.raises(TypeError, match="view"):
        npu_lab.activate(view=view)
    assert npu_lab.active_device() is None


@ignored
@pytest.mark.parametrize("pre_proc", [True, False])
def test_the_users_operations_are_left_as_they_are(
    device: Device, util: Any, pre_proc: bool
) -> None:
    with tf.Graph().as_default() as graph:
        model = mlp()
        with session(model, config(4, enable_data_pre_proc=pre_proc)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 4)
            before = {
                n.name: n for n in graph.as_graph_def().node if "npu_lab" not in n.name
            }
            opened.run([train, model.loss])
            opened.run([model.train, model.loss])
            after = {n.name: n for n in graph.as_graph_def().node}
    assert {name: after[name] for name in before} == before
