"""The way of a batch: prepared on the host, queued, pulled by a GetNext in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config

WEIGHT = 3.0


def numbers(stop: int = 1000, slow: Callable[[int], float] | None = None) -> Any:
    """0, 1, 2, ..., one a batch; `slow` gives the seconds that each takes."""

    def prepare(number: Any) -> Any:
        time.sleep(slow(int(number)) if slow else 0)
        return np.float32(number)

    data = tf.data.Dataset.range(stop)
    data = data.map(
        lambda n: tf.ensure_shape(tf.numpy_function(prepare, [n], tf.float32), [])
    )
    # Nothing runs ahead by TensorFlow's own optimizations.
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return data.batch(1, drop_remainder=True).with_options(options)


class Training:
    """Adds up what it pulls; `calls(k)` makes k host calls of N."""

    def __init__(self, data: Any, n: int, **options: Any) -> None:
        self.iterator = tf.data.make_initializable_iterator(data)
        self.total = tf.get_variable("total", [], initializer=tf.zeros_initializer())
        self.value = tf.reduce_sum(tf.cast(self.iterator.get_next(), tf.float32))
        # An optimizer whose update adds the value: the gradient of -total * value.
        loss = -self.total * tf.stop_gradient(self.value)
        self.train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        self.n, self.session = n, tf.Session(config=config(n, **options))

    def start(self) -> None:
        from npu_bridge.npu_init import util

        self.session.run(tf.global_variables_initializer())
        self.session.run(self.iterator.initializer)
        if self.n > 1:
            self.train = util.set_iteration_per_loop(self.session, self.train, self.n)

    def calls(self, count: int) -> list[float]:
        for _ in range(count):
            self.session.run(self.train)
        return float(self.session.run(self.total))


@pytest.fixture
def training(device: Device) -> Iterator[Callable[..., Training]]:
    made = []

    def make(*args: Any, started: bool = True, **options: Any) -> Training:
        made.append(Training(*args, **options))
        if started:
            made[-1].start()
        return made[-1]

    with tf.Graph().as_default():
        yield make
    for one in made:
        one.session.close()


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.parametrize("depth", [1, 4])
def test_the_host_prepares_so_many_batches_ahead_and_no_more(
    device: Device, training: Callable[..., Training], depth: int
) -> None:
    device.queue_depth = depth
    asked: list[int] = []
    run = training(numbers(slow=lambda n: asked.append(n) or 0.0), 10)
    # Before any GetNext: the pipeline starts with its initializer.
    wait_for(lambda: len(asked) >= depth)
    assert run.calls(2) == sum(range(20))
    wait_for(lambda: len(asked) >= 20 + depth)
    time.sleep(0.1)
    assert asked == list(range(20 + depth))
    assert device.ledger.batches_pulled == 20


def test_a_pipeline_that_prefetches_brings_its_own_queue(
    device: Device, training: Callable[..., Training]
) -> None:
    device.queue_depth = 8
    asked: list[int] = []
    data = numbers(slow=lambda n: asked.append(n) or 0.0).prefetch(3)
    run = training(data, 10)
    assert run.calls(1) == sum(range(10))
    wait_for(lambda: len(asked) >= 13)
    time.sleep(0.1)
    assert asked == list(range(13))


def test_a_pipeline_that_is_not_sunk_is_not_run_ahead(
    training: Callable[..., Training],
) -> None:
    asked: list[int] = []
    data = numbers(slow=lambda n: asked.append(n) or 0.0)
    run = training(data, 1, enable_data_pre_proc=False)
    assert run.calls(3) == 0 + 1 + 2
    time.sleep(0.1)
    assert asked == [0, 1, 2]


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "2", None])
def test_the_queue_has_a_whole_number_of_batches(device: Device, bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="queue_depth"):
        device.queue_depth = bad
    assert device.queue_depth == 2


def test_a_bad_depth_changes_nothing(device: Device) -> None:
    with pytest.raises(ValueError, match="queue_depth"):
        npu_lab.activate(link_delay=0.5, queue_depth=0)
    assert device.link_delay == 0
    assert npu_lab.activate(queue_depth=5).queue_depth == 5


def test_an_initializer_in_a_group_starts_the_queue_as_well(
    training: Callable[..., Training],
) -> None:
    asked: list[int] = []
    run = training(numbers(slow=lambda n: asked.append(n) or 0.0), 5, started=False)
    both = tf.group(tf.group(run.iterator.initializer), tf.no_op())
    run.session.run(tf.global_variables_initializer())
    run.session.run(both)
    wait_for(lambda: len(asked) == 2)
    assert asked == [0, 1]
    run.session.run(both)  # from the beginning
    assert run.session.run(run.value) == 0


LATE = {"slow": lambda n: 2.0 if n == 2 else 0.0}


def test_a_late_batch_is_an_error_that_names_it_and_keeps_the_steps(
    device: Device, training: Callable[..., Training]
) -> None:
    run = training(numbers(**LATE), 10, op_execute_timeout=1)
    with pytest.raises(tf.errors.InternalError) as raised:
        run.calls(1)
    text = str(raised.value)
    assert "GetNext IteratorGetNext" in text
    assert "E30008" in text
    assert "enqueued before: 2;" in text
    assert raised.value.diagnostic.code == "SINK041"
    assert [d.code for v in device.loops for d in v.diagnostics] == ["SINK041"]
    assert device.ledger.device_iterations == 2
    assert run.session.run(run.total) == 0 + 1
    # The late batch is lost; the next call goes on behind it.
    assert run.calls(1) == 0 + 1 + sum(range(3, 13))


@pytest.mark.parametrize(
    "options",
    [
        {"op_execute_timeout": 5},
        {},
        {"op_execute_timeout": 1, "enable_data_pre_proc": False},
    ],
    ids=["more time", "no limit", "on the host"],
)
def test_a_batch_that_may_be_late_is_waited_for(
    training: Callable[..., Training], options: dict[str, Any]
) -> None:
    n = 1 if "enable_data_pre_proc" in options else 10
    assert training(numbers(**LATE), n, **options).calls(10 // n) == sum(range(10))


def test_a_late_batch_fails_a_single_step_too(
    device: Device, training: Callable[..., Training]
) -> None:
    run = training(numbers(**LATE), 1, op_execute_timeout=1)
    run.calls(2)
    with pytest.raises(tf.errors.InternalError, match=r"E30008.*before: 2;"):
        run.calls(1)
    assert run.session.run(run.total) == 0 + 1
    assert device.ledger.batches_pulled == 2


def test_filling_a_shuffle_buffer_can_be_too_slow(
    training: Callable[..., Training],
) -> None:
    data = numbers(slow=lambda n: 0.05).unbatch().shuffle(40, seed=1)
    run = training(data.batch(1, drop_remainder=True), 10, op_execute_timeout=1)
    with pytest.raises(tf.errors.InternalError, match=r"E30008.*before: 0;"):
        run.calls(1)


def test_the_limit_changes_no_number(training: Callable[..., Training]) -> None:
    assert training(numbers(), 10, op_execute_timeout=1).calls(3) == sum(range(30))


@pytest.fixture
def start(device: Device) -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def pulled(data: Any, initializers: tuple[Any, ...] = (), **options: Any) -> Any:
    iterator = tf.data.make_initializable_iterator(data)
    batch = iterator.get_next()
    with tf.Session(config=config(**options)) as session:
        session.run([tf.global_variables_initializer(), *initializers])
        session.run(iterator.initializer)
        return session.run(batch)


def table() -> Any:
    pairs = tf.lookup.KeyValueTensorInitializer([0, 1], [10, 11], tf.int64, tf.int64)
    return tf.lookup.StaticHashTable(pairs, -1, name="places")


@pytest.mark.usefixtures("start")
def test_a_table_in_the_pipeline_is_not_initialised_on_the_host() -> None:
    places = table()
    data = tf.data.Dataset.range(2).map(places.lookup)
    with pytest.raises(tf.errors.FailedPreconditionError) as raised:
        pulled(data, (tf.tables_initializer(),), iterations_per_loop=10)
    assert "Table not initialized" in str(raised.value)
    assert "mix_compile_mode" in str(raised.value)
    assert "N=1" in str(raised.value)
    assert raised.value.diagnostic.code == "SINK042"


@pytest.mark.usefixtures("start")
def test_with_mixed_compute_a_table_serves_the_pipeline() -> None:
    places = table()
    data = tf.data.Dataset.range(2).map(places.lookup)
    value = pulled(data, (tf.tables_initializer(),), mix_compile_mode=True)
    assert value == 10


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("where", ["batch size", "map", "function"])
def test_a_variable_in_the_pipeline_cannot_be_read_on_the_host(where: str) -> None:
    size = tf.get_variable("size", [], tf.int64, initializer=tf.ones_initializer())
    data = tf.data.Dataset.range(8)
    if where == "batch size":
        data = data.batch(size)
    elif where == "map":
        data = data.map(lambda n: n + size)
    else:
        data = data.flat_map(lambda n: tf.data.Dataset.from_tensors(n * size))
    with pytest.raises(tf.errors.FailedPreconditionError) as raised:
        pulled(data, iterations_per_loop=10)
    assert "variable size" in str(raised.value)
    assert "preprocess" in str(raised.value)
    assert raised.value.diagnostic.code == "SINK044"


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize("options", [{}, {"variable_placement": "Host"}])
def test_what_stays_on_the_host_serves_the_pipeline(options: dict[str, Any]) -> None:
    data = tf.data.Dataset.range(8)
    if options:
        size = tf.get_variable("size", [], tf.int64, initializer=tf.ones_initializer())
        data = data.map(lambda n: n + size - 1)
    value = pulled(
        data.batch(4, drop_remainder=True), iterations_per_loop=10, **options
    )
    assert value.tolist() == [0, 1, 2, 3]


def test_variables_initialised_with_an_iterator_stay_zero_on_the_device(
    device: Device, training: Callable[..., Training]
) -> None:
    one = tf.get_variable("one", [2], initializer=tf.ones_initializer())
    run = training(numbers(), 5, started=False)
    with pytest.warns(npu_lab.NpuLabWarning, match="SINK040.*one"):
        run.session.run([tf.global_variables_initializer(), run.iterator.initializer])
    assert run.session.run(one).tolist() == [0, 0]
    assert not any("total" in d.message for d in device.diagnostics)
    run.session.run(tf.global_variables_initializer())
    assert run.session.run(one).tolist() == [1, 1]


def test_without_npu_optimizer_variables_keep_what_they_are_given(
    device: Device,
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.get_variable("one", [2], initializer=tf.ones_initializer())
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
        session.run([tf.global_variables_initializer(), iterator.initializer])
        assert session.run(one).tolist() == [1, 1]
    assert not device.diagnostics
