"""Corners where numbers once changed, calls once failed, or waits were once endless."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config, session, softmax


def pulled(data: Callable[[], Any], n: int | None, count: int = 4) -> list[Any]:
    """What a pipeline delivers; without `n` to TensorFlow alone."""
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        iterator = tf.data.make_initializable_iterator(data())
        batch = iterator.get_next()
        proto = config(n) if n else tf.ConfigProto()
        with tf.Session(config=proto) as opened:
            opened.run(iterator.initializer)
            return [opened.run(batch) for _ in range(count)]


SEEDED = {
    "map": lambda: tf.data.Dataset.range(9).map(
        lambda v: tf.cast(v, tf.float32) + tf.random.uniform([], seed=1)
    ),
    "source": lambda: tf.data.Dataset.from_tensor_slices(tf.random.normal([9], seed=1)),
    "filter": lambda: tf.data.Dataset.range(99).filter(
        lambda _: tf.random.uniform([], seed=2) > 0.5
    ),
}


@pytest.mark.parametrize("where", SEEDED)
def test_random_operators_of_the_pipeline_stay_on_the_host(
    device: Device, where: str
) -> None:
    npu_lab.deactivate()
    plain = pulled(SEEDED[where], None)
    npu_lab.activate()
    assert pulled(SEEDED[where], 1) == plain
    assert pulled(SEEDED[where], 3) == plain


def draws(device: Device, kind: str, n: int, traced: bool, **options: Any) -> list[Any]:
    """Four steps on a random number, the fetch sets taking turns."""
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(99))
        number = iterator.get_next()
        drawn = tf.random.uniform([], seed=5)
        if kind == "shuffle":
            drawn = tf.random_shuffle(tf.range(1000), seed=5)[0]
        if kind == "both":
            drawn = tf.random_shuffle(drawn * tf.range(1000.0), seed=5)[0]
        total = tf.get_variable("total", initializer=1.0)
        train = tf.train.GradientDescentOptimizer(1.0).minimize(
            total * tf.stop_gradient(tf.cast(drawn, tf.float32))
        )
        with tf.Session(config=config(n, **options)) as opened:
            opened.run(total.initializer)
            opened.run(iterator.initializer)
            found = [opened.run([train, drawn])[1], opened.run([drawn, number])[0]]
            if traced:
                with device.trace:
                    found.append(opened.run([train, drawn])[1])
            else:
                found.append(opened.run([train, drawn])[1])
            return [*found, opened.run([drawn, number])[0]]


@pytest.mark.parametrize("kind", ["uniform", "shuffle", "both"])
def test_tracing_and_time_limits_leave_the_streams_alone(
    device: Device, kind: str
) -> None:
    plain = draws(device, kind, 1, traced=False)
    assert draws(device, kind, 1, traced=True) == plain
    assert draws(device, kind, 1, traced=False, op_execute_timeout=60) == plain
    with pytest.warns(npu_lab.NpuLabWarning, match="SINK006"):
        assert draws(device, kind, 10, traced=False) == plain


def test_a_feed_dict_of_another_kind_is_read_and_left_alone(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        default = tf.placeholder_with_default([7.0], [None])
        total = tf.reduce_sum(x) + tf.reduce_sum(default)
        with tf.Session(config=config(3)) as opened:
            by_name = defaultdict(list, {"x:0": [1.0, 2.0]})
            assert opened.run(total, by_name) == 10
            assert by_name == {"x:0": [1.0, 2.0]}
            both = OrderedDict({x: [1.0], default: [1.0]})
            for _ in range(2):
                assert opened.run(total, both) == 2
                assert opened.run(total, OrderedDict({x: [1.0]})) == 8
                assert opened.run(total, {x: [1.0]}) == 8
                assert opened.run(default).tolist() == [7]
                assert opened.run(default, OrderedDict({default: [2.0]})) == [2]


@pytest.mark.parametrize("options", [{}, {"op_execute_timeout": 60}])
def test_reference_variables_can_be_traced_and_timed(
    device: Device, options: dict[str, Any]
) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(9))
        value = tf.get_variable("v", initializer=1.0, use_resource=False)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(
            value * tf.cast(iterator.get_next() + 1, tf.float32)
        )
        with tf.Session(config=config(1, **options)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            with device.trace as trace:
                opened.run(train)
            assert opened.run(value) == 0.5
    assert len(trace.timeline().calls) == 1


def test_an_iterator_is_initialised_once_a_run(device: Device) -> None:
    begun: list[int] = []

    def numbers() -> Any:
        begun.append(1)
        yield from range(9)

    with tf.Graph().as_default():
        data = tf.data.Dataset.from_generator(numbers, tf.int64, [])
        iterator = tf.data.make_initializable_iterator(data)
        with tf.control_dependencies([iterator.initializer]):
            first = tf.identity(iterator.get_next())
        following = iterator.get_next()
        with tf.Session(config=config(3)) as opened:
            opened.run([iterator.initializer, first])
            assert opened.run(following) == 1
    assert begun == [1]


def test_the_device_keeps_what_the_host_alone_assigns(device: Device) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(9))
        value = tf.get_variable("v", initializer=7.0)
        epoch = tf.get_variable("epoch", initializer=0)
        with tf.Session(config=config(3)) as opened:
            opened.run(tf.global_variables_initializer())
            with pytest.warns(npu_lab.NpuLabWarning, match="SINK040"):
                opened.run(
                    [iterator.initializer, tf.assign(value, 9.0), epoch.assign_add(1)]
                )
            assert opened.run([value, epoch]) == [7, 0]


@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
def test_each_call_of_a_loop_has_its_own_count(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax("feed")
        loop = util.IterationPerLoop()
        train = loop.create_iteration_per_loop_var(model.train)
        with session(model, config(10)) as opened:
            loop.load_iteration_per_loop_var(opened, 4)
            opened.run(train, model.feed(0))
            before = int(opened.run(model.step))
            loop.load_iteration_per_loop_var(opened, 20_000)
            other = threading.Thread(target=opened.run, args=(train, model.feed(0)))
            other.start()
            while int(opened.run(model.step)) < before + 10:
                time.sleep(0.01)
            loop.load_iteration_per_loop_var(opened, 3)
            opened.run(train, model.feed(0))
            other.join()
            assert int(opened.run(model.step)) == before + 20_000 + 3


@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
def test_a_call_that_another_ones_interrupt_stops_does_not_return_as_if_done(
    device: Device,
) -> None:
    from npu_bridge.npu_init import util

    raised: list[Exception] = []
    with tf.Graph().as_default():
        model = softmax("feed")
        with session(model, config(10**6)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10**6)

            def run() -> None:
                try:
                    opened.run(train, model.feed(0))
                except tf.errors.CancelledError as error:
                    raised.append(error)

            other = threading.Thread(target=run)
            other.start()
            while not int(opened.run(model.step)):
                time.sleep(0.01)
            threading.Timer(0.3, _thread.interrupt_main).start()
            with pytest.raises(KeyboardInterrupt):
                opened.run(train, model.feed(0))
            other.join()
    assert len(raised) == 1
    assert "SINK031" in str(raised[0])


def test_the_wait_for_fetched_bytes_can_be_interrupted(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 5)
            opened.run([train, model.weights])
            device.bandwidth = 4.0  # bytes a second: the weights take 48
            main = threading.main_thread().ident
            threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()
            started = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                opened.run([train, model.weights])
            assert time.monotonic() - started < 20


def test_the_end_of_data_is_told_with_the_count_that_was_loaded(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax(epochs=1)  # 50 batches
        loop = util.IterationPerLoop()
        train = loop.create_iteration_per_loop_var(model.train)
        with session(model, config(10)) as opened:
            loop.load_iteration_per_loop_var(opened, 10)
            opened.run(train)
            loop.load_iteration_per_loop_var(opened, 60)
            with pytest.raises(tf.errors.OutOfRangeError, match="40 of the 60"):
                opened.run(train)


def test_a_loop_that_does_not_train_is_traced(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default(), tf.Session(config=config(5)) as opened:
        total = tf.get_variable("total", initializer=0)
        train = tf.assign_add(total, 1).op
        opened.run(tf.global_variables_initializer())
        train = util.set_iteration_per_loop(opened, train, 5)
        with device.trace as trace:
            opened.run(train)
    assert trace.timeline().iterations == 5


@pytest.mark.parametrize(
    ("name", "bad"),
    [("link_delay", 1e300), ("link_delay", 10**400), ("bandwidth", 1e-300),
     ("queue_depth", 10**30)],
)  # fmt: skip
def test_what_no_wait_could_serve_is_refused(
    device: Device, name: str, bad: float
) -> None:
    with pytest.raises(ValueError, match=name):
        npu_lab.activate(**{name: bad})
    assert np.isfinite(device.link_delay)


def test_a_thread_that_writes_the_graph_never_sees_half_a_loop(device: Device) -> None:
    """As Supervisor's thread does, which saves while the first call makes the loop."""
    from npu_bridge.npu_init import util

    failed: list[Exception] = []
    for _ in range(3):
        ended = threading.Event()
        with tf.Graph().as_default() as graph:
            model = softmax()
            fetches = [model.loss * factor for factor in range(6)]
            with session(model, config(5)) as opened:
                train = util.set_iteration_per_loop(opened, model.train, 5)
                graph.finalize()

                def write(graph: Any = graph, ended: Any = ended) -> None:
                    try:
                        while not ended.is_set():
                            graph.as_graph_def(add_shapes=True)
                    except Exception as error:  # noqa: BLE001 (the test says it)
                        failed.append(error)

                writer = threading.Thread(target=write)
                writer.start()
                for fetch in fetches:
                    opened.run([train, fetch])
                ended.set()
                writer.join()
                assert int(opened.run(model.step)) == 5 * len(fetches)
    assert failed == []
