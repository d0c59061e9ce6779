"""What lives how long: closed graphs go, shared graphs do not grow, stops are heard."""

from __future__ import annotations

import _thread
import gc
import signal
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device, interrupt
from tests.device.models import Model, config, mlp, session, softmax

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


def collect() -> None:
    """Twice: a session in a cycle lets go of its graph in the first round."""
    gc.collect()
    gc.collect()


def _train(opened: Any, model: Model, util: Any) -> None:
    train = util.set_iteration_per_loop(opened, model.train, 5)
    opened.run([train, model.loss])
    opened.run([train, model.accuracy])
    assert opened.run(model.step) == 10


def _callable(opened: Any, model: Model, util: Any) -> None:
    train = util.set_iteration_per_loop(opened, model.train, 5)
    opened.make_callable([train, model.loss])()


def _partial(opened: Any, model: Model, util: Any) -> None:
    handle = opened.partial_run_setup([model.loss], [])
    opened.partial_run(handle, model.loss)


def _data_ends(opened: Any, model: Model, util: Any) -> None:
    train = util.set_iteration_per_loop(opened, model.train, 1000)
    with pytest.raises(tf.errors.OutOfRangeError):
        opened.run(train)


def _refused(opened: Any, model: Model, util: Any) -> None:
    train = util.set_iteration_per_loop(opened, model.train, 5)
    with pytest.raises(ValueError, match="shape"):
        opened.run(train, {model.get_next: [1.0]})


def _left_open(opened: Any, model: Model, util: Any) -> None:
    other = tf.Session(graph=opened.graph, config=config(5))
    with other.as_default():
        other.run(tf.global_variables_initializer())


@pytest.mark.parametrize(
    "use", [_train, _callable, _partial, _data_ends, _refused, _left_open]
)
def test_a_graph_that_is_left_goes_with_its_sessions(
    device: Device, util: Any, use: Callable[..., None]
) -> None:
    def lesson() -> list[Any]:
        with tf.Graph().as_default() as graph:
            model = mlp(epochs=1)
            with session(model, config(5)) as opened:
                use(opened, model, util)
                side = device.session(opened, tf.Session.run)
                return [weakref.ref(one) for one in (graph, opened, side)]

    left = lesson()
    collect()
    assert [one() for one in left] == [None, None, None]
    assert len(device._sessions) == 0


def test_a_graph_built_after_a_reset_is_as_large_as_the_first(
    device: Device, util: Any
) -> None:
    sizes, graphs = [], []
    for _ in range(10):
        tf.reset_default_graph()
        model = softmax()
        with session(model, config(5)) as opened:
            _train(opened, model, util)
        graph = tf.get_default_graph()
        sizes.append(len(graph.get_operations()))
        graphs.append(weakref.ref(graph))
        del model, opened, graph
    tf.reset_default_graph()
    collect()
    assert len(set(sizes)) == 1
    assert [one() for one in graphs] == [None] * 10


def test_fifty_sessions_of_one_graph_add_nothing_to_it(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default() as graph:
        model = softmax()
        initializer = tf.global_variables_initializer()
        count = util.IterationPerLoop()
        train = count.create_iteration_per_loop_var(model.train)
        sizes, threads = set(), set()
        for _ in range(50):
            with tf.Session(config=config(5)) as opened:
                opened.run(initializer)
                opened.run(model.initializer)
                count.load_iteration_per_loop_var(opened, 5)
                opened.run([train, model.loss])
                assert opened.run(model.step) == 5
            sizes.add((len(graph.get_operations()), len(graph._functions)))
            threads.add(threading.active_count())
        del opened
        collect()
        assert len(device._sessions) == 0
    assert len(sizes) == 1
    assert len(threads) == 1


def test_a_device_that_is_switched_off_is_let_go() -> None:
    def use() -> Any:
        device = npu_lab.activate(view=True)
        from npu_bridge.npu_init import util

        with tf.Graph().as_default():
            model = softmax()
            with session(model, config(5)) as opened:
                _train(opened, model, util)
        npu_lab.deactivate()
        return weakref.ref(device)

    npu_lab.deactivate()
    left = use()
    collect()
    assert left() is None


LONG = 100_000  # steps; seconds if nobody stops them


def interrupted(
    opened: Any, model: Model, train: Any, device: Device
) -> tuple[int, int, int]:
    """Steps, iterations and batches after a call that a signal ended."""
    with pytest.raises(KeyboardInterrupt):
        opened.run(train)
    steps = int(opened.run(model.step))
    time.sleep(0.05)
    assert opened.run(model.step) == steps, "the loop goes on after the interrupt"
    return steps, device.ledger.device_iterations, device.ledger.batches_pulled


def test_an_interrupt_before_the_loop_has_begun_stops_it(
    device: Device, util: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = interrupt._helper.submit

    def late(run: Callable[..., Any], *args: Any) -> Any:
        def wait_and_call() -> Any:
            time.sleep(0.3)
            return run(*args)

        threading.Timer(0.1, _thread.interrupt_main).start()
        return submit(wait_and_call)

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(LONG)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, LONG)
            with monkeypatch.context() as patch:
                patch.setattr(interrupt._helper, "submit", late)
                steps, iterations, batches = interrupted(opened, model, train, device)
    assert steps == iterations == batches
    assert steps < LONG


def test_an_interrupt_while_the_loop_is_handed_over_stops_it(
    device: Device, util: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = interrupt._helper.submit

    def submit_and_signal(*args: Any) -> Any:
        running = submit(*args)
        signal.raise_signal(signal.SIGINT)
        return running

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(LONG)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, LONG)
            with monkeypatch.context() as patch:
                patch.setattr(interrupt._helper, "submit", submit_and_signal)
                steps, iterations, batches = interrupted(opened, model, train, device)
    assert steps == iterations == batches
    assert steps < LONG


def test_an_interrupt_while_a_call_is_counted_leaves_the_counts_whole(
    device: Device, util: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cross = device.ledger.cross

    def signal_and_cross(*how: Any) -> None:
        if how[0] == "training":
            signal.raise_signal(signal.SIGINT)
        cross(*how)

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            with monkeypatch.context() as patch:
                patch.setattr(device.ledger, "cross", signal_and_cross)
                steps, iterations, batches = interrupted(opened, model, train, device)
    assert steps == iterations == batches == 10
    assert device.ledger.training_calls == 1


def test_an_interrupt_is_not_raised_in_the_middle_of_the_hand_over(
    device: Device, util: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raised between taking a lock and the block that frees it, it would hang all."""
    submit, inside = interrupt._helper.submit, []

    def signal_and_submit(*args: Any) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            inside.append("raised")
            raise
        return submit(*args)

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(LONG)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, LONG)
            with monkeypatch.context() as patch:
                patch.setattr(interrupt._helper, "submit", signal_and_submit)
                steps, iterations, batches = interrupted(opened, model, train, device)
    assert steps == iterations == batches
    assert steps < LONG
    assert inside == []
