"""Collectives in which each rank gives other data to each: by pairs, and all to all."""

from __future__ import annotations

import zlib
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import collectives, groups, ranks
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.groups import WORLD, WORLD_KEY, Group

ROWS = (0, 1)  # counts, displacements


def send(tensor: Any, sr_tag: int, dest_rank: int, group: str = WORLD) -> Any:
    """Send a tensor to one rank of a group, which must call `receive` for it.

    Args:
        tensor: of a shape that is known.
        sr_tag: the same number in both calls; equal ones meet in order.
        dest_rank: another rank of the group.
        group: of ranks.

    Returns:
        The tensor; to run it is to send.

    Raises:
        ValueError: an argument is wrong.
        TypeError: tensors of this type are not carried.
    """
    tensor = collectives._tensor("send", tensor, collectives.CARRIED)
    _check_shape("send", tensor.shape)
    found, own = _members("send", "dest_rank", dest_rank, group)

    def sent(carried: Any, key: Any) -> Any:
        return tf.raw_ops.CollectiveBcastSendV2(
            input=carried, communication_hint="auto", **key
        )

    return _between(tensor, sr_tag, found.ranks[own], found.ranks[dest_rank], sent)


def receive(
    shape: Any, data_type: Any, sr_tag: int, src_rank: int, group: str = WORLD
) -> Any:
    """The tensor that one rank of a group sends to this one by `send`.

    Args:
        shape: known in all dimensions, and as it is sent.
        data_type: as it is sent.
        sr_tag: the same number in both calls.
        src_rank: another rank of the group.
        group: of ranks.

    Raises:
        ValueError: an argument is wrong.
        TypeError: tensors of this type are not carried.
    """
    _check_shape("receive", tf.TensorShape(shape))
    like = tf.zeros(shape, data_type)
    like = collectives._tensor("receive", like, collectives.CARRIED)
    found, own = _members("receive", "src_rank", src_rank, group)

    def received(carried: Any, key: Any) -> Any:
        return tf.raw_ops.CollectiveBcastRecvV2(
            T=carried.dtype, shape=carried.shape, communication_hint="auto", **key
        )

    made = _between(like, sr_tag, found.ranks[src_rank], found.ranks[own], received)
    made.set_shape(shape)
    return made


def all_to_all_v(
    send_data: Any,
    send_counts: Any,
    send_displacements: Any,
    recv_counts: Any,
    recv_displacements: Any,
    group: str = WORLD,
) -> Any:
    """Give each rank of a group its part of a vector; return the parts for this one.

    Args:
        send_data: of one dimension.
        send_counts: how many elements each rank gets, by its number in the group.
        send_displacements: where they begin.
        recv_counts: how many come from each; another number fails the run.
        recv_displacements: where they are put in the result.
        group: of ranks.

    Raises:
        ValueError: an argument is wrong.
        TypeError: tensors of this type are not carried.
    """
    name = "all_to_all_v"
    data = collectives._tensor(name, send_data, collectives.CARRIED)
    found = groups.find(name, group)
    if data.shape.rank != 1:
        raise collectives._wrong(name, "send_data", data.shape, "vector")
    own = found.ranks.index(ranks.current().rank)
    sent, came = (
        tf.stack([tf.reshape(tf.cast(v, tf.int64), [found.size]) for v in pair])
        for pair in (
            (send_counts, send_displacements),
            (recv_counts, recv_displacements),
        )
    )
    # All of it goes to all, in vectors of one length, and each takes what is its own.
    longest = collectives.allreduce(tf.size(data)[tf.newaxis], "max", group=group)
    whole = tf.pad(data, [[0, longest[0] - tf.size(data)]])
    vectors = collectives.allgather(whole, found.size, group)
    vectors = tf.reshape(vectors, [found.size, -1])
    plans = collectives.allgather(sent[tf.newaxis], found.size, group)[:, :, own]
    expected = tf.debugging.assert_equal(
        plans[:, 0], came[0], message=text("counts", name=name)
    )
    with tf.control_dependencies([expected] if expected is not None else []):
        result = tf.zeros([tf.reduce_max(came[0] + came[1])], data.dtype)
    for number in range(found.size):
        count, begin = (plans[number, row] for row in ROWS)
        places = tf.range(count)[:, tf.newaxis] + came[1, number]
        part = vectors[number, begin : begin + count]
        result = tf.tensor_scatter_nd_update(result, places, part)
    return result


def all_to_all_v_c(
    send_data: Any,
    send_count_matrix: Any,
    rank: int,
    fusion: int = 0,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """As `all_to_all_v`, with the counts of all ranks, and nothing between the parts.

    Args:
        send_data: of one dimension.
        send_count_matrix: in row i and column j, how many elements j gets from i.
        rank: this one's number in the group.
        fusion: 0 or 2; nothing is fused here.
        fusion_id: of no effect.
        group: of ranks.

    Raises:
        ValueError, TypeError: as `all_to_all_v`.
    """
    name = "all_to_all_v_c"
    del fusion_id
    collectives._one_of(name, "fusion", fusion, (0, 2))
    found = groups.find(name, group)
    own = found.ranks.index(ranks.current().rank)
    collectives._one_of(name, "rank", rank, (own,))
    size = found.size
    counts = tf.reshape(tf.cast(send_count_matrix, tf.int64), [size, size])
    sent, came = counts[own], counts[:, own]
    begins, places = (tf.cumsum(row, exclusive=True) for row in (sent, came))
    return all_to_all_v(send_data, sent, begins, came, places, group)


def _members(name: str, argument: str, other: int, group: str) -> tuple[Group, int]:
    """The group, and this rank's number in it; `other` must be another."""
    found = groups.find(name, group)
    own = found.ranks.index(ranks.current().rank)
    others = tuple(number for number in range(found.size) if number != own)
    collectives._one_of(name, argument, other, others)
    return found, own


def _check_shape(name: str, shape: Any) -> None:
    if not shape.is_fully_defined():
        raise collectives._wrong(name, "shape", shape, "known shape")


def _between(tensor: Any, tag: int, source: int, target: int, build: Any) -> Any:
    """What `build` makes in a group of the two ranks alone."""
    what = f"from {source} to {target} tag {tag}"
    key = WORLD_KEY + 1 + zlib.crc32(f"{source} to {target}".encode()) % (2**31 - 3)
    pair = Group(what, (source, target), key)
    return collectives._carried(tensor, what, pair, build, counted=what)
