"""Answers to the exercises of lesson 10: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (one signature each, names that tell)

from __future__ import annotations

import os
from typing import Any

import npu_lab.tf1 as tf
from npu_lab.bridge import npu_init

bridge: Any = npu_init
hccl_ops, npu_allreduce = bridge.hccl_ops, bridge.npu_allreduce
get_rank_id, get_rank_size = bridge.get_rank_id, bridge.get_rank_size


def table(*devices: tuple[str, str], **changed: Any) -> dict[str, Any]:
    listed = [{"device_id": d, "rank_id": r} for d, r in devices]
    return {
        "version": "1.0",
        "status": "completed",
        "server_count": "1",
        "server_list": [{"server_id": "lab-node-0", "device": listed}],
        **changed,
    }


RIGHT = ("2", "0"), ("3", "1")
RIGHT_TABLES = (table(*RIGHT), table(*RIGHT[::-1]))
WRONG_TABLES = (
    ("refused", table(*RIGHT, status="initializing")),
    ("refused", table(*RIGHT, server_count="2")),
    ("refused", table(*RIGHT, server_count=1)),
    ("refused", table(("2", "1"), ("3", "2"))),
    ("refused", table(("2", "0"), ("2", "1"))),
    ("size", table(("2", "0"))),
    ("order", table(("3", "0"), ("2", "1"))),
    ("devices", table(("0", "0"), ("1", "1"))),
    ("no table", "rank_table.json"),
)


def mean(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient, "sum") / get_rank_size()


def mean_of_parts(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient / get_rank_size(), "sum")


def mean_by_default(gradient: Any) -> Any:
    return npu_allreduce(gradient)


def own(gradient: Any) -> Any:
    return gradient


def own_divided(gradient: Any) -> Any:
    return gradient / get_rank_size()


def total(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient, "sum")


def half(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient, "sum") / 2


def largest(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient, "max")


def only_rank_0(gradient: Any) -> Any:
    if get_rank_id() == 0:
        return hccl_ops.allreduce(gradient, "sum") / get_rank_size()
    return gradient


def by_name(gradient: Any) -> Any:
    return hccl_ops.allreduce(gradient, "mean")


RIGHT_MEANS = (mean, mean_of_parts, mean_by_default)
WRONG_MEANS = (
    ("own", own),
    ("own part", own_divided),
    ("sum", total),
    ("two", half),
    ("other", largest),
    ("unequal", only_rank_0),
    ("raised", by_name),
    ("no function", "mean"),
)


def part(dataset: Any) -> Any:
    return dataset.shard(get_rank_size(), get_rank_id())


def part_by_filter(dataset: Any) -> Any:
    size, rank = get_rank_size(), get_rank_id()
    return dataset.filter(lambda row: tf.equal(row % size, rank))


def everything(dataset: Any) -> Any:
    return dataset


def first_part(dataset: Any) -> Any:
    return dataset.shard(get_rank_size(), 0)


def of_two(dataset: Any) -> Any:
    return dataset.shard(2, get_rank_id() % 2)


def ten_each(dataset: Any) -> Any:
    return dataset.skip(5 * get_rank_id()).take(5)


def swapped(dataset: Any) -> Any:
    return dataset.shard(get_rank_id(), get_rank_size())


def only_id(dataset: Any) -> Any:
    return get_rank_id()


RIGHT_PARTS = (part, part_by_filter)
WRONG_PARTS = (
    ("all", everything),
    ("same", first_part),
    ("twice", of_two),
    ("missing", ten_each),
    ("refused", swapped),
    ("no dataset", only_id),
    ("no function", 2),
)


def broadcast(variables: Any) -> Any:
    values = hccl_ops.broadcast(list(variables), 0)
    return [tf.assign(v, value) for v, value in zip(variables, values, strict=True)]


def one_by_one(variables: Any) -> Any:
    done = [tf.assign(v, hccl_ops.broadcast([v], 0)[0]) for v in variables]
    return tf.group(*done)


def from_own_rank(variables: Any) -> Any:
    values = hccl_ops.broadcast(list(variables), get_rank_id())
    return [tf.assign(v, value) for v, value in zip(variables, values, strict=True)]


def from_rank_1(variables: Any) -> Any:
    values = hccl_ops.broadcast(list(variables), 1)
    return [tf.assign(v, value) for v, value in zip(variables, values, strict=True)]


def values_only(variables: Any) -> Any:
    return hccl_ops.broadcast(list(variables), 0)


def only_first(variables: Any) -> Any:
    return tf.assign(variables[0], hccl_ops.broadcast([variables[0]], 0)[0])


def not_on_rank_0(variables: Any) -> Any:
    return broadcast(variables) if get_rank_id() else tf.no_op()


def forgets_return(variables: Any) -> Any:
    broadcast(variables)


def no_list(variables: Any) -> Any:
    return [tf.assign(v, hccl_ops.broadcast(v, 0)) for v in variables]


RIGHT_WEIGHTS = (broadcast, one_by_one)
WRONG_WEIGHTS = (
    ("unequal", from_own_rank),
    ("root", from_rank_1),
    ("not assigned", values_only),
    ("some", only_first),
    ("unequal", not_on_rank_0),
    ("nothing", forgets_return),
    ("raised", no_list),
    ("no function", os.environ),
)

RIGHT_TRIPS = ({1: 6400, 10: 640}, {1: 6400.0, 10: 640.0})
WRONG_TRIPS = (
    ("each", {1: 800, 10: 80}),
    ("not divided", {1: 51200, 10: 5120}),
    ("n ignored", {1: 6400, 10: 6400}),
    ("n squared", {1: 6400, 10: 64000}),
    ("other", {1: 64, 10: 6}),
    ("no dict", (6400, 640)),
)
