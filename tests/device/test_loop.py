"""The sunk loop on a real session: counts, verdicts, failures on purpose."""

from __future__ import annotations

import _thread
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.device import Device, SinkError
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.plan import Plan
from tests.device import models
from tests.device.models import config, mlp, session, softmax


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


def last(device: Device, **wanted: Any) -> Any:
    """The newest verdict of a call that trains or holds IterationOp."""
    return next(v for v in reversed(device.verdicts) if v.trains or v.iteration_op)


def codes(device: Device) -> list[str]:
    return [d.code for d in last(device).diagnostics]


@pytest.mark.parametrize("n", [2, 7, 10])
def test_one_call_runs_n_steps_on_n_batches(device: Device, util: Any, n: int) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(n)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, n)
            before = device.ledger.as_dict()
            for _ in range(3):
                opened.run(train)
            assert opened.run(model.step) == 3 * n
    counted = device.ledger.since(before)
    assert counted["training_calls"] == 3
    assert counted["device_iterations"] == counted["batches_pulled"] == 3 * n
    assert last(device).in_effect
    assert last(device).data == "fresh"
    assert codes(device) == []


def test_the_dataset_advances_inside_the_loop(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(100))
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        add = tf.assign_add(total, iterator.get_next())
        with tf.Session(config=config(3)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            sums, before = [], 0
            add = util.set_iteration_per_loop(opened, add.op, 3)
            for _ in range(3):
                opened.run(add)
                now = int(opened.run(total))
                sums.append(now - before)
                before = now
    assert sums == [3, 12, 21]


def test_the_update_really_runs_n_times(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            opened.run(train)
            metadata = tf.RunMetadata()
            full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            opened.run(train, options=full, run_metadata=metadata)
    executed = [
        node.node_name
        for stats in metadata.step_stats.dev_stats
        for node in stats.node_stats
        if "ApplyMomentum" in node.timeline_label or "ApplyMomentum" in node.node_name
    ]
    assert len(executed) == 10


def test_a_ledger_agrees_with_its_plan(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            plan = Plan(40, 10, setup_calls=device.ledger.setup_calls)
            for _ in range(plan.training_calls):
                opened.run(train)
    result = device.ledger.reconcile(plan)
    assert result.agrees, str(result)


def test_data_that_ends_in_the_loop_keeps_the_steps_done(
    device: Device, util: Any
) -> None:
    """Broken on purpose: 13 batches, so the second call of 10 ends at step 3."""
    with tf.Graph().as_default():
        x, y = models.IMAGES[: 13 * models.BATCH], models.LABELS[: 13 * models.BATCH]
        data = tf.data.Dataset.from_tensor_slices((x, y))
        iterator = tf.data.make_initializable_iterator(
            data.batch(models.BATCH, drop_remainder=True)
        )
        model = _on(iterator)
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            plan = Plan(20, 10, setup_calls=device.ledger.setup_calls)
            opened.run(train)
            with pytest.raises(tf.errors.OutOfRangeError, match="SINK030") as caught:
                opened.run(train)
            result = device.ledger.reconcile(plan)
            assert opened.run(model.step) == 13
    assert "inner step 3 of the 10" in str(caught.value)
    assert result.differences == {"device_iterations": -7, "batches_pulled": -7}
    assert "SINK030" in codes(device)


def _on(iterator: Any) -> models.Model:
    x, y = iterator.get_next()
    weights = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
    return models._model(
        tf.matmul(x, weights), y, weights, {"initializer": iterator.initializer}
    )


def test_a_count_that_is_initialised_again_is_built_but_not_effective(
    device: Device, util: Any
) -> None:
    """Broken on purpose: local_variables_initializer after the count was loaded."""
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            opened.run(tf.local_variables_initializer())
            plan = Plan(20, 10, setup_calls=device.ledger.setup_calls)
            with pytest.warns(NpuLabWarning, match="SINK021"):
                opened.run(train)
            opened.run(train)
            result = device.ledger.reconcile(plan)
            assert opened.run(model.step) == 2
    assert result.differences == {"device_iterations": -18, "batches_pulled": -18}
    assert last(device).state == "built, not effective"
    assert hostlog.judge().answer == "built"


def test_a_count_that_is_lost_between_calls_is_noticed(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            opened.run(train)
            assert last(device).in_effect
            opened.run(tf.local_variables_initializer())
            with pytest.warns(NpuLabWarning, match="SINK021"):
                opened.run(train)
            assert opened.run(model.step) == 11
            assert last(device).state == "built, not effective"
            util.IterationPerLoop().create_iteration_per_loop_var(model.train)


def test_a_new_count_needs_no_new_loop(device: Device, util: Any) -> None:
    with tf.Graph().as_default() as graph:
        model = softmax()
        with session(model, config(10)) as opened:
            iteration = util.IterationPerLoop()
            train = iteration.create_iteration_per_loop_var(model.train)
            iteration.load_iteration_per_loop_var(opened, 10)
            opened.run(train)
            operations = len(graph.get_operations())
            with warnings.catch_warnings():
                warnings.simplefilter("error", NpuLabWarning)
                opened.run(train)
            iteration.load_iteration_per_loop_var(opened, 4)
            with pytest.warns(NpuLabWarning, match="SINK007"):
                opened.run(train)
            assert opened.run(model.step) == 24
            assert last(device).iterations_per_loop == 4
            iteration.load_iteration_per_loop_var(opened, 10)
            opened.run(train)
            assert codes(device) == []
        loops = [
            o for o in graph.get_operations() if o.type in {"While", "StatelessWhile"}
        ]
        assert len(loops) == 1
        assert operations <= len(graph.get_operations())


def test_a_finalized_graph_stays_finalized(device: Device, util: Any) -> None:
    with tf.Graph().as_default() as graph:
        model = softmax()
        with session(model, config(5)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 5)
            graph.finalize()
            opened.run(train)
            assert graph.finalized
            assert opened.run(model.step) == 5


def test_scopes_of_the_caller_do_not_leak_into_the_loop(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 5)
            opened.run(model.step)
            with tf.name_scope("mine"), tf.control_dependencies([model.get_next]):
                opened.run(train)
            before = device.ledger.batches_pulled
            opened.run(train)
            assert device.ledger.batches_pulled - before == 5
            assert opened.run(model.step) == 10


def test_data_repeated_where_pre_processing_stays_on_the_host(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10, enable_data_pre_proc=False)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            with pytest.warns(NpuLabWarning, match="SINK005"):
                opened.run(train)
            assert opened.run(model.step) == 10
    assert last(device).in_effect
    assert last(device).data == "repeated"
    assert device.ledger.batches_pulled == 0
    assert device.ledger.host_batches == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"mix_compile_mode": True}, "SINK010"),
        ({"use_off_line": False}, "SINK024"),
        ({"graph_run_mode": 0}, "SINK025"),
    ],
)
def test_options_that_forbid_the_loop(
    device: Device, util: Any, options: dict[str, Any], code: str
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10, **options)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            with pytest.warns(NpuLabWarning, match=code):
                opened.run(train)
            assert opened.run(model.step) == 1
    assert codes(device) == [code]
    assert hostlog.judge().markers == 0


def _set(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    return util.set_iteration_per_loop(opened, model.train, n)


def _twice(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    util.set_iteration_per_loop(opened, model.train, n)
    return util.set_iteration_per_loop(opened, model.train, n)


def _in_scope(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    with tf.name_scope("training"):
        return util.set_iteration_per_loop(opened, model.train, n)


def _original(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    util.set_iteration_per_loop(opened, model.train, n)
    return model.train


def _only_created(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    return util.IterationPerLoop().create_iteration_per_loop_var(model.train)


def _nothing(opened: Any, model: models.Model, util: Any, n: int) -> Any:
    return model.train


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (_twice, "SINK018"),
        (_in_scope, "SINK019"),
        (_original, "SINK001"),
        (_only_created, "SINK020"),
        (_nothing, "SINK006"),
    ],
)
def test_ways_to_miss_the_setter(
    device: Device, util: Any, how: Callable[..., Any], code: str
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = how(opened, model, util, 10)
            with pytest.warns(NpuLabWarning, match=code):
                opened.run(train)
            assert opened.run(model.step) == 1
    assert codes(device) == [code]
    assert device.ledger.batches_pulled == 1
    assert hostlog.judge().markers == 0


def test_one_shot_iterator_with_a_loop_is_an_exception(
    device: Device, util: Any
) -> None:
    def run(n: int) -> int:
        with tf.Graph().as_default():
            data = tf.data.Dataset.from_tensor_slices((models.IMAGES, models.LABELS))
            iterator = tf.data.make_one_shot_iterator(
                data.repeat().batch(models.BATCH, drop_remainder=True)
            )
            x, y = iterator.get_next()
            weights = tf.get_variable("w", [12, 4], initializer=tf.zeros_initializer())
            model = models._model(tf.matmul(x, weights), y, weights, {})
            with session(model, config(n)) as opened:
                train = util.set_iteration_per_loop(opened, model.train, n)
                opened.run(train)
                return int(opened.run(model.step))

    assert run(1) == 1
    with pytest.raises(
        SinkError, match=r"SINK009.*OneShotIterator.*make_initializable_iterator"
    ):
        run(10)


def test_unknown_shape_runs_one_step(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = softmax(drop_remainder=False)
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            with pytest.warns(NpuLabWarning, match=r"SINK013.*drop_remainder=True"):
                opened.run(train)
            assert opened.run(model.step) == 1
    assert codes(device) == ["SINK013"]


def test_queue_input_runs_one_step(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
        fill = queue.enqueue_many([np.arange(8, dtype="float32")])
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer())
        add = tf.assign_add(total, queue.dequeue()).op
        with tf.Session(config=config(4)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(fill)
            add = util.set_iteration_per_loop(opened, add, 4)
            with pytest.warns(NpuLabWarning, match=r"[Qq]ueue.*Dataset"):
                opened.run(add)
            assert opened.run(total) == 0
            opened.run(add)
            assert opened.run(total) == 1


def test_session_without_npu_optimizer_stays_on_the_host(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        train = tf.group(model.train, name="IterationOp")
        with tf.Session() as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(model.initializer)
            with pytest.warns(NpuLabWarning, match="SINK029"):
                opened.run(train)
    assert codes(device) == ["SINK029"]
    assert not hostlog.read().files


def test_seeded_random_operators_without_a_twin_are_named(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        noise = tf.random.gamma([], alpha=1.0, seed=3)
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer())
        add = tf.assign_add(total, noise).op
        with tf.Session(config=config(4)) as opened:
            opened.run(tf.global_variables_initializer())
            add = util.set_iteration_per_loop(opened, add, 4)
            with pytest.warns(NpuLabWarning, match=r"SINK027.*RandomGamma"):
                opened.run(add)


def test_a_fetched_summary_is_that_of_the_last_iteration(
    device: Device, util: Any
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        summary = tf.summary.scalar("loss", model.loss)
        with session(model, config(4)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 4)
            with pytest.warns(NpuLabWarning, match="SINK028"):
                _, loss, text = opened.run([train, model.loss, summary])
    value = tf.Summary.FromString(text).value[0].simple_value
    assert value == pytest.approx(loss)


def test_reference_variables_are_a_clear_error(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        old = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, name="old")
        start = tf.raw_ops.Assign(ref=old, value=1.0)
        grow = tf.raw_ops.AssignAdd(ref=old, value=1.0).op
        with tf.Session(config=config(3)) as opened:
            opened.run(start)
            grow = util.set_iteration_per_loop(opened, grow, 3)
            with pytest.raises(SinkError, match=r"SINK034.*old"):
                opened.run(grow)


def test_a_loop_can_be_interrupted_and_used_again(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = mlp()
        with session(model, config(10**6)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10**6)
            timer = threading.Timer(1.0, _thread.interrupt_main)  # as ipykernel does
            timer.start()
            started = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                opened.run(train)
            waited = time.monotonic() - started
            steps = int(opened.run(model.step))
            assert waited < 30
            assert 0 < steps < 10**6
            assert device.ledger.device_iterations == steps
            assert device.ledger.batches_pulled == steps
            assert "SINK031" in codes(device)
            opened.run(model.train)
            assert opened.run(model.step) == steps + 1


def test_link_delay_is_waited_for_and_shown_as_injected(device: Device) -> None:
    device.link_delay = 0.02
    with tf.Graph().as_default():
        model = softmax()
        started = time.perf_counter()
        with session(model, config(1)) as opened:
            for _ in range(5):
                opened.run(model.train)
        spent = time.perf_counter() - started
    assert device.ledger.injected_seconds >= 7 * 0.02
    assert spent >= 7 * 0.02
    assert "injected" in repr(device.ledger)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "1", True])
def test_link_delay_must_be_seconds(device: Device, bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="link_delay"):
        device.link_delay = bad
