"""Ranks played in one process: their collectives give what those of real ones give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.bridge.estimator.npu.npu_optimizer import npu_allreduce
from npu_lab.bridge.hccl import hccl_ops
from npu_lab.bridge.hccl.manage.api import get_rank_id, get_rank_size
from npu_lab.device import Device
from npu_lab.extras.distributed import collectives, groups, ranks, rehearsal


def played(size: int, build: Any, prepare: Any = None) -> list[Any]:
    with tf.Graph().as_default():
        return rehearsal.play(size, build, prepare)


@pytest.mark.parametrize(
    ("reduction", "value"), [("sum", 6.0), ("max", 3.0), ("min", 1.0), ("prod", 6.0)]
)
def test_a_reduction(device: Device, reduction: str, value: float) -> None:
    def build(rank: int) -> Any:
        return hccl_ops.allreduce(tf.constant(rank + 1.0), reduction)

    assert played(3, build) == [value] * 3


def test_a_list_is_averaged_in_one(device: Device) -> None:
    def build(rank: int) -> Any:
        return npu_allreduce([tf.constant([2.0 * rank]), tf.constant(4.0 * rank)])

    assert played(2, build) == [[np.array([1.0]), 2.0]] * 2


def test_each_knows_its_rank(device: Device) -> None:
    def build(rank: int) -> Any:
        assert get_rank_id() == rank
        return tf.constant(get_rank_size())

    assert played(2, build) == [2, 2]


def test_what_one_gives_the_next_may_take(device: Device) -> None:
    def build(rank: int) -> Any:
        total = hccl_ops.allreduce(tf.constant(1.0 + rank), "sum")
        return hccl_ops.allreduce(total + rank, "max")

    assert played(2, build) == [4.0, 4.0]


def test_a_broadcast_reaches_the_variables(device: Device) -> None:
    def build(rank: int) -> Any:
        weight = tf.Variable(10.0 * rank + 5)
        done = tf.assign(weight, hccl_ops.broadcast([weight], 1)[0])
        with tf.control_dependencies([done]):
            return weight.read_value()

    assert played(3, build, tf.global_variables_initializer) == [15.0] * 3


@pytest.mark.parametrize("reduction", ["sum", "max"])
def test_ranks_that_do_not_do_the_same(device: Device, reduction: str) -> None:
    def build(rank: int) -> Any:
        if reduction == "sum" and rank:
            return tf.constant(0.0)
        return hccl_ops.allreduce(tf.constant(0.0), reduction if rank else "sum")

    with pytest.raises(rehearsal.Unequal, match=r"rank 0: \['allreduce sum'\]; rank 1"):
        played(2, build)


def test_afterwards_all_is_as_before(device: Device) -> None:
    before = ranks._current[:], groups._set_up[:], hccl_ops.allreduce

    def fail(rank: int) -> Any:
        raise RuntimeError(str(rank))

    with pytest.raises(RuntimeError, match="0"):
        played(2, fail)
    assert (ranks._current, groups._set_up, hccl_ops.allreduce) == before
    assert collectives.allreduce is hccl_ops.allreduce
