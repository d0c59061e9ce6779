"""Overflow detection: what is written when an operator overflows, and only then."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.tuning import dump
from tests.device import models
from tests.extras.tuning.dump.planted import BATCHES, Planted
from tests.extras.tuning.precision.runs import convolution, saturate

BIG = np.array([300, 2], np.float32)
SMALL = np.array([3, 2], np.float32)
DEBUG = {"enable_dump_debug": True, "precision_mode": "force_fp16"}


def _session(folder, **options):
    from npu_bridge.npu_init import util  # noqa: F401

    given = {**DEBUG, "dump_path": str(folder), **options}
    given = {key: value for key, value in given.items() if value is not None}
    return tf.Session(config=models.config(**given))


def _train(seed, folder, option):
    """Train a planted model over all its batches; return it."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        model = Planted(seed)
        given = {**DEBUG, "dump_path": str(folder)}
        with tf.Session(config=models.config(option, **given)) as session:
            session.run(tf.global_variables_initializer())
            session.run(model.iterator.initializer)
            train = model.train
            if option > 1:
                train = util.set_iteration_per_loop(session, train, option)
            for _ in range(BATCHES // option):
                session.run(train)
    return model


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_overflow_is_the_first_that_is_found(device, folder, seed):
    saturates, option = bool(seed % 2), (1, 5)[seed // 2 % 2]
    saturate(saturates)
    model = _train(seed, folder, option)
    found = dump.first_overflow(folder)
    assert found is not None
    assert (found.op_name, found.op_type) == ("planted", model.kind)
    assert found.step == model.at
    assert found.clean_inputs
    (output,) = found.outputs
    assert output.dtype == "float16"
    if saturates:
        assert np.abs(output.value).max() == 65504
    else:
        assert np.isinf(output.value).any()
    assert device.ledger.device_iterations == (BATCHES if option > 1 else 0)


def test_nothing_is_written_where_nothing_overflows(device, folder):
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2])
        y = x * x
        for _ in range(3):
            session.run(y, {x: SMALL})
        assert [*folder.iterdir()] == []
        assert dump.first_overflow(folder) is None
        session.run(y, {x: BIG})
        assert dump.first_overflow(folder).step == 3


def test_the_documented_tree(device, folder, monkeypatch):
    monkeypatch.setenv("ASCEND_DEVICE_ID", "3")
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2])
        session.run(tf.multiply(x, x, name="a/b"), {x: BIG})
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    )
    folder = r"\d{14}/3/ge_default_\d{14}_\d+/1/0/"
    patterns = [
        r"Mul\.a_b\.\d+\.\d+\.\d+\.input\.0\.npy",
        r"Mul\.a_b\.\d+\.\d+\.\d+\.input\.1\.npy",
        r"Mul\.a_b\.\d+\.\d+\.\d+\.json",
        r"Mul\.a_b\.\d+\.\d+\.\d+\.output\.0\.npy",
        r"Opdebug\.Node_Opdebug\.\d+\.\d+\.\d+\.json",
    ]
    assert len(names) == len(patterns)
    for name, pattern in zip(names, patterns, strict=True):
        assert re.fullmatch(folder + pattern, name), name


def test_a_dump_says_what_it_is(device, folder):
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2], name="x")
        session.run(tf.multiply(x, x, name="a/b"), {x: BIG})
    (found,) = dump.dumps(folder)
    assert found.op_name == "a/b"
    assert [t.name for t in found.inputs] == ["x:0", "x:0"]
    assert [t.dtype for t in found.inputs] == ["float16"] * 2
    np.testing.assert_array_equal(found.inputs[0].value, BIG.astype(np.float16))
    np.testing.assert_array_equal(found.outputs[0].value, [np.inf, 4])
    about = json.loads(found.path.read_text())
    assert about["overflow"] is True
    assert about["outputs"][0]["shape"] == [2]


def test_it_is_reported_once(device, folder):
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2])
        y = tf.multiply(x, x, name="square")
        for _ in range(3):
            session.run(y, {x: BIG})
    (found,) = [d for d in device.diagnostics if d.code == "SINK065"]
    assert (found.facts["operator"], found.facts["type"]) == ("square", "Mul")


def test_only_the_first_steps_that_overflow_are_kept(device, folder):
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2])
        y = x * x
        for number in range(30):
            session.run(y, {x: BIG if number % 2 else SMALL})
    assert [one.step for one in dump.dumps(folder)] == [*range(1, 20, 2)]


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("all", {"square", "total"}),
        ("aicore_overflow", {"square", "total"}),
        ("atomic_overflow", {"total"}),
    ],
)
def test_dump_debug_mode(device, folder, mode, found):
    with (
        tf.Graph().as_default(),
        _session(folder, dump_debug_mode=mode) as session,
    ):
        x = tf.placeholder(tf.float32, [2])
        square = tf.multiply(x, x, name="square")
        session.run(tf.reduce_sum(square, name="total"), {x: BIG})
    assert {one.op_name for one in dump.dumps(folder)} == found


def test_float32_that_overflows_is_found_without_any_mode(device, folder):
    with tf.Graph().as_default(), _session(folder, precision_mode=None) as session:
        x = tf.placeholder(tf.float32, [2])
        session.run(tf.multiply(x, 1e38, name="grown"), {x: BIG})
    found = dump.first_overflow(folder)
    assert (found.op_name, found.outputs[0].dtype) == ("grown", "float32")


def test_an_overflow_in_the_body_of_a_loop_is_found(device, folder):
    with tf.Graph().as_default(), _session(folder) as session:
        x = tf.placeholder(tf.float32, [2])

        def body(number, value):
            return number + 1, tf.multiply(value, value, name="inner")

        _, y = tf.while_loop(lambda number, _: number < 3, body, [0, x])
        session.run(y, {x: np.array([20, 1], np.float32)})
    found = dump.first_overflow(folder)
    assert re.fullmatch(r"while_body_\d+/inner_\d+", found.op_name)
    np.testing.assert_array_equal(found.inputs[0].value, [400, 1])


@pytest.mark.parametrize("option", [1, 10])
def test_a_convolution_with_batch_statistics_can_be_watched(device, folder, option):
    """Operators that keep something for their gradients, in a dump and without one."""
    given = {"dump_path": str(folder), "enable_dump_debug": True, "enable_dump": True}
    calls = [option] * (10 // option)
    dumped = models.train(convolution, calls, option=option, dump_step="3", **given)
    plain = models.train(convolution, calls, option=option)
    np.testing.assert_array_equal(dumped.weights, plain.weights)
    assert dump.first_overflow(folder) is None
    kinds = {one.op_type for one in dump.dumps(folder)}
    assert {"Conv2D", "FusedBatchNormV3", "FusedBatchNormGradV3", "MaxPool"} <= kinds
