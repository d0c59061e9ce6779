"""The other doors: callables of a session, as Keras makes them, and partial runs."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session as tf_session

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.device import Device, programs, seam
from tests.device.models import IMAGES, LABELS, Model, config, session, softmax


def options_of(
    fetch: Any = (), target: Any = (), feed: Any = (), joined: Any = ()
) -> config_pb2.CallableOptions:
    made = config_pb2.CallableOptions(feed=[t.name for t in feed])
    made.fetch.extend(t.name for t in fetch)
    made.target.extend(o.name for o in target)
    for source, to in joined:
        made.tensor_connection.add(from_tensor=source.name, to_tensor=to.name)
    return made


def trainer(opened: Any, model: Model) -> Any:
    """A callable that trains one step, as Keras makes it."""
    options = options_of([model.loss], [model.train])
    return opened._make_callable_from_options(options)


def codes(found: Any) -> list[str]:
    return [d.code for d in found.diagnostics]


@pytest.mark.parametrize(("option", "expected"), [(1, ["SINK058"]), (10, ["SINK043"])])
def test_a_training_callable_gets_one_verdict(
    device: Device, option: int, expected: list[str]
) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(option)) as opened:
            before, made = len(device.verdicts), device.ledger.session_runs
            train = trainer(opened, model)
            losses = [train() for _ in range(3)]
            assert [len(values) for values in losses] == [1, 1, 1]
            assert device.ledger.session_runs == made + 3
            assert opened.run(model.step) == 3
    (verdict,) = device.loops
    assert verdict.fetches == ("Momentum", "loss")
    assert (verdict.state, verdict.data) == ("not in effect", "fresh")
    assert (verdict.calls, verdict.iterations) == (3, 0)
    assert verdict.as_dict()["iterations_per_loop"] == option
    assert codes(verdict) == expected == codes(device)
    assert [v.fetches for v in device.verdicts[before:]] == [
        ("Momentum", "loss"),
        ("global_step/Read/ReadVariableOp",),
    ]
    assert len(verdict.messages) == 1
    assert device.ledger.training_calls == 3
    assert device.ledger.batches_pulled == 3


def test_a_callable_is_logged_once_for_each_fed_shape(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax("feed")
        x, y = (tf.get_default_graph().get_tensor_by_name(n) for n in ("x:0", "y:0"))
        with session(model, config(10)) as opened:
            train = opened._make_callable_from_options(
                options_of([model.loss], [model.train], [x, y])
            )
            for size in (8, 8, 4, 8):
                train(IMAGES[:size], LABELS[:size])
            with pytest.raises(tf.errors.InvalidArgumentError, match="got 1"):
                train(IMAGES[:8])
            with pytest.raises(tf.errors.InvalidArgumentError, match="double"):
                train(IMAGES[:8].astype("float64"), LABELS[:8])
    (verdict,) = device.loops
    assert len(verdict.messages) == 2
    assert verdict.data == "fresh"
    assert (verdict.calls, device.ledger.training_calls) == (5, 5)
    lines = [record.message for record in hostlog.read()]
    assert not [line for line in lines if "IteratorCtrl_StreamSwitch" in line]
    assert sum("iteration_per_loop: 10, need" in line for line in lines) >= 2


@pytest.mark.parametrize("option", [1, 10])
def test_a_callable_with_iteration_op_is_not_sunk(device: Device, option: int) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(option)) as opened:
            sunk = util.set_iteration_per_loop(opened, model.train, 10)
            opened._make_callable_from_options(options_of([model.loss], [sunk]))()
            assert opened.run(model.step) == 1
    (verdict,) = device.loops
    assert codes(verdict) == ["SINK043"]
    assert device.ledger.device_iterations == 0


def test_the_warning_names_the_line_of_the_user(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            with pytest.warns(npu_lab.NpuLabWarning, match="SINK043") as caught:
                trainer(opened, model)
            trainer(opened, model)  # the same again is not said again
    assert codes(device) == ["SINK043"]
    assert [w.filename for w in caught] == [__file__]


def test_a_callable_on_the_host_says_so(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10, use_off_line=False)) as opened:
            trainer(opened, model)()
    (verdict,) = device.loops
    assert codes(verdict) == ["SINK024", "SINK043"]
    assert "iterations_per_loop 10" in verdict.because
    assert verdict.messages == []


def test_a_session_without_npu_optimizer_counts_as_in_run(device: Device) -> None:
    device.link_delay = 0.001
    verdicts = []
    for door in (trainer, lambda opened, model: lambda: opened.run(model.train)):
        with tf.Graph().as_default():
            model = softmax()
            with session(model, tf.ConfigProto()) as opened:
                door(opened, model)()
        verdicts.append(device.loops[-1])
    through, run = verdicts
    assert (through.calls, through.option, through.data, through.messages) == (
        (run.calls, run.option, run.data, run.messages)
    )
    assert device.diagnostics == []
    assert device.ledger.training_calls == 2
    assert device.ledger.injected_seconds == 0.0


def test_an_option_that_ends_the_process_is_an_error_here_too(device: Device) -> None:
    with tf.Graph().as_default():
        data = tf.data.Dataset.range(3)
        value = tf.data.make_one_shot_iterator(data).get_next()
        with tf.Session(config=config(10)) as opened:
            with pytest.raises(ValueError, match="SINK009"):
                opened._make_callable_from_options(options_of([value]))
            with pytest.raises(ValueError, match="SINK009"):
                opened.run(value)


def test_what_was_done_before_a_failure_is_counted(device: Device) -> None:
    with tf.Graph().as_default():
        model = softmax(epochs=1)
        with session(model, config(1)) as opened:
            train = trainer(opened, model)
            for _ in range(50):
                train()
            for _ in range(2):
                with pytest.raises(tf.errors.OutOfRangeError):
                    train()
    assert device.loops[0].calls == device.ledger.training_calls == 52
    assert device.ledger.batches_pulled == 50


def test_two_datasets_for_the_same_fetches_are_told_apart(device: Device) -> None:
    """As Keras does it: a Dataset's tensors are joined to the inputs of the model."""
    with tf.Graph().as_default():
        model = softmax("feed")
        x, y = (tf.get_default_graph().get_tensor_by_name(n) for n in ("x:0", "y:0"))
        data = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS)).batch(8)
        iterators = [tf.data.make_initializable_iterator(data.take(n)) for n in (1, 3)]
        with session(model, config(1, op_execute_timeout=9)) as opened:
            opened.run([iterator.initializer for iterator in iterators])
            for iterator, batches in zip(iterators, (1, 3), strict=True):
                joined = zip(iterator.get_next(), (x, y), strict=True)
                options = options_of([model.loss], [model.train], joined=joined)
                train = opened._make_callable_from_options(options)
                for _ in range(batches):
                    train()
                with pytest.raises(tf.errors.OutOfRangeError):
                    train()
            assert opened.run(model.step) == 4
    assert device.ledger.batches_pulled == 4
    (verdict,) = device.loops
    assert verdict.fetches == ("Momentum", "loss")
    assert (verdict.calls, verdict.data) == (6, "fresh")


def test_bytes_and_calls_are_what_the_link_waits_for(device: Device) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [100])
        double = x * 2.0
        with tf.Session(config=config(1)) as opened:
            made = opened._make_callable_from_options(options_of([double], feed=[x]))
            device.link_delay, device.bandwidth = 0.001, 1e6
            made(np.zeros(100, "float32"))
            assert device.ledger.injected_seconds >= 0.001 + 800 / 1e6
            before = device.ledger.injected_seconds
            handle = opened.partial_run_setup([double], [x])
            opened.partial_run(handle, double, {x: np.zeros(100, "float32")})
    assert device.ledger.injected_seconds >= before + 0.001 + 800 / 1e6


def test_each_call_is_announced_before_it_is_made(device: Device) -> None:
    kinds: list[str] = []
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(1)) as opened:
            train = trainer(opened, model)
            device.before_call = kinds.append
            train()
            assert kinds == ["training"]

            def refuse(kind: str) -> None:
                raise SystemExit(kind)

            device.before_call = refuse
            with pytest.raises(SystemExit, match="training"):
                train()
    assert device.ledger.training_calls == 1


def test_a_call_that_is_watched_is_so_each_time(device: Device) -> None:
    seen: list[str] = []

    def watch(session: Any, subgraph: Any) -> Any:
        seen.append(f"new {subgraph.kind} of {session.session is not None}")
        return (lambda: seen.append("called")) if subgraph.kind == "read" else None

    device.watch = watch
    with tf.Graph().as_default(), tf.Session(config=config(1)) as opened:
        weight = tf.get_variable("w", initializer=0.0)
        opened.run(tf.global_variables_initializer())
        for _ in range(3):
            opened.run(weight)
    assert seen == ["new initialize of True", "new read of True", *["called"] * 3]


@pytest.mark.parametrize(
    "options",
    [
        {"feed": ["x:0"], "fetch": ["nothing:0"]},
        {"feed": ["nothing"], "fetch": ["double:0"]},
        {"feed": ["x:0"], "fetch": ["double:7"]},
        {"feed": ["x:0"], "target": ["nothing"]},
        {"feed": ["x:0"]},
    ],
)
def test_errors_of_names_are_those_of_tensorflow(
    device: Device, options: dict[str, Any]
) -> None:
    found = []
    wanted = config_pb2.CallableOptions(**options)
    with tf.Graph().as_default():
        tf.identity(tf.placeholder(tf.float32, [], name="x") * 2.0, name="double")
        for _ in range(2):
            with tf.Session() as opened:
                with pytest.raises(tf.errors.OpError) as caught:
                    opened._make_callable_from_options(wanted)
                found.append((caught.type, str(caught.value)))
            seam.uninstall()
    assert found[0] == found[1]


def test_a_callable_is_tensorflows_own_in_everything_else(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        double = tf.identity(x * 2.0, name="double")
        tf.constant(2.0, name="two")
        with tf.Session(config=config(10)) as opened:
            plain = config_pb2.CallableOptions(feed=["x"], fetch=["double", "two:0"])
            plain.run_options.trace_level = tf.RunOptions.FULL_TRACE
            given = plain.SerializeToString()
            made = opened._make_callable_from_options(plain)
            metadata = tf.RunMetadata()
            fetched = made(np.ones(2, "float32"), run_metadata=metadata)
            assert type(fetched) is list
            np.testing.assert_array_equal(fetched[0], [2.0, 2.0])
            assert fetched[1:] == [2.0]
            assert metadata.step_stats.dev_stats
            assert plain.SerializeToString() == given
            assert isinstance(made, tf_session.BaseSession._Callable)
            assert made._session is opened
            target = opened._make_callable_from_options(options_of((), [double.op]))
            released = []
            release = tf_session.tf_session.TF_SessionReleaseCallable
            monkeypatch.setattr(
                tf_session.tf_session,
                "TF_SessionReleaseCallable",
                lambda *given: (released.append(given), release(*given)),
            )
            handle = made._handle
            del made
            assert [given[1] for given in released] == [handle]
            with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value"):
                target()
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            target()
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            opened._make_callable_from_options(options_of([double]))
    assert device.ledger.session_runs == 2


def test_a_callable_outlives_devices(device: Device) -> None:
    npu_lab.deactivate()
    with tf.Graph().as_default():
        model = softmax()
        with tf.Session(config=config(1)) as opened:
            opened.run([tf.global_variables_initializer(), model.initializer])
            before = trainer(opened, model)
            first = npu_lab.activate(view=True)
            made = trainer(opened, model)
            before()  # TensorFlow's own: no device knows of it
            made()
            npu_lab.deactivate()
            before()
            assert len(made()) == 1
            second = npu_lab.activate(view=True)
            for _ in range(3):
                assert len(made()) == 1
            assert opened.run(model.step) == 7
            operations = len(tf.get_default_graph().get_operations())
            made()
            assert len(tf.get_default_graph().get_operations()) == operations
    for one, calls in ((first, 1), (second, 4)):
        (verdict,) = one.loops
        assert verdict.calls == one.ledger.training_calls == calls
        assert one.ledger.batches_pulled == calls
        assert len(verdict.messages) == 1


def test_neither_callable_nor_verdict_keeps_anything_alive(device: Device) -> None:
    with tf.Graph().as_default() as graph:
        model = softmax()
        with session(model, config(10)) as opened:
            made, run = trainer(opened, model), opened.make_callable(model.loss)
            made(), run()
            kept = [weakref.ref(one) for one in (graph, opened, made)]
    del graph, opened, made, run, model
    gc.collect()
    assert [one() for one in kept] == [None, None, None]
    assert len(device.loops) == 1


def test_first_use_from_many_threads_at_once(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = programs.build

    def slowly(*given: Any) -> Any:
        time.sleep(0.05)  # long enough for the others to come
        return build(*given)

    with tf.Graph().as_default():
        model = softmax("feed")
        x, y = (tf.get_default_graph().get_tensor_by_name(n) for n in ("x:0", "y:0"))
        with session(model, config(1)) as opened:
            made = opened._make_callable_from_options(
                options_of([model.loss], [model.train], [x, y])
            )
            npu_lab.deactivate()
            second = npu_lab.activate(view=True)
            monkeypatch.setattr(programs, "build", slowly)
            together = threading.Barrier(8)

            def train() -> None:
                together.wait()
                for _ in range(5):
                    made(IMAGES[:8], LABELS[:8])

            threads = [threading.Thread(target=train) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert opened.run(model.step) == 40
    (verdict,) = second.loops
    assert verdict.calls == second.ledger.training_calls == 40
    assert len(second.verdicts) == 2
    assert len(verdict.messages) == 1


def test_make_callable_sinks_like_run(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax("feed")
        x, y = (tf.get_default_graph().get_tensor_by_name(n) for n in ("x:0", "y:0"))
        feed = list(model.feed(0).values())
        with session(model, config(5)) as opened:
            sunk = util.set_iteration_per_loop(opened, model.train, 5)
            train = opened.make_callable([sunk, model.loss], [x, y])
            values = train(*feed)
            assert values[0] is None
            train(*feed, run_metadata=tf.RunMetadata())
            assert opened.run(model.step) == 10
    (verdict,) = device.loops
    assert (verdict.state, verdict.calls) == ("in effect", 2)
    assert (verdict.iterations, verdict.data) == (10, "repeated")

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(5)) as opened:
            sunk = util.set_iteration_per_loop(opened, model.train, 5)
            train = opened.make_callable([sunk, model.loss])
            with_options = opened.make_callable([sunk, model.loss], accept_options=True)
            train()
            with_options(options=tf.RunOptions(), run_metadata=tf.RunMetadata())
            assert opened.make_callable(sunk)() is None
            assert opened.run(model.step) == 15
            npu_lab.deactivate()
            train()
            assert opened.run(model.step) == 16
        with pytest.raises(RuntimeError, match="closed"):
            train()
    verdicts = device.loops[1:]
    assert [v.state for v in verdicts] == ["in effect", "in effect"]
    assert [(v.calls, v.data) for v in verdicts] == [(2, "fresh"), (1, "fresh")]


def test_make_callable_before_activate(device: Device) -> None:
    npu_lab.deactivate()
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        double = x * 2.0
        with tf.Session(config=config(1)) as opened:
            fed = opened.make_callable(double, [x])
            constant = opened.make_callable(tf.constant(3.0))
            second = npu_lab.activate(view=True)
            assert fed(2.0) == 4.0
            assert constant() == 3.0
    assert second.ledger.session_runs == 1  # the other is TensorFlow's own


@pytest.mark.parametrize(
    ("option", "expected"), [(None, []), (1, []), (10, ["SINK033"])]
)
def test_a_partial_run_that_trains_gets_its_verdict(
    device: Device, option: int | None, expected: list[str]
) -> None:
    proto = tf.ConfigProto() if option is None else config(option)
    with tf.Graph().as_default():
        model = softmax("feed")
        x, y = (tf.get_default_graph().get_tensor_by_name(n) for n in ("x:0", "y:0"))
        mean = tf.reduce_mean(x)
        with tf.control_dependencies([model.train]):
            trained = tf.identity(model.loss, name="trained")
        with session(model, proto) as opened:
            for _ in range(2):
                handle = opened.partial_run_setup([mean, trained], [x, y])
                opened.partial_run(handle, mean, {x: IMAGES[:8]})
                opened.partial_run(handle, trained, {y: LABELS[:8]})
            assert opened.run(model.step) == 2
            for wrong, message in (
                (None, "Cannot be None"),
                ("nothing:0", "cannot be interpreted"),
                (model.train, "empty `target_list`"),
            ):
                with pytest.raises(Exception, match=message):
                    opened.partial_run(handle, wrong)
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="Must run 'setup'"
            ):
                opened.partial_run(handle, trained)
    verdict = device.loops[0]
    assert (verdict.state, verdict.data) == ("not in effect", "fresh")
    assert (verdict.calls, device.ledger.training_calls) == (3, 3)
    assert codes(verdict) == expected
    assert device.ledger.calls["read"] == 3
