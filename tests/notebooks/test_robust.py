"""A kernel bears what people do: re-runs, other orders, resets, failures, the stop.

The tests share a kernel, as the cells of a notebook do, in the order written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import nbformat
import pytest

from tests.notebooks.conftest import LESSONS
from tests.notebooks.kernels import Kernel

pytestmark = pytest.mark.slow

LOAD = "%load_ext npu_lab\nimport tensorflow as tf\nimport npu_lab"

LOOK = """
def _look():
    import ctypes, gc, os, threading
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)  # or what is free would count
    except (AttributeError, OSError, TypeError):
        pass
    import psutil
    live = gc.get_objects()
    graphs = [one for one in live if isinstance(one, tf.Graph)]
    return {
        "graphs": len(graphs),
        "operations": sum(len(one.get_operations()) for one in graphs),
        "sessions": sum(isinstance(one, tf.Session) for one in live),
        "default": len(tf.get_default_graph().get_operations()),
        "threads": threading.active_count(),
        "verdicts": len(npu_lab.active_device().verdicts),
        "memory": psutil.Process().memory_info().rss,
    }
"""

# A short lesson: fewer pictures in the graph, and not the cells that only measure.
FEWER = """
from types import SimpleNamespace
_train = mnist.train
_train = SimpleNamespace(images=_train.images[:1000], labels=_train.labels[:1000])
mnist = SimpleNamespace(train=_train)
"""
MEASURING = {"slider", "round-trips", "time"}

NAMES = "print(*(v.name for v in train_op.graph.get_collection('variables')))"

BUILD = """
from npu_bridge.npu_init import *
tf.reset_default_graph()
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10**9))
step = tf.train.get_or_create_global_step()
weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
loss = weight * tf.cast(iterator.get_next() % 3, tf.float32)
optimizer = tf.train.GradientDescentOptimizer(1e-9)
train_op = optimizer.minimize(loss, global_step=step)
init = [tf.global_variables_initializer(), iterator.initializer]
count = util.IterationPerLoop()
sunk_op = count.create_iteration_per_loop_var(train_op)
"""
SESSION = """
def npu_config(n):
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = n
    return config

sess = tf.Session(config=npu_config(10))
for one in init:
    sess.run(one)
count.load_iteration_per_loop_var(sess, 10)
"""
TRAIN = "sess.run(sunk_op)\nprint('step', sess.run(step))"
RESET = "tf.reset_default_graph()"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    started = Kernel(tmp_path_factory.mktemp("kernel"))
    started.good(LOAD)
    yield started
    started.close()


def look(kernel: Kernel) -> dict[str, int]:
    return eval(kernel.good("print(_look())"))  # noqa: S307 (our own dictionary)


def test_twenty_passes_through_a_lesson_leave_nothing_behind(kernel: Kernel) -> None:
    """C07 and C09: each cell in a graph of its own, which goes when the next comes."""
    kernel.good(LOOK)
    cells = [
        cell
        for cell in nbformat.read(LESSONS[0], as_version=4).cells
        if cell.cell_type == "code" and cell.id not in MEASURING
    ]
    seen, names = {}, set()
    for number in range(1, 21):
        for cell in cells:
            if cell.id == "setup":  # would make a folder although the log has one
                kernel.good(cell.source.replace("mkdtemp", "gettempdir"))
            elif cell.id != "model":
                kernel.good(cell.source)
            elif number == 1:  # reads the pictures
                kernel.good(cell.source)
                kernel.good(FEWER)
        names.add(kernel.good(NAMES))
        if number in {4, 5, 12, 19, 20}:
            seen[number] = look(kernel)
    assert len(names) == 1  # no Variable_2: nothing was built on top of the last pass
    for name in ("graphs", "operations", "sessions", "threads"):
        assert len({one[name] for one in seen.values()}) == 1, name
    assert {one["default"] for one in seen.values()} == {0}
    # A verdict for each compiled run, and so the same number from each pass.
    verdicts = {number: one["verdicts"] for number, one in seen.items()}
    assert verdicts[20] - verdicts[19] == verdicts[5] - verdicts[4]
    assert abs(seen[20]["memory"] - seen[5]["memory"]) <= 0.05 * seen[5]["memory"]


@pytest.mark.parametrize("again", range(2))
def test_a_loop_of_a_million_steps_can_be_stopped(kernel: Kernel, again: int) -> None:
    """C10: the kernel is back, what was done is counted, and training goes on."""
    kernel.good(BUILD)
    kernel.good(SESSION)
    kernel.good(TRAIN)  # builds the loop
    kernel.good(
        "before = npu_lab.active_device().ledger.as_dict(), int(sess.run(step))\n"
        "count.load_iteration_per_loop_var(sess, 10**6)"
    )
    sent = kernel.start("print('going')\nsess.run(sunk_op)")
    kernel.finish(sent, until="going")
    time.sleep(1)
    stopped = time.monotonic()
    kernel.interrupt()
    shown = kernel.finish(sent)
    waited = time.monotonic() - stopped
    assert shown.error == "KeyboardInterrupt"
    assert waited < 3  # under a second where nothing else runs; the loop takes minutes

    kernel.good("count.load_iteration_per_loop_var(sess, 10)\nsess.run(sunk_op)")
    counted = kernel.good(
        "done = int(sess.run(step)) - before[1]\n"
        "since = npu_lab.active_device().ledger.since(before[0])\n"
        "print(done, since['device_iterations'], since['batches_pulled'])"
    )
    done, iterations, batches = map(int, counted.split())
    assert 10 < done < 10**6
    assert iterations == batches == done
    kernel.good("sess.close()")


@pytest.mark.parametrize(
    ("cells", "error", "told"),
    [
        ([TRAIN], "NameError", "sess"),
        ([SESSION], "NameError", "init"),
        ([BUILD, TRAIN], "NameError", "sess"),
        ([BUILD, RESET, SESSION], "RuntimeError", "Session graph is empty"),
        ([BUILD, RESET, "tf.zeros([])", SESSION], "ValueError", "not an element"),
        ([BUILD, SESSION, "sess.close()", TRAIN], "RuntimeError", "closed"),
        ([BUILD, BUILD.replace(RESET, "")], "ValueError", "already exists"),
    ],
    ids=[
        "train",
        "session",
        "no session",
        "reset",
        "other graph",
        "closed",
        "build again",
    ],
)
def test_cells_in_a_wrong_order_get_a_clear_error(
    kernel: Kernel, cells: list[str], error: str, told: str
) -> None:
    names = ["sess", "sunk_op", "init", "count"]
    kernel.good(f"for name in {names}:\n    globals().pop(name, None)\n{RESET}")
    *before, last = cells
    for cell in before:
        kernel.good(cell)
    shown = kernel.run(last)
    assert shown.error == error, shown.traceback
    assert told in shown.traceback
    # In order, all is well again.
    kernel.good(BUILD)
    kernel.good(SESSION)
    assert kernel.good(TRAIN) == "step 10\n"


@pytest.mark.parametrize(
    "cells",
    [
        [BUILD, SESSION, TRAIN, RESET, TRAIN],  # the session keeps its graph
        [BUILD, SESSION, TRAIN, SESSION, TRAIN, TRAIN],
        [BUILD, SESSION, TRAIN, BUILD, SESSION, TRAIN, TRAIN],
    ],
    ids=["reset", "session twice", "all again"],
)
def test_cells_in_other_orders_that_work(kernel: Kernel, cells: list[str]) -> None:
    texts = [kernel.good(cell) for cell in cells]
    assert texts[-1] == "step 20\n"


ONE_SHOT = BUILD.replace("initializable", "one_shot").replace(
    ", iterator.initializer", ""
)
FAILURES = {
    "one-shot iterator": (
        ONE_SHOT + SESSION + TRAIN,
        "SinkError",
        "make_initializable_iterator",
    ),
    "a bad option": (
        BUILD + SESSION.replace("npu_config(10)", "npu_config(0)"),
        "ValueError",
        "iterations_per_loop is 0",
    ),
    "data that ends": (
        BUILD.replace("10**9", "15") + SESSION + TRAIN + "\nsess.run(sunk_op)",
        "OutOfRangeError",
        "SINK030",
    ),
    "a count below 1": (
        BUILD + SESSION + "count.load_iteration_per_loop_var(sess, 0)",
        "ValueError",
        "iterations_per_loop",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FAILURES)
def test_what_would_abort_the_process_is_an_exception(
    kernel: Kernel, what: str
) -> None:
    """C15: the kernel lives, and the next cell trains."""
    cell, error, told = FAILURES[what]
    shown = kernel.run(cell)
    assert shown.error == error, shown.traceback
    assert told in shown.traceback
    assert kernel.alive
    kernel.good(BUILD)
    kernel.good(SESSION)
    assert kernel.good(TRAIN) == "step 10\n"


def test_an_operation_after_a_supervisor_is_refused_clearly(kernel: Kernel) -> None:
    """C08: the Supervisor finalises the graph; a cell that adds to it is late."""
    kernel.good(BUILD)
    kernel.good("supervisor = tf.train.Supervisor(logdir=None)")
    shown = kernel.run("doubled = tf.multiply(loss, 2, name='doubled')")
    assert shown.error == "RuntimeError"
    assert "Graph is finalized and cannot be modified" in shown.traceback


def test_a_second_setter_in_the_same_graph_is_told(kernel: Kernel) -> None:
    """C07: the session's cell is run again, and the operation in it made again."""
    kernel.good(BUILD)
    again = SESSION + "sunk_op = util.set_iteration_per_loop(sess, train_op, 10)\n"
    kernel.good(again)
    shown = kernel.good(TRAIN)
    assert "SINK018" in shown
    assert "step 1\n" in shown


def test_many_sessions_leave_no_operations_threads_or_memory(kernel: Kernel) -> None:
    kernel.good(LOOK)
    kernel.good(BUILD)
    once = [*SESSION.splitlines(), *TRAIN.splitlines(), "sess.close()"]
    kernel.good("\n".join(once))
    kernel.good("\n".join(once))  # nothing is kept of the cells before
    before = look(kernel)
    many = ["for _ in range(50):", *(f"    {line}" for line in once)]
    assert kernel.good("\n".join(many)) == "step 10\n" * 50
    after = look(kernel)
    for name in ("default", "threads"):
        assert after[name] == before[name], name
    for name in ("graphs", "operations", "sessions"):  # less, where a cell before held
        assert after[name] <= before[name], name
    assert after["memory"] <= 1.05 * before["memory"]


def test_a_kernel_shut_down_in_a_loop_leaves_nothing(kernel: Kernel) -> None:
    """The last test with this kernel: Jupyter asks, and kills after five seconds."""
    kernel.good(BUILD)
    kernel.good(SESSION)
    kernel.good("count.load_iteration_per_loop_var(sess, 10**6)")
    sent = kernel.start("print('going')\nsess.run(sunk_op)")
    kernel.finish(sent, until="going")
    time.sleep(1)
    started = time.monotonic()
    kernel.close()
    assert time.monotonic() - started < 5
    assert not kernel.alive
    assert [path.name for path in kernel.temporary.rglob("*")] == []
