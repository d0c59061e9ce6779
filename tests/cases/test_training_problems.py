"""Problems that people met in public, each with the outcome the lab owes them."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab import hostlog, plan
from npu_lab.device import Device
from npu_lab.diagnostics import NpuLabWarning
from tests.device.models import BATCH, Model, config, mlp, session, softmax


def pulled_per_call(sunk: bool) -> list[int]:
    """Sums of 0, 1, 2, ... over three passes, for three calls."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(100))
        total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
        add = tf.assign_add(total, iterator.get_next()).op
        with tf.Session(config=config(3, enable_data_pre_proc=sunk)) as opened:
            opened.run(tf.global_variables_initializer())
            opened.run(iterator.initializer)
            add = util.set_iteration_per_loop(opened, add, 3)
            sums, before = [], 0
            for _ in range(3):
                opened.run(add)
                now = int(opened.run(total))
                sums.append(now - before)
                before = now
    return sums


def test_a02_get_next_inside_the_loop_pulls_each_iteration(device: Device) -> None:
    assert pulled_per_call(sunk=True) == [3, 12, 21]


@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
def test_a02_get_next_outside_the_loop_repeats_a_batch(device: Device) -> None:
    assert pulled_per_call(sunk=False) == [0, 3, 6]
    assert device.ledger.host_batches == 3


def one_call(device: Device, option: int, setter: int | None, run: str = "sunk") -> Any:
    """(steps and batches of one call, markers, texts of the warnings before it)."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(option)) as opened:
            train = model.train
            if setter is not None:
                sunk = util.set_iteration_per_loop(opened, model.train, setter)
                train = sunk if run == "sunk" else model.train
            pulled = device.ledger.batches_pulled
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                opened.run(train)
            texts = [str(w.message) for w in caught if w.category is NpuLabWarning]
            delta = int(opened.run(model.step))
    return delta, device.ledger.batches_pulled - pulled, hostlog.judge().markers, texts


@pytest.mark.parametrize(
    ("option", "setter", "delta", "numbers"),
    [(10, None, 1, (10, 1)), (1, 10, 1, (1, 10)), (10, 5, 5, (10, 5))],
)
def test_a04_loop_size_in_one_place_only(
    device: Device,
    option: int,
    setter: int | None,
    delta: int,
    numbers: tuple[int, int],
) -> None:
    steps, pulled, markers, texts = one_call(device, option, setter)
    assert steps == pulled == delta
    assert bool(markers) is (delta > 1)
    (text,) = texts
    for number in numbers:
        assert str(number) in text.split()[1:] or f"{number}" in text


def test_a04_equal_numbers_are_in_effect(device: Device) -> None:
    steps, pulled, markers, texts = one_call(device, 10, 10)
    assert steps == pulled == 10
    assert markers
    assert texts == []


def test_a04_the_original_operation_runs_one_step(device: Device) -> None:
    steps, pulled, markers, texts = one_call(device, 10, 10, run="original")
    assert steps == pulled == 1
    assert markers == 0
    assert len(texts) == 1
    assert "SINK001" in texts[0]


def test_a05_calls_divided_by_n(device: Device) -> None:
    from npu_bridge.npu_init import util

    calls = plan.calls(60, 10)
    with tf.Graph().as_default():
        model = softmax()
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            for _ in range(calls):
                opened.run(train)
            assert opened.run(model.step) == 60
    assert calls == device.ledger.training_calls == 6
    assert device.ledger.batches_pulled == 60


@pytest.mark.parametrize("build", [softmax, mlp])
def test_a05_fed_graph_is_warned_of_and_told(device: Device, build: Any) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        model: Model = build("fed")
        with session(model, config(10)) as opened:
            train = util.set_iteration_per_loop(opened, model.train, 10)
            with pytest.warns(NpuLabWarning, match=r"feed_dict.*Dataset"):
                opened.run(train, model.feed(0))
            assert opened.run(model.step) == 10
    verdict = next(v for v in device.verdicts if v.iteration_op)
    assert verdict.data == "repeated"
    assert device.ledger.batches_pulled == 0
    assert "10" in verdict.because
    assert BATCH


A07 = """
import os, sys
level = {level!r}
if level and {when!r} == "before":
    os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = level
import npu_lab
npu_lab.activate(view=True)
from npu_bridge.npu_init import *
if level and {when!r} == "after":
    os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = level
data = tf.data.Dataset.range(100)
iterator = tf.data.make_initializable_iterator(data)
total = tf.get_variable("total", [], tf.int64, tf.zeros_initializer())
add = tf.assign_add(total, iterator.get_next()).op
config = tf.ConfigProto()
custom = config.graph_options.rewrite_options.custom_optimizers.add()
custom.name = "NpuOptimizer"
custom.parameter_map["use_off_line"].b = True
custom.parameter_map["enable_data_pre_proc"].b = True
custom.parameter_map["iterations_per_loop"].i = 4
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    add = util.set_iteration_per_loop(sess, add, 4)
    sess.run(add)
    assert sess.run(total) == 6
from npu_lab import hostlog
evidence = hostlog.judge()
print(evidence.answer, "|", evidence.markers, "|", evidence.because, evidence.mend)
"""


@pytest.mark.parametrize(
    ("level", "when", "answer", "says"),
    [
        (None, "before", "cannot tell", "ASCEND_GLOBAL_LOG_LEVEL"),
        ("1", "before", "built", ""),
        ("1", "after", "cannot tell", "late"),
        ("3", "before", "cannot tell", "ASCEND_GLOBAL_LOG_LEVEL"),
    ],
)
def test_a07_marker_not_found_in_the_log(
    tmp_path: Path, level: str | None, when: str, answer: str, says: str
) -> None:
    import os

    kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    done = subprocess.run(
        [sys.executable, "-c", A07.format(level=level, when=when)],
        env={**kept, "HOME": str(tmp_path), "NPU_LAB_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    given, markers, text = (
        part.strip() for part in done.stdout.splitlines()[-1].split("|", 2)
    )
    assert given == answer
    assert (int(markers) > 0) is (answer == "built")
    assert says in text
