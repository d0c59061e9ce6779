"""Graphs and sessions as scripts use them: imported, shared, threaded, switched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tensorflow.python.ops import control_flow_util

import npu_lab
import npu_lab.tf1 as tf
from npu_lab import hostlog
from npu_lab.device import Device
from tests.device import training, zoo
from tests.device import zoo_pieces as pieces
from tests.device.models import config
from tests.device.training import Kept, same

pytestmark = [
    pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning"),
    pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed"),
]


def weights(opened: Any) -> dict[str, Any]:
    return {v.name: opened.run(v) for v in opened.graph.get_collection("variables")}


def loaded_count() -> Any:
    """The variable that holds N-1."""
    return next(
        v for v in tf.local_variables() if v.op.name.endswith("iterations_per_loop")
    )


# --- meta graphs ---


@pytest.fixture(params=[1, 2], ids=["control flow v1", "control flow v2"])
def exported(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A model with a loop and a branch, exported to a meta graph."""
    npu_lab.deactivate()
    path = str(tmp_path / "model.meta")
    with monkeypatch.context() as patch, tf.Graph().as_default() as graph:
        if request.param == 1:
            patch.setattr(control_flow_util, "EnableControlFlowV2", lambda _: False)
        iterator = pieces.iterator_of(pieces.PIXELS, pieces.LABELS)
        x, labels = iterator.get_next()
        count = tf.train.get_or_create_global_step()
        x = tf.cond(tf.equal(count % 2, 0), lambda: x * 1.5, lambda: tf.tanh(x))
        square = pieces.weight("square", pieces.WIDTH, pieces.WIDTH)
        _, x = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, x: (i + 1, tf.tanh(tf.matmul(x, square))),
            [0, x],
        )
        loss = pieces.cross_entropy(pieces.linear(x), labels)
        train = pieces.sgd().minimize(loss, global_step=count)
        for name, kept in (("train", train), ("loss", loss)):
            tf.add_to_collection(name, kept)
        tf.add_to_collection("setup", iterator.initializer)
        kinds = {operation.type for operation in graph.get_operations()}
        assert ("Enter" in kinds) is (request.param == 1)
        tf.train.export_meta_graph(path)
    return path


def imported(path: str) -> Kept:
    tf.train.import_meta_graph(path)
    train, loss, setup = (
        tf.get_collection(name)[0] for name in ("train", "loss", "setup")
    )
    return Kept(train, loss, [], [setup])


def test_an_imported_meta_graph_trains_in_the_loop(
    exported: str, request: pytest.FixtureRequest
) -> None:
    plain = training.train_plainly(lambda: imported(exported), [23])
    device = request.getfixturevalue("device")
    sunk = training.train_sunk(lambda: imported(exported), [10, 10, 1, 2], 10)
    assert device.ledger.device_iterations == 22
    same({**plain.losses, **sunk.losses}, plain.losses)
    same(sunk.states, plain.states)


def test_a_sunk_graph_is_exported_and_goes_on_elsewhere(
    device: Device, util: Any, tmp_path: Path
) -> None:
    """The marks of the loop, and what the device added, are in the meta graph."""
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session(config=config(4)) as opened:
        model = zoo.FAMILIES["momentum"]()
        tf.add_to_collection("setup", model.setup[0])
        training.start(opened, model)
        sunk = util.set_iteration_per_loop(opened, model.train, 4)
        opened.run([sunk, model.loss])
        path = tf.train.Saver().save(opened, path)
        before = weights(opened)
    with tf.Graph().as_default() as graph, tf.Session(config=config(4)) as opened:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(opened, path)
        same(weights(opened), before)
        opened.run(tf.get_collection("setup")[0])
        opened.run(tf.local_variables_initializer())
        loaded_count().load(3, opened)
        train = graph.get_operation_by_name("IterationOp")
        opened.run(train)
        assert opened.run(tf.train.get_global_step()) == 8


# --- iterators that are switched between calls ---


def reinitialisable() -> tuple[Kept, Callable[[Any, str], Any]]:
    sets = {
        "train": (pieces.PIXELS, pieces.LABELS),
        "test": (pieces.PIXELS[9:], pieces.LABELS[9:]),
    }
    data = {
        name: tf.data.Dataset.from_tensor_slices(columns)
        .repeat()
        .batch(4, drop_remainder=True)
        for name, columns in sets.items()
    }
    iterator = tf.data.Iterator.from_structure(
        tf.data.get_output_types(data["train"]),
        tf.data.get_output_shapes(data["train"]),
    )
    starts = {name: iterator.make_initializer(part) for name, part in data.items()}

    def switch(opened: Any, name: str) -> None:
        opened.run(starts[name])

    return model_on(iterator, []), switch


def feedable() -> tuple[Kept, Callable[[Any, str], Any]]:
    handle = tf.placeholder(tf.string, [])
    iterators = {
        "train": pieces.iterator_of(pieces.PIXELS, pieces.LABELS),
        "test": pieces.iterator_of(pieces.PIXELS, pieces.LABELS, first=9),
    }
    iterator = tf.data.Iterator.from_string_handle(
        handle, (tf.float32, tf.int32), ([4, pieces.WIDTH], [4])
    )
    handles = {name: part.string_handle() for name, part in iterators.items()}

    def switch(opened: Any, name: str) -> Any:
        return {handle: opened.run(handles[name])}

    setup = [[part.initializer for part in iterators.values()]]
    return model_on(iterator, setup), switch


def model_on(iterator: Any, setup: Sequence[Any]) -> Kept:
    x, labels = iterator.get_next()
    logits = pieces.linear(x)
    loss = pieces.cross_entropy(logits, labels)
    count = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=count)
    return Kept(train, loss, [pieces.accuracy(logits, labels)], setup)


def trained_and_tested(build: Any, per_call: int) -> list[Any]:
    """Train 10 steps, test on 3 batches, and so on, three times."""
    seen: list[Any] = []
    with tf.Graph().as_default():
        model, switch = build()
        proto = config(per_call) if per_call > 1 else training.plain_config()
        with tf.Session(config=proto) as opened:
            training.start(opened, model)
            train = model.train
            if per_call > 1:
                from npu_bridge.npu_init import util

                train = util.set_iteration_per_loop(opened, train, per_call)
            for _ in range(3):
                fed = switch(opened, "train")
                for _ in range(10 // per_call):
                    values = opened.run([train, model.loss], fed)
                seen.append(values[1])
                fed = switch(opened, "test")
                seen += [opened.run([model.loss, *model.metrics], fed) for _ in "abc"]
            seen.append(training.state(opened))
    return seen


@pytest.mark.parametrize("build", [reinitialisable, feedable])
def test_switching_between_training_and_test_data(
    build: Any, request: pytest.FixtureRequest
) -> None:
    npu_lab.deactivate()
    plain = trained_and_tested(build, 1)
    device = request.getfixturevalue("device")
    for per_call in (2, 5, 10):
        same(trained_and_tested(build, per_call), plain)
    assert device.ledger.device_iterations == 90


# --- Supervisor, finalized graphs ---


def test_supervisor_with_a_managed_session(
    device: Device, util: Any, tmp_path: Path
) -> None:
    with tf.Graph().as_default() as graph:
        model = zoo.FAMILIES["adam"]()
        loop = util.IterationPerLoop()
        train = loop.create_iteration_per_loop_var(model.train)
        supervisor = tf.train.Supervisor(
            logdir=str(tmp_path), summary_op=None, save_model_secs=0
        )
        assert graph.finalized
        with supervisor.managed_session(config=config(5)) as opened:
            opened.run(model.setup[0])
            loop.load_iteration_per_loop_var(opened, 5)
            calls = 0
            while not supervisor.should_stop():
                _, step = opened.run([train, supervisor.global_step])
                calls += 1
                assert step == 5 * calls
                if step >= 20:
                    supervisor.request_stop()
            supervisor.saver.save(opened, str(tmp_path / "model"), global_step=step)
        assert calls == 4
        assert graph.finalized
    reader = tf.train.load_checkpoint(str(tmp_path / "model-20"))
    assert reader.get_tensor("global_step") == 20
    assert not [n for n in reader.get_variable_to_shape_map() if "npu_" in n]


def test_a_finalized_graph_in_every_kind_of_call(device: Device, util: Any) -> None:
    with tf.Graph().as_default() as graph, tf.Session(config=config(3)) as opened:
        model = zoo.FAMILIES["dropout"]()
        loop = util.IterationPerLoop()
        train = loop.create_iteration_per_loop_var(model.train)
        start = [tf.global_variables_initializer(), *model.setup]
        graph.finalize()
        for operation in start:
            opened.run(operation)
        loop.load_iteration_per_loop_var(opened, 3)
        opened.run(model.train)
        opened.run([train, model.loss])
        opened.run(model.loss)
        assert opened.run(tf.train.get_global_step()) == 4
        assert graph.finalized
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(1.0)


# --- several graphs and sessions ---


def test_graphs_and_sessions_side_by_side(device: Device, util: Any) -> None:
    """Two graphs, two sessions each, with calls in turns; one session is plain."""
    plain = training.train_sunk(zoo.FAMILIES["dropout"], [1] * 12, 1)
    running: list[tuple[Any, Any, Any, Any]] = []
    for counts in ((3, 4), (6, 2)):
        graph = tf.Graph()
        with graph.as_default():
            model = zoo.FAMILIES["dropout"]()
            train = util.IterationPerLoop().create_iteration_per_loop_var(model.train)
        for count in counts:
            opened = tf.Session(graph=graph, config=config(count))
            with graph.as_default():
                training.start(opened, model)
                loop = util.IterationPerLoop()
                loop.create_iteration_per_loop_var(model.train)
                loop.load_iteration_per_loop_var(opened, count)
            running.append((opened, train, model.loss, count))
    losses: dict[Any, Any] = {}
    for turn in range(6):
        for opened, train, loss, count in running:
            if turn < 12 // count:
                losses[opened] = opened.run([train, loss])[1]
    for opened, *_ in running:
        assert losses[opened] == plain.losses[12]
        with opened.graph.as_default():
            same(training.state(opened), plain.states[12])
        opened.close()
    assert device.ledger.device_iterations == 48


def test_a_session_opened_again_starts_anew(device: Device, util: Any) -> None:
    with tf.Graph().as_default():
        model = zoo.FAMILIES["dropout"]()
        train = util.IterationPerLoop().create_iteration_per_loop_var(model.train)
        count = loaded_count()
        states = []
        for _ in range(3):
            with tf.Session(config=config(4)) as opened:
                training.start(opened, model)
                count.load(3, opened)
                for _ in range(2):
                    opened.run([train, model.loss])
                states.append(training.state(opened))
    same(states[1:], states[:1] * 2)


# --- threads ---


def in_threads(*work: Callable[[], None]) -> None:
    raised: list[BaseException] = []

    def run(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:  # noqa: BLE001  (raised again below)
            raised.append(error)

    threads = [threading.Thread(target=run, args=[one]) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_two_sessions_on_two_threads(device: Device, util: Any) -> None:
    results: list[training.Trained] = []

    def train() -> None:
        results.append(training.train_sunk(zoo.FAMILIES["dropout"], [4] * 10, 4))

    in_threads(train, train)
    train()
    same([r.states for r in results[1:]], [r.states for r in results[:1] * 2])
    assert device.ledger.device_iterations == 120


def test_two_sessions_of_one_graph_on_two_threads(device: Device, util: Any) -> None:
    """Both build their loops in the same graph at the same time."""
    with tf.Graph().as_default():
        model = zoo.FAMILIES["dropout"]()
        train = util.IterationPerLoop().create_iteration_per_loop_var(model.train)
        sessions = [tf.Session(config=config(4)) for _ in range(2)]
        for opened in sessions:
            training.start(opened, model)
        count = loaded_count()
        for opened in sessions:
            count.load(3, opened)
        variables = {v.name: v for v in tf.global_variables()}
    states: list[Any] = []

    def work(opened: Any) -> Callable[[], None]:
        def run() -> None:
            for turn in range(6):
                opened.run([train, model.loss] if turn % 2 else train)
            states.append(opened.run(variables))

        return run

    in_threads(*map(work, sessions))
    for opened in sessions:
        opened.close()
    same(states[0], states[1])
    assert device.ledger.device_iterations == 48


def test_threads_on_one_session(device: Device, util: Any) -> None:
    """Sunk and plain calls, and reads, from four threads: nothing is lost."""
    with tf.Graph().as_default(), tf.Session(config=config(5)) as opened:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10**6))
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        steps = tf.get_variable("steps", [], tf.int64, tf.zeros_initializer())
        number = iterator.get_next()
        plain = tf.group(
            tf.assign_add(total, number, use_locking=True),
            tf.assign_add(steps, 1, use_locking=True),
        )
        opened.run([tf.global_variables_initializer(), iterator.initializer])
        train = util.set_iteration_per_loop(opened, plain, 5)

        def repeat(fetches: Any, times: int) -> Callable[[], None]:
            def run() -> None:
                for _ in range(times):
                    opened.run(fetches)

            return run

        in_threads(
            repeat(train, 20),
            repeat([train, number], 20),
            repeat(plain, 30),
            repeat(total, 30),
        )
        done = 20 * 5 * 2 + 30
        assert opened.run(steps) == done
        assert opened.run(total) == sum(range(done))
    assert device.ledger.device_iterations == 200
    assert device.ledger.batches_pulled == done
    assert hostlog.judge().markers
