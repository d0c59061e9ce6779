"""Random operators keep one stream, whatever runs them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config

SHAPES = [[], [3], [4, 5], [0], [1000]]
KINDS = {
    "uniform": lambda shape, dtype: tf.random_uniform(shape, dtype=dtype, seed=11),
    "normal": lambda shape, dtype: tf.random_normal(shape, dtype=dtype, seed=11),
    "truncated": lambda shape, dtype: tf.truncated_normal(shape, dtype=dtype, seed=11),
}


def draw(kind: str, shape: Any, dtype: Any, n: int, calls: int) -> list[Any]:
    with tf.Graph().as_default():
        value = KINDS[kind](shape, dtype)
        other = value * 2
        with tf.Session(config=config(n)) as opened:
            return [
                opened.run([value, other] if i % 2 else value)[0]
                if i % 2
                else opened.run(value)
                for i in range(calls)
            ]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_twin_draws_what_the_operator_draws(
    device: Device, kind: str, shape: list[int], dtype: str
) -> None:
    twin = draw(kind, shape, dtype, 10, 4)
    npu_lab.deactivate()
    stock = draw(kind, shape, dtype, 1, 4)
    for mine, theirs in zip(twin, stock, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_shape_that_changes_from_call_to_call(device: Device) -> None:
    def numbers(n: int) -> list[Any]:
        with tf.Graph().as_default():
            shape = tf.placeholder(tf.int32, [1])
            value = tf.random_normal(shape, seed=4)
            with tf.Session(config=config(n)) as opened:
                return [opened.run(value, {shape: [k]}) for k in (3, 7, 1, 3)]

    twin = numbers(10)
    npu_lab.deactivate()
    for mine, theirs in zip(twin, numbers(1), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_two_sessions_have_a_stream_each(device: Device) -> None:
    with tf.Graph().as_default():
        value = tf.random_uniform([2], seed=9)
        first, second = tf.Session(config=config(5)), tf.Session(config=config(5))
        a = [first.run(value), first.run(value)]
        b = [second.run(value), second.run(value)]
    np.testing.assert_array_equal(a, b)


def test_unseeded_operators_are_left_alone(device: Device) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.random_uniform([2])
        with tf.Session(config=config(5)) as opened:
            opened.run(value)
        assert not [o for o in graph.get_operations() if "Stateless" in o.type]
