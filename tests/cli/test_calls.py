"""`npu-lab run --calls K`: the check before booking hardware."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import cli, report
from npu_lab.call_limit import CallLimit
from npu_lab.device import Device
from npu_lab.diagnostics import diagnose
from npu_lab.trace import Verdict
from tests.device import models

# A model on a Dataset, the documented configuration at N=10.
MODEL = """
import atexit, sys, threading
from npu_bridge.npu_init import *
import tensorflow as tf

atexit.register(print, "exit handler")
data = tf.data.Dataset.range(1000).repeat().batch(4, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(data)
x = tf.cast(iterator.get_next(), tf.float32)
w = tf.get_variable("w", [], tf.float32, tf.zeros_initializer())
step = tf.train.get_or_create_global_step()
loss = tf.reduce_mean((w - x) ** 2)
train = tf.train.GradientDescentOptimizer(1e-6).minimize(loss, global_step=step)

config = tf.ConfigProto()
npu = config.graph_options.rewrite_options.custom_optimizers.add()
npu.name = "NpuOptimizer"
npu.parameter_map["use_off_line"].b = True
npu.parameter_map["enable_data_pre_proc"].b = True
npu.parameter_map["iterations_per_loop"].i = 10
"""

MONITORED = """
loop = util.IterationPerLoop()
train = loop.create_iteration_per_loop_var(train)

class Watch(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        session.run(iterator.initializer)
        loop.load_iteration_per_loop_var(session, 10)
    def after_run(self, context, values):
        print("after a run")
    def end(self, session):
        print("end at step", session.run(step))

with tf.train.MonitoredTrainingSession(
    checkpoint_dir="saved", hooks=[Watch()], config=config
) as session:
    while not session.should_stop():
        try:
            session.run(train)
        except Exception:
            print("swallowed")
print("after the session")
"""

SUPERVISED = """
iterator_init = iterator.initializer
supervisor = tf.train.Supervisor(logdir="saved")
with supervisor.managed_session(config=config) as session:
    session.run(iterator_init)
    for number in range(5):
        try:
            session.run(train)
        except BaseException as stop:
            print("call", number, type(stop).__name__)
    session.run(loss)
print("stopped:", supervisor.should_stop())
sys.exit(7)
"""

IN_A_THREAD = """
session = tf.Session(config=config)
session.run(tf.global_variables_initializer())
session.run(iterator.initializer)
train = util.set_iteration_per_loop(session, train, 10)

def work():
    while True:
        session.run(train)

threading.Thread(target=work).start()
try:
    threading.Event().wait()
finally:
    print("main cleans up")
"""

# The main thread's calls are cut short by nobody, and it stops as well.
IN_TWO_THREADS = IN_A_THREAD.replace(
    "    threading.Event().wait()",
    "    while True:\n        session.run(train)",
)

FAILS = """
with tf.Session(config=config) as session:
    session.run(tf.global_variables_initializer())
    session.run(iterator.initializer)
    session.run(train)
sys.exit(5)
"""


def test_a_monitored_session_ends_as_on_success(
    npu_lab: Callable[..., Any], script: Callable[[str], Path], tmp_path: Path
) -> None:
    ran = npu_lab("run", "--calls", "3", script(MODEL + MONITORED))
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == [
        *["after a run"] * 3,
        "end at step 30",
        "exit handler",
    ]
    assert (tmp_path / "saved" / "model.ckpt-30.index").is_file()
    assert ran.report["exit"] == "ok"
    assert ran.report["error"] is None
    assert ran.report["training_calls"] == 3
    assert ran.report["device_iterations"] == 30
    assert ran.report["batches_pulled"] == 30
    assert "stopped after 3 training calls" in ran.err
    assert "check passed: every loop that was meant to sink did (1)" in ran.err
    assert "Traceback" not in ran.err


def test_a_loop_that_does_not_sink_is_status_1_and_a_stop_is_raised_again(
    npu_lab: Callable[..., Any], script: Callable[[str], Path]
) -> None:
    ran = npu_lab("run", "--calls", "2", script(MODEL + SUPERVISED))
    assert ran.status == 1, ran.err
    assert ran.out.splitlines() == [
        *(f"call {number} SystemExit" for number in (2, 3, 4)),
        "stopped: True",
        "exit handler",
    ]
    assert ran.report["exit"] == "ok"
    assert ran.report["training_calls"] == 2
    (line,) = [line for line in ran.err.splitlines() if "check failed" in line]
    assert "SINK006" in line
    assert "set_iteration_per_loop" in line


@pytest.mark.parametrize("body", [IN_A_THREAD, IN_TWO_THREADS])
def test_a_thread_that_trains_stops_the_whole_run(
    npu_lab: Callable[..., Any], script: Callable[[str], Path], body: str
) -> None:
    path = script(MODEL + body)
    ran = npu_lab("run", "--link-delay", "0.001", "--calls", "4", path)
    assert ran.status == 0, ran.err
    assert ran.out.splitlines() == ["main cleans up", "exit handler"]
    assert ran.report["training_calls"] == 4
    assert ran.report["device_iterations"] == 40
    assert "check passed" in ran.err
    assert "(injected)" in ran.err
    assert "Traceback" not in ran.err


def test_the_status_of_a_script_that_fails_by_itself_is_kept(
    npu_lab: Callable[..., Any], script: Callable[[str], Path]
) -> None:
    ran = npu_lab("run", "--calls", "2", script(MODEL + FAILS))
    assert ran.status == 5, ran.err
    assert ran.report["error"]["type"] == "SystemExit"
    assert "failed by itself after 1 training calls (--calls 2)" in ran.err
    assert "check failed" in ran.err


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", ""])
def test_calls_is_a_whole_number_of_1_or_more(
    value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", f"--calls={value}", __file__]) == 2
    assert "--calls" in capsys.readouterr().err


@pytest.fixture
def quiet_limit(device: Device) -> Iterator[Callable[[int], CallLimit]]:
    """A limit that leaves the main thread, which here is pytest's, alone."""

    def make(calls: int) -> CallLimit:
        limit = CallLimit(device, calls)
        limit.main_is_told = True
        return limit

    yield make
    device.before_call = lambda _: None


def test_training_calls_alone_are_limited(
    device: Device, quiet_limit: Callable[[int], CallLimit]
) -> None:
    limit = quiet_limit(2)
    with tf.Graph().as_default():
        model = models.softmax()
        with models.session(model, models.config()) as session:
            for _ in range(2):
                session.run(model.train)
            assert not limit.stopped
            verdicts = len(device.verdicts)
            for _ in range(2):
                with pytest.raises(SystemExit) as stop:
                    session.run(model.train)
                assert not stop.value.code
            assert limit.stopped
            assert session.run(model.step) == 2
            assert len(device.verdicts) == verdicts + 1
    assert device.ledger.training_calls == 2


def test_a_call_that_tensorflow_refuses_is_not_counted(
    device: Device, quiet_limit: Callable[[int], CallLimit]
) -> None:
    quiet_limit(2)
    with tf.Graph().as_default():
        model = models.softmax("fed")
        with models.session(model, models.config()) as session:
            good = model.feed(0)
            bad = {tensor: np.zeros([2, 3]) for tensor in good}
            for _ in range(3):
                with pytest.raises(ValueError, match="Cannot feed"):
                    session.run(model.train, bad)
            for _ in range(2):
                session.run(model.train, good)
            with pytest.raises(SystemExit):
                session.run(model.train, good)
    assert device.ledger.training_calls == 2


def test_threads_together_make_exactly_the_calls_that_are_let_through(
    device: Device, quiet_limit: Callable[[int], CallLimit]
) -> None:
    limit = quiet_limit(10)
    with tf.Graph().as_default():
        model = models.softmax()
        with models.session(model, models.config()) as session:
            session.run(model.train)

            def work() -> None:
                with contextlib.suppress(SystemExit):
                    while True:
                        session.run(model.train)

            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert limit.stopped
    assert device.ledger.training_calls == 10


def verdict(**how: Any) -> Verdict:
    usual: dict[str, Any] = {
        "fetches": ("train",), "trains": True, "iteration_op": False, "option": 1,
        "loaded": None, "state": "not in effect", "data": "fresh", "calls": 1,
    }  # fmt: skip
    return Verdict(**usual | how)


SINK029 = [diagnose("SINK029", op="IterationOp_1")]


@pytest.mark.parametrize(
    ("how", "fails"),
    [
        ({}, False),
        ({"option": 10}, True),
        ({"option": 10, "calls": 0}, False),
        ({"option": 10, "state": "built, not effective"}, True),
        ({"option": 10, "state": "in effect", "data": "repeated"}, False),
        ({"iteration_op": True, "loaded": 10}, True),
        ({"iteration_op": True, "loaded": 1}, False),
        ({"iteration_op": True}, True),
        ({"diagnostics": SINK029}, True),
    ],
)
def test_what_was_meant_to_sink_and_did_not(
    device: Device, how: dict[str, Any], *, fails: bool
) -> None:
    device.verdicts.append(verdict(**how))
    assert bool(report.unsunk(device)) is fails


def said(device: Device, calls: int, status: int = 0) -> list[str]:
    limit = CallLimit(device, calls)
    device.before_call = lambda _: None
    return report.check(device, limit, status)


def test_a_script_that_never_trained_is_said_to(device: Device) -> None:
    assert said(device, 3) == ["no training call was made: there was no loop to check"]


def test_a_script_that_ends_early_is_said_to_and_judged(device: Device) -> None:
    device.ledger.cross("training")
    device.verdicts.append(verdict())
    ended, passed = said(device, 3)
    assert ended == "the script ended by itself after 1 training calls (--calls 3)"
    assert passed == "check passed: nothing was meant to sink (N is 1)"


def test_a_failed_script_is_not_said_to_pass(device: Device) -> None:
    device.ledger.cross("training")
    device.verdicts.append(verdict(option=10, state="in effect"))
    assert len(said(device, 3, status=1)) == 1


def test_a_bad_loop_is_one_line_with_its_mend_in_the_readers_language(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = diagnose("SINK017", option=1, loaded=10)
    device.verdicts.append(verdict(iteration_op=True, loaded=10, diagnostics=[found]))
    device.verdicts.append(verdict(fetches=("other",), iteration_op=True))
    _, first, second = said(device, 3)
    assert found.mend in first
    assert "set_iteration_per_loop" in second
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    _, first, second = said(device, 3)
    assert found.mend in first
    assert first.startswith("检查未通过：train：循环本应下沉，却未生效。SINK017")
    assert "\n" not in first + second
