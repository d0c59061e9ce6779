"""What collectives and groups refuse, and what they are on one rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.extras.distributed import (
    alarm,
    collectives,
    exchange,
    groups,
    optimizers,
    ranks,
    segments,
)
from npu_lab.extras.distributed.rank_table import Entry, RankTable


@pytest.fixture(autouse=True)
def _set_up(device: Device) -> Iterator[None]:
    ranks.forget()
    groups.forget()
    groups.set_up(True)
    with tf.Graph().as_default():
        yield
    ranks.forget()
    groups.forget()


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is rank 2 of four, two on each of two servers."""
    entries = [Entry(n, f"10.0.0.{n // 2}", n % 2, "host") for n in range(4)]
    known = ranks.Ranks(2, RankTable(tuple(entries)), ())
    monkeypatch.setattr(ranks, "current", lambda: known)


def test_on_one_rank_each_collective_gives_what_it_got() -> None:
    value = np.array([1.0, 2.0], np.float32)
    made = [
        collectives.allreduce(value, "prod"),
        collectives.allgather(value, 1),
        *collectives.broadcast([value], 0),
        collectives.reduce(value, "max", 0),
        collectives.reduce_scatter(value, "sum", 1),
        optimizers.npu_allreduce(value),
        *optimizers.npu_allreduce((value, value)),
    ]
    with tf.Session() as session:
        for got in session.run(made):
            assert got.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: collectives.allreduce(t, "mean"), "reduction is 'mean'.*sum, max"),
        (lambda t: collectives.allreduce(t, "sum", 3), "fusion is 3"),
        (lambda t: collectives.allreduce(t, "sum", group="x"), "'x' does not exist"),
        (lambda t: collectives.allgather(t, 2), "rank_size is 2.*has 4 ranks"),
        (lambda t: collectives.allgather(t[0], 4), "at least one dimension"),
        (lambda t: collectives.allgather(t, 4, fusion=1), "fusion is 1"),
        (lambda t: collectives.broadcast([t], 4), "root_rank is 4"),
        (lambda t: collectives.reduce(t, "sum", -1), "root_rank is -1"),
        (lambda t: collectives.reduce_scatter(t[:3], "sum", 4), "divide by 4"),
        (lambda t: collectives.reduce_scatter(t[0], "sum", 4), "divide by 4"),
        (lambda t: optimizers.npu_allreduce(t, "average"), "reduction is 'average'"),
    ],
)
def test_a_wrong_argument_is_named(four: None, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(tf.zeros([4]))


@pytest.mark.parametrize("dtype", [tf.float64, tf.uint8, tf.bool, tf.string])
def test_types_that_are_not_reduced_are_refused(four: None, dtype: Any) -> None:
    with pytest.raises(TypeError, match=f"tensor is {dtype.name}, but collectives"):
        collectives.allreduce(tf.placeholder(dtype, [2]), "sum")


def test_a_broadcast_wants_a_list(four: None) -> None:
    with pytest.raises(TypeError, match="must be a list"):
        collectives.broadcast(tf.zeros([2]), 0)


def keys(*calls: Any) -> list[int]:
    with tf.Graph().as_default() as graph:
        for call in calls:
            call()
        kinds = collectives.KINDS
        found = [o for o in graph.get_operations() if o.type in kinds]
        return [int(tf.get_static_value(o.inputs[-1])) for o in found]


def test_operators_meet_only_what_does_the_same(four: None) -> None:
    def reduced(what: str = "sum", size: int = 3, dtype: Any = tf.float32) -> Any:
        return lambda: collectives.allreduce(tf.zeros([size], dtype), what)

    assert keys(reduced(), reduced()) == keys(reduced(), reduced())
    others = [reduced("max"), reduced(size=4), reduced(dtype=tf.int32)]
    firsts = [keys(other)[0] for other in (reduced(), *others)]
    assert len({*firsts, keys(reduced(), reduced())[1]}) == 5


def test_one_collective_carries_all_gradients_of_a_type(four: None) -> None:
    values = [tf.zeros([2, 3]), None, tf.zeros([4]), tf.zeros([], tf.float16)]
    reduced = optimizers.npu_allreduce(values)
    graph = tf.get_default_graph()
    made = [o for o in graph.get_operations() if o.type == "CollectiveReduceV2"]
    assert [o.outputs[0].shape.as_list() for o in made] == [[10], []]
    assert [None if r is None else r.shape.as_list() for r in reduced] == [
        [2, 3],
        None,
        [4],
        [],
    ]
    optimizers.npu_allreduce(values, fusion=0)
    made = [o for o in graph.get_operations() if o.type == "CollectiveReduceV2"]
    assert len(made) == 5


def test_the_timeout_of_a_graph_is_the_one_of_its_session(four: None) -> None:
    graph = tf.get_default_graph()
    assert alarm.limit_of(graph) == 10
    alarm.limit(graph, 30)
    assert alarm.limit_of(graph) == 30
    alarm.limit(graph, None)
    assert alarm.limit_of(graph) == 10


def test_no_collective_has_a_timeout_of_tensorflow(four: None) -> None:
    collectives.allreduce(tf.zeros([2]), "sum")
    collectives.broadcast([tf.zeros([2])], 0)
    collectives.allgather(tf.zeros([2]), 4)
    operations = tf.get_default_graph().get_operations()
    found = [o for o in operations if o.type in collectives.KINDS]
    # With one, each execution would keep a thread asleep for as long.
    assert [o.get_attr("timeout_seconds") for o in found] == [0, 0, 0]


class TestGroups:
    def test_this_rank_knows_where_it_is(self, four: None) -> None:
        assert (groups.get_rank_id(), groups.get_rank_size()) == (2, 4)
        assert (groups.get_local_rank_id(), groups.get_local_rank_size()) == (0, 2)
        groups.create_group("odd", 3, [1, 2, 3])
        assert (groups.get_rank_id("odd"), groups.get_rank_size("odd")) == (1, 3)
        assert groups.get_local_rank_id("odd") == 0
        assert groups.get_world_rank_from_group_rank("odd", 2) == 3
        assert groups.get_group_rank_from_world_rank(3, "odd") == 2
        with pytest.raises(ValueError, match="'odd' does not have rank 3"):
            groups.get_world_rank_from_group_rank("odd", 3)
        with pytest.raises(ValueError, match="'odd' does not have rank 0"):
            groups.get_group_rank_from_world_rank(0, "odd")
        groups.destroy_group("odd")
        with pytest.raises(ValueError, match=r"get rank id error.*'odd' does not"):
            groups.get_rank_id("odd")

    @pytest.mark.parametrize(
        ("name", "count", "members", "message"),
        [
            ("hccl_world_group", 4, [0, 1, 2, 3], "neither made nor destroyed"),
            ("x" * 128, 1, [2], "1 to 127 bytes"),
            ("", 1, [2], "1 to 127 bytes"),
            ("a", 2, [2], r"rank_num 2 and rank_ids \[2\]"),
            ("a", 2, [3, 2], "ascending"),
            ("a", 2, [2, 2], "ascending"),
            ("a", 2, [2, 4], "of the 4"),
            ("a", 0, [], "ascending"),
        ],
    )
    def test_a_wrong_group_is_refused(
        self, four: None, name: str, count: int, members: list[int], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            groups.create_group(name, count, members)

    def test_a_group_is_made_once_and_destroyed_once(self, four: None) -> None:
        groups.create_group("a", 1, [2])
        with pytest.raises(ValueError, match="exists already"):
            groups.create_group("a", 1, [2])
        groups.destroy_group("a")
        with pytest.raises(ValueError, match="does not exist"):
            groups.destroy_group("a")
        with pytest.raises(ValueError, match="neither made nor destroyed"):
            groups.destroy_group("hccl_world_group")

    def test_nothing_is_known_before_the_set_up(self, four: None) -> None:
        groups.set_up(False)
        for query in (groups.get_rank_id, groups.get_rank_size):
            with pytest.raises(ValueError, match=r"get rank \w+ error. ret\[.*first"):
                query()
        with pytest.raises(ValueError, match=r"create group error. ret\["):
            groups.create_group("a", 1, [2])


def test_weight_updates_that_are_shared_out_give_the_same(
    four: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOB_ID", "10086")
    monkeypatch.delenv("DEVICE_ID", raising=False)
    inner = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="needs DEVICE_ID"):
        optimizers.DistributedOptimizer(inner, is_weight_update_sharding=True)
    monkeypatch.setenv("DEVICE_ID", "0")
    made = optimizers.DistributedOptimizer(inner, is_weight_update_sharding=True)
    weights = [tf.get_variable(f"w{n}", initializer=1.0) for n in range(4)]
    assert len(made.compute_gradients(tf.add_n(weights), weights)) == 4
    with pytest.raises(ValueError, match="shares 3 gradients among 4 ranks"):
        made.compute_gradients(tf.add_n(weights), weights[:3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: exchange.send(t, 1, 2), "dest_rank is 2.*one of 0, 1, 3"),
        (lambda t: exchange.send(t, 1, 4), "dest_rank is 4"),
        (lambda t: exchange.send(tf.placeholder(tf.float32), 1, 0), "must be known"),
        (lambda t: exchange.receive([2], tf.float32, 1, 2), "src_rank is 2"),
        (lambda t: exchange.receive([None], tf.float32, 1, 0), "must be known"),
        (lambda t: exchange.all_to_all_v(t[0], *[[1] * 4] * 4), "one dimension"),
        (lambda t: exchange.all_to_all_v_c(t, [[1] * 4] * 4, 1), "rank is 1.*of 2"),
        (lambda t: exchange.all_to_all_v_c(t, [[1] * 4] * 4, 2, 1), "fusion is 1"),
    ],
)
def test_a_wrong_exchange_is_named(four: None, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(tf.zeros([4]))


@pytest.mark.parametrize("given", [[], [3, 1], [1, 1], [-1, 2], [0.5]])
def test_segments_ascend(given: list[float]) -> None:
    segments.set_split_strategy_by_idx([0, 3, 7])
    with pytest.raises(ValueError, match=r"idxList is .* ascending"):
        segments.set_split_strategy_by_idx(given)


@pytest.mark.parametrize("given", [[], [60, 41], [-1, 101], [12.5] * 7 + [6, 6.5]])
def test_segments_make_a_hundred(given: list[float]) -> None:
    segments.set_split_strategy_by_size([96.54, 3.46])
    with pytest.raises(ValueError, match=r"dataSizeList is .* that make 100"):
        segments.set_split_strategy_by_size(given)
    with pytest.raises(ValueError, match="'x' does not exist"):
        segments.set_split_strategy_by_size([100], group="x")


def test_another_device_of_the_strategy_is_refused() -> None:
    from npu_lab.extras.distributed import NPUStrategy

    with pytest.raises(ValueError, match=r'NPUStrategy: device is /gpu:0.*"/cpu:0"'):
        NPUStrategy("/gpu:0")
    assert NPUStrategy().num_replicas_in_sync == 1
