"""The loop size, the documented lines for each call, the log, and debug files."""

from __future__ import annotations

import logging
import re

import pytest

from npu_lab import hostlog
from npu_lab._tensorflow import tf
from npu_lab.extras.tf2.state import STATE
from tests.extras.tf2.loops import Small, silent, telling

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")


@pytest.fixture
def told(device2):
    lines = []
    device2.on_compiled = lines.append
    return lines


def contents(lines):
    return [line.partition("] ")[2] for line in lines]


# The size


def test_the_size_is_one_at_first(npu):
    assert npu
    assert STATE.loop_size == 1


def test_the_environment_is_read_at_the_import(device2, monkeypatch):
    import importlib

    del device2
    monkeypatch.setenv("NPU_LOOP_SIZE", "12")
    importlib.import_module("npu_device")
    assert STATE.loop_size == 12
    monkeypatch.setenv("NPU_LOOP_SIZE", "13")
    importlib.import_module("npu_device")
    assert STATE.loop_size == 12


@pytest.mark.parametrize("given", ["0", "-3", "many"])
def test_a_wrong_size_in_the_environment_is_an_error_line_and_one(
    device2, monkeypatch, caplog, given
):
    import importlib

    del device2
    monkeypatch.setenv("NPU_LOOP_SIZE", given)
    importlib.import_module("npu_device")
    assert STATE.loop_size == 1
    (record,) = [r for r in caplog.records if r.name == "npu_device"]
    assert record.levelno == logging.ERROR
    assert "NPU_LOOP_SIZE" in record.getMessage()


@pytest.mark.parametrize("given", [0, -1])
def test_a_wrong_size_is_an_error_line_and_ignored(npu, caplog, given):
    npu.set_npu_loop_size(7)
    npu.set_npu_loop_size(given)
    assert STATE.loop_size == 7
    assert [r.levelno for r in caplog.records] == [logging.ERROR]


def test_the_size_takes_effect_at_the_next_call(opened, device2):
    model = Small()
    loop = silent(model)
    for size in (2, 5, 1):
        opened.set_npu_loop_size(size)
        loop(model.iterator, tf.constant(size))
        assert device2.verdicts[-1].option == size
    assert int(model.seen) == 8


# Lines for each call


@pytest.mark.parametrize("make", [silent, telling])
def test_the_documented_lines_of_a_call(opened, told, make):
    model = Small()
    loop = make(model)
    opened.set_npu_loop_size(4)
    for _ in range(2):
        told.clear()
        loop(model.iterator, tf.constant(4))
        start, run, done = contents(told)
        name = re.fullmatch(r"Start consume iterator resource (\S+) 4 times", start)[1]
        assert run == "Start run ge graph 0 pin to cpu, loop size 4"
        expected = f"Iterator resource {name} consume 4 times done with status OK"
        assert done == expected


def test_the_verdict_keeps_the_lines_of_the_last_call(opened, device2, told):
    model = Small()
    loop = silent(model)
    opened.set_npu_loop_size(4)
    for _ in range(2):
        told.clear()
        loop(model.iterator, tf.constant(4))
    assert device2.verdicts[-1].messages == told


def test_a_call_that_fails_is_not_said_to_be_done(opened, told):
    model = Small(2)
    opened.set_npu_loop_size(4)
    with pytest.raises(tf.errors.OutOfRangeError):
        silent(model)(model.iterator, tf.constant(4))
    assert not any("done with status OK" in line for line in told)


def test_without_a_loop_there_are_no_lines(opened, told):
    model = Small()
    tf.function(lambda it: model.step(next(it)))(model.iterator)
    assert not told


def test_the_times_of_the_engine(opened, told, monkeypatch):
    monkeypatch.setenv("NPU_ENABLE_PERF", "true")
    model = Small()
    opened.set_npu_loop_size(4)
    silent(model)(model.iterator, tf.constant(4))
    pattern = r"Graph engine run 4 times for graph 0 cost \d+ us"
    assert re.fullmatch(pattern, contents(told)[-1])


def test_execution_detail(opened, told, monkeypatch):
    monkeypatch.setenv("NPU_DEBUG", "1")
    model = Small()
    silent(model)(model.iterator, tf.constant(1))
    assert "loop_train ge graph 0 execute in NPU_LOOP" in contents(told)


def test_graph_files(opened, monkeypatch, tmp_path):
    monkeypatch.setenv("NPU_DUMP_GRAPH", "true")
    monkeypatch.chdir(tmp_path)
    model = Small()
    silent(model)(model.iterator, tf.constant(1))
    (path,) = tmp_path.glob("*.pbtxt")
    assert "While" in path.read_text()


# The host log


def test_the_log_is_evidence_of_a_loop_of_the_device(opened, device2):
    model = Small()
    opened.set_npu_loop_size(4)
    silent(model)(model.iterator, tf.constant(4))
    evidence = hostlog.judge(hostlog.read(device2.log.folder))
    assert evidence.answer == "built"
    names = [r.message for r in hostlog.read(device2.log.folder)]
    assert any("while/IteratorGetNext_IteratorCtrl_StreamSwitch" in n for n in names)


def test_the_log_has_no_loop_for_the_other_modes(opened, device2):
    model = Small()
    opened.set_npu_loop_size(4)
    telling(model)(model.iterator, tf.constant(4))
    messages = [r.message for r in hostlog.read(device2.log.folder)]
    assert any("No need FlowCtrl for graph 0." in m for m in messages)
    assert not any("StreamSwitch" in m for m in messages)
