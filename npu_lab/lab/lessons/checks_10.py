"""The checkers of lesson 10, with the solutions that are shown.

They play several ranks in this process: nothing is launched.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from npu_lab.lab.exercises import mistake, refuse_placeholder
from npu_lab.lab.lessons.texts_10 import (
    MEAN_MISTAKES,
    PART_MISTAKES,
    TABLE_MISTAKES,
    TRIPS_MISTAKES,
    WEIGHTS_MISTAKES,
)


def _extra(name: str) -> Any:
    """A part of the extra that this lesson is about, found when it is asked for."""
    return importlib.import_module(f"npu_lab.extras.distributed.{name}")


# --- the rank table

TABLE_SOLUTION = """\
rank_table = {
    "version": "1.0",
    "status": "completed",
    "server_count": "1",
    "server_list": [
        {
            "server_id": "lab-node-0",
            "device": [
                {"device_id": "2", "rank_id": "0"},
                {"device_id": "3", "rank_id": "1"},
            ],
        }
    ],
}"""

DEVICES = [2, 3]


def check_rank_table(table: Any) -> None:
    """Check it as a job would, then whether it is the table that was asked for."""
    refuse_placeholder(table)
    if not isinstance(table, dict):
        raise mistake(TABLE_MISTAKES, "no table", got=type(table).__name__)
    module = _extra("rank_table")
    try:
        entries = module.checked(table, "rank_table").entries
    except module.RankTableError as error:
        raise mistake(TABLE_MISTAKES, "refused", why=error) from error
    devices = [entry.device for entry in entries]
    if len(devices) != len(DEVICES) or len({entry.server_id for entry in entries}) > 1:
        raise mistake(TABLE_MISTAKES, "size", got=len(devices))
    if devices == DEVICES[::-1]:
        raise mistake(TABLE_MISTAKES, "order")
    if devices != DEVICES:
        raise mistake(TABLE_MISTAKES, "devices", got=devices)


# --- the mean of the gradients

MEAN_SOLUTION = """\
from npu_bridge.npu_init import *


def mean(gradient):
    return hccl_ops.allreduce(gradient, "sum") / get_rank_size()"""

GRADIENTS = {2: (3.0, 5.0), 4: (-6.0, 2.0, 10.0, 14.0)}


def check_mean(function: Callable[[Any], Any]) -> None:
    """Play two jobs, of two ranks and of four; `Wrong` unless all get the mean."""
    tf = importlib.import_module("npu_lab.tf1")
    if not callable(function):
        raise mistake(MEAN_MISTAKES, "no function")
    for size, gradients in GRADIENTS.items():
        facts: dict[str, Any] = {"size": size, "gradients": gradients}
        with tf.Graph().as_default():
            try:
                got = _played(size, lambda r: function(tf.constant(gradients[r])))  # noqa: B023
            except _extra("rehearsal").Unequal as error:
                raise mistake(MEAN_MISTAKES, "unequal", ranks=error) from error
        refuse_placeholder(got)
        found = [None if one is None else float(one) for one in got]
        facts["got"] = found
        wanted = sum(gradients) / size
        if found == [wanted] * size:
            continue
        if found == list(gradients):
            raise mistake(MEAN_MISTAKES, "own", **facts)
        if found == [g / size for g in gradients]:
            raise mistake(MEAN_MISTAKES, "own part", **facts)
        if found == [sum(gradients)] * size:
            raise mistake(MEAN_MISTAKES, "sum", **facts)
        if found == [sum(gradients) / 2] * size:
            raise mistake(MEAN_MISTAKES, "two", **facts)
        raise mistake(MEAN_MISTAKES, "other", wanted=wanted, **facts)


def _played(size: int, build: Callable[[int], Any], prepare: Any = None) -> Any:
    def built(rank: int) -> Any:
        made = build(rank)
        refuse_placeholder(made)
        return [] if made is None else made

    played = _extra("rehearsal").play(size, built, prepare)
    return [None if isinstance(one, list) and not one else one for one in played]


# --- the data of a rank

PART_SOLUTION = """\
from npu_bridge.npu_init import *


def own_part(dataset):
    return dataset.shard(get_rank_size(), get_rank_id())"""

ROWS = 24


def check_own_part(function: Callable[[Any], Any]) -> None:
    """Ask for the parts of two, three and four ranks; each row must be in just one."""
    tf = importlib.import_module("npu_lab.tf1")
    if not callable(function):
        raise mistake(PART_MISTAKES, "no function")
    for size in (2, 3, 4):
        parts = []
        for rank in range(size):
            with tf.Graph().as_default():
                dataset = tf.data.Dataset.range(ROWS)
                with _extra("rehearsal").acting(rank, size):
                    part = function(dataset)
                refuse_placeholder(part)
                if not isinstance(part, tf.data.Dataset):
                    raise mistake(PART_MISTAKES, "no dataset", got=type(part).__name__)
                try:
                    parts.append(_rows(tf, part))
                except tf.errors.InvalidArgumentError as error:
                    raise mistake(PART_MISTAKES, "refused", size=size) from error
        _check_parts(parts)


def _check_parts(parts: list[list[int]]) -> None:
    seen = [row for part in parts for row in part]
    facts = {"size": len(parts), "counts": [len(part) for part in parts]}
    if all(part == list(range(ROWS)) for part in parts):
        raise mistake(PART_MISTAKES, "all", **facts)
    if all(part == parts[0] for part in parts):
        raise mistake(PART_MISTAKES, "same", **facts)
    if len(set(seen)) < ROWS:
        raise mistake(PART_MISTAKES, "missing", count=ROWS - len(set(seen)), **facts)
    if len(seen) > ROWS:
        raise mistake(PART_MISTAKES, "twice", count=len(seen) - ROWS, **facts)


def _rows(tf: Any, dataset: Any) -> list[int]:
    """The rows of a dataset, of which there may be no end."""
    taken = dataset.take(2 * ROWS)
    get_next = tf.data.make_one_shot_iterator(taken).get_next()
    rows = []
    with tf.Session() as sess:
        while True:
            try:
                rows.append(int(sess.run(get_next)))
            except tf.errors.OutOfRangeError:
                return rows


# --- the weights of rank 0

WEIGHTS_SOLUTION = """\
from npu_bridge.npu_init import *


def same_weights(variables):
    values = hccl_ops.broadcast(list(variables), 0)
    return [tf.assign(v, value) for v, value in zip(variables, values)]"""


def check_same_weights(function: Callable[[Any], Any]) -> None:
    """Play three ranks with weights of their own; all must get those of rank 0."""
    tf = importlib.import_module("npu_lab.tf1")
    if not callable(function):
        raise mistake(WEIGHTS_MISTAKES, "no function")
    with tf.Graph().as_default():
        weights = [
            [tf.Variable([10.0 * rank, 1.0 + rank]), tf.Variable(7.0 - rank)]
            for rank in range(3)
        ]
        sizes = {}

        def build(rank: int) -> Any:
            made = function(weights[rank])
            refuse_placeholder(made)
            sizes[rank] = made
            # What is assigned is read afterwards.
            done = [] if made is None else [tf.group(made)]
            with tf.control_dependencies(done):
                return [variable.read_value() for variable in weights[rank]]

        try:
            played = _extra("rehearsal").play(3, build, tf.global_variables_initializer)
        except _extra("rehearsal").Unequal as error:
            raise mistake(WEIGHTS_MISTAKES, "unequal", ranks=error) from error
    if sizes[0] is None:
        raise mistake(WEIGHTS_MISTAKES, "nothing")
    found = [[one.tolist() for one in values] for values in played]
    own = [[[10.0 * rank, 1.0 + rank], 7.0 - rank] for rank in range(3)]
    for root in (1, 2):
        if found == [own[root]] * 3:
            raise mistake(WEIGHTS_MISTAKES, "root", root=root)
    if found == own:
        raise mistake(WEIGHTS_MISTAKES, "not assigned")
    if found != [own[0]] * 3:
        raise mistake(WEIGHTS_MISTAKES, "some", got=found[1], wanted=own[0])


# --- round trips

TRIPS_SOLUTION = """\
steps = 64_000 // (8 * 10)  # of each rank, in an epoch
round_trips = {1: 8 * steps, 10: 8 * steps // 10}"""
RANKS, TRIPS_ROWS, BATCH, N = 8, 64_000, 10, 10


def check_round_trips(answer: Any) -> None:
    """`Wrong` unless it is right for both N."""
    refuse_placeholder(answer)
    if not isinstance(answer, dict) or set(answer) != {1, N}:
        raise mistake(TRIPS_MISTAKES, "no dict")
    steps = TRIPS_ROWS // (RANKS * BATCH)
    known = {
        "each": (steps, steps // N),
        "not divided": (RANKS * RANKS * steps, RANKS * RANKS * steps // N),
        "n ignored": (RANKS * steps, RANKS * steps),
        "n squared": (RANKS * steps, RANKS * steps * N),
    }
    got = answer[1], answer[N]
    for key, wrong in known.items():
        if got == wrong:
            raise mistake(TRIPS_MISTAKES, key, one=got[0], ten=got[1])
    if got != (RANKS * steps, RANKS * steps // N):
        raise mistake(TRIPS_MISTAKES, "other", one=got[0], ten=got[1])
