"""Problems that people met in notebooks, each with the outcome the lab owes them.

Those that need a kernel are in tests/notebooks: the lesson run twice in one kernel,
twenty passes without growth, the stop button.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config, mlp, session, softmax

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def util(device: Device) -> Any:
    from npu_bridge.npu_init import util

    return util


def train_in_own_graph(util: Any, before: Any = None, n: int = 10) -> list[Any]:
    """Losses and weights of two calls; `before` adds to the graph first."""
    with tf.Graph().as_default():
        if before is not None:
            before()
        model = mlp()
        with session(model, config(n)) as opened:
            train = model.train
            if n > 1:
                train = util.set_iteration_per_loop(opened, train, n)
            losses = [opened.run([train, model.loss])[1] for _ in range(20 // n)]
            return [losses[-1], opened.run(model.weights)]


@pytest.mark.parametrize("again", [1, 2])
def test_c07_a_cell_with_a_graph_of_its_own_can_be_run_again(
    device: Device, util: Any, again: int
) -> None:
    """aymericdamien/TensorFlow-Examples#119: no variable exists already, or is w_1."""
    for _ in range(again + 1):
        with tf.Graph().as_default():
            model = softmax()
            with session(model, config(10)) as opened:
                train = util.set_iteration_per_loop(opened, model.train, 10)
                assert train.name == "IterationOp"
                assert model.weights.name == "w:0"
                opened.run(train)
                assert opened.run(model.step) == 10
    assert [v.in_effect for v in device.loops] == [True] * (again + 1)


def test_c07_a_default_graph_built_twice_keeps_what_stock_tensorflow_says(
    device: Device, util: Any
) -> None:
    tf.reset_default_graph()
    model = softmax()
    with session(model, config(10)) as opened:
        opened.run(util.set_iteration_per_loop(opened, model.train, 10))
    with pytest.raises(ValueError, match=r"Variable w already exists"):
        softmax()
    tf.reset_default_graph()
    softmax()
    tf.reset_default_graph()


def test_c08_a_supervised_graph_refuses_new_operations_and_still_sinks(
    device: Device, util: Any
) -> None:
    """tensorflow#8235: only the user's own additions are refused."""
    with tf.Graph().as_default() as graph:
        model = softmax()
        count = util.IterationPerLoop()
        train = count.create_iteration_per_loop_var(model.train)
        supervisor = tf.train.Supervisor(logdir=None, global_step=model.step)
        with pytest.raises(RuntimeError, match="finalized and cannot be modified"):
            tf.multiply(model.loss, 2, name="doubled")
        with supervisor.managed_session(config=config(10)) as opened:
            with pytest.raises(RuntimeError, match="finalized"):
                count.create_iteration_per_loop_var(model.train)
            opened.run(model.initializer)
            count.load_iteration_per_loop_var(opened, 10)
            opened.run(train)
            assert opened.run(model.step) == 10
        assert graph.finalized


def test_c09_running_again_adds_nothing_to_the_graph(device: Device, util: Any) -> None:
    """tensorflow#700: calls, also of several kinds, leave the number of nodes alone."""
    with tf.Graph().as_default() as graph:
        model = mlp()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            sizes = []
            for _ in range(20):
                opened.run(train)
                opened.run([train, model.loss])
                opened.run({"accuracy": model.accuracy, "step": model.step})
                sizes.append((len(graph.get_operations()), len(device.verdicts)))
    assert len(set(sizes)) == 1


def _unused_placeholder() -> None:
    tf.placeholder(tf.float32, [None], name="unused")


def _unused_random() -> None:
    tf.random_uniform([3])


@pytest.mark.parametrize("before", [None, _unused_placeholder, _unused_random])
@pytest.mark.parametrize("n", [1, 10])
def test_c11_seeded_operations_give_the_same_numbers_again(
    device: Device, util: Any, before: Any, n: int
) -> None:
    """tensorflow#19238: neither a second run nor other operations change them."""
    first = train_in_own_graph(util)
    again = train_in_own_graph(util, before, n)
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])


def test_c11_the_device_takes_no_seed_from_the_users_graph(
    device: Device, util: Any
) -> None:
    """Under a graph's seed an operation's own counts those made before it."""

    def drawn(n: int) -> Any:
        with tf.Graph().as_default():
            tf.set_random_seed(7)
            model = mlp()
            with session(model, config(n)) as opened:
                train = model.train
                if n > 1:
                    train = util.set_iteration_per_loop(opened, train, n)
                opened.run([train, model.loss])
                return opened.run(tf.random_uniform([4]))

    with tf.Graph().as_default(), tf.Session() as stock:
        tf.set_random_seed(7)
        mlp()
        expected = stock.run(tf.random_uniform([4]))
    np.testing.assert_array_equal(drawn(1), expected)
    np.testing.assert_array_equal(drawn(10), expected)


# C15: what would abort the vendor's process is an exception; nothing is left behind.

HEAD = """\
import tensorflow as tf
from npu_bridge.npu_init import *
data = tf.data.Dataset.range({batches})
iterator = tf.data.{iterator}(data)
step = tf.train.get_or_create_global_step()
weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
loss = weight * tf.cast(iterator.get_next() % 3, tf.float32)
train = tf.train.GradientDescentOptimizer(1e-9).minimize(loss, global_step=step)
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = {n}
sess = tf.Session(config=config)
sess.run(tf.global_variables_initializer())
"""
TRAIN = """\
sess.run(iterator.initializer)
train = util.set_iteration_per_loop(sess, train, {n})
print("going", flush=True)
sess.run(train)
print("step", sess.run(step), flush=True)
"""
FIRST_LINE = "import npu_lab; npu_lab.activate(view=True)\n"
GOOD = (HEAD + TRAIN).format(
    batches=10**9, iterator="make_initializable_iterator", n=10
)
FAILURES = {
    "one-shot": (
        HEAD.format(batches=10**9, iterator="make_one_shot_iterator", n=10)
        + TRAIN.format(n=10).partition("\n")[2],
        "SINK009",
    ),
    "option": (
        HEAD.format(batches=1, iterator="make_initializable_iterator", n=0),
        "SINK032",
    ),
    "data": (
        (HEAD + TRAIN).format(batches=5, iterator="make_initializable_iterator", n=10),
        "OutOfRangeError",
    ),
}


class Process:
    """A script in a process of its own, with a temporary folder of its own."""

    def __init__(self, folder: Path, text: str, *, command: bool) -> None:
        self.temporary = folder / f"tmp{len(list(folder.iterdir()))}"
        self.temporary.mkdir()
        script = folder / "script.py"
        script.write_text(text if command else FIRST_LINE + text, encoding="utf-8")
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
        call = [sys.executable, *(["-m", "npu_lab", "run"] if command else []), script]
        self._process = subprocess.Popen(
            call,
            cwd=folder,
            env={
                **kept,
                "HOME": str(folder),
                "TMPDIR": str(self.temporary),
                "NPU_LAB_LANG": "en",
                "PYTHONPATH": str(ROOT),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, line: str) -> None:
        assert self._process.stdout
        assert line in self._process.stdout.readline()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str, str]:
        """Status, output and errors; it must end by itself."""
        out, err = self._process.communicate(timeout=120)
        return self._process.returncode, out, err

    @property
    def left(self) -> list[str]:
        """What it left in its temporary folder."""
        return sorted(path.name for path in self.temporary.iterdir())


@pytest.mark.parametrize("what", FAILURES)
def test_c15_a_failure_ends_with_a_traceback(tmp_path: Path, what: str) -> None:
    """The vendor's FAQ: `Fatal Python error: Aborted`."""
    text, told = FAILURES[what]
    failing = Process(tmp_path, text, command=False)
    status, _, errors = failing.end()
    assert status == 1, errors
    assert "Traceback (most recent call last)" in errors
    assert told in errors
    assert failing.left == []


def test_c15_a_second_start_works_after_a_failure(tmp_path: Path) -> None:
    text, _ = FAILURES["data"]
    status, _, errors = Process(tmp_path, text, command=False).end()
    assert status == 1, errors
    second = Process(tmp_path, GOOD, command=False)
    status, out, errors = second.end()
    assert (status, out.splitlines()[-1]) == (0, "step 10"), errors
    assert second.left == []


@pytest.mark.parametrize("command", [False, True], ids=["python", "npu-lab run"])
def test_c15_an_interrupted_process_leaves_nothing_behind(
    tmp_path: Path, command: bool
) -> None:
    """mindspore#279: Ctrl-C in a loop of a million steps, then a second start."""
    text = GOOD.replace("= 10\n", "= 1000000\n").replace(
        "train, 10)", "train, 1000000)"
    )
    running = Process(tmp_path, text, command=command)
    running.wait_for("going")
    time.sleep(2)
    running.interrupt()
    status, _, errors = running.end()
    # Python's own way to end after Ctrl-C; the command gives the shell's number for it.
    assert status == (130 if command else -signal.SIGINT)
    assert "KeyboardInterrupt" in errors
    announced = [name for name in running.left if name not in errors]
    assert announced == []
    assert len(running.left) == (1 if command else 0)

    status, out, errors = Process(tmp_path, GOOD, command=command).end()
    assert (status, out.splitlines()[-1]) == (0, "step 10"), errors
