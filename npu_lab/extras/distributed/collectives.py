"""Collective operators, what scripts know as `hccl_ops`: TensorFlow's own.

They work in a plain run and in the sunk loop alike.  TensorFlow matches the operators
of the ranks by a key.  It is made of the operator's number in its graph and group, what
it does and the tensor's type and shape, so ranks that do not do the same never meet,
and fail by the timeout, rather than mix their numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorflow.python.framework import ops

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import alarm, groups, ranks
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.groups import WORLD, Group

v1 = tf.compat.v1

MERGE = {"sum": "Add", "max": "Max", "min": "Min", "prod": "Mul"}
CARRIERS = {
    tf.bool: tf.int32,
    tf.int8: tf.int32,
    tf.int16: tf.int32,
    tf.uint8: tf.int32,
    tf.uint16: tf.int32,
    tf.uint32: tf.int64,
    tf.bfloat16: tf.float32,
}
"""What a type is carried as where TensorFlow's collectives do not know it."""

REDUCED = (
    tf.int8,
    tf.int16,
    tf.int32,
    tf.int64,
    tf.float16,
    tf.float32,
    tf.bfloat16,
)
CARRIED = (*REDUCED, tf.float64, tf.bool, tf.uint8, tf.uint16, tf.uint32)
GRADIENT = "NpuLabAllReduce"
GROUP = "_npu_lab_group"
KINDS = (
    "CollectiveReduceV2",
    "CollectiveGatherV2",
    "CollectiveBcastSendV2",
    "CollectiveBcastRecvV2",
)


def allreduce(
    tensor: Any,
    reduction: str,
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor over the ranks of a group; all of them get the result.

    Args:
        tensor: of the same type and shape on each rank.
        reduction: sum, max, min or prod.
        fusion: 0, 1 or 2; nothing is fused here.
        fusion_id: of no effect.
        group: of ranks.

    Raises:
        ValueError: `reduction`, `fusion` or `group` is none of those there are.
        TypeError: tensors of this type are not reduced.
    """
    _one_of("allreduce", "reduction", reduction, tuple(MERGE))
    del fusion_id
    return reduced(tensor, reduction, fusion, group)


def reduced(
    tensor: Any, reduction: str, fusion: int = 1, group: str = WORLD, final: str = "Id"
) -> Any:
    """As `allreduce`; with `final` "Div", divided by the number of ranks in the group.

    Raises:
        ValueError, TypeError: as `allreduce`.
    """
    name = "allreduce"
    _one_of(name, "fusion", fusion, (0, 1, 2))
    tensor = _tensor(name, tensor, REDUCED)
    found = groups.find(name, group)
    if found.size == 1:
        return tf.identity(tensor)

    def build(carried: Any, key: Any) -> Any:
        graph = v1.get_default_graph()
        with graph.gradient_override_map({KINDS[0]: GRADIENT}):
            made = tf.raw_ops.CollectiveReduceV2(
                input=carried,
                merge_op=MERGE[reduction],
                final_op=final,
                communication_hint="auto",
                ordering_token=[],
                **key,
            )
        made.op._set_attr(GROUP, v1.AttrValue(s=group.encode()))
        return made

    return _carried(tensor, f"allreduce {reduction} {final}", found, build)


def allgather(
    tensor: Any,
    rank_size: int,
    group: str = WORLD,
    fusion: int = 0,
    fusion_id: int = -1,
) -> Any:
    """The tensors of all ranks of a group, one after the other along the first axis.

    Args:
        tensor: of one dimension or more, of the same type and shape on each rank.
        rank_size: the number of ranks in the group.
        group: of ranks.
        fusion: 0 or 2; nothing is fused here.
        fusion_id: of no effect.

    Raises:
        ValueError: the tensor is a scalar, or another argument is wrong.
        TypeError: tensors of this type are not carried.
    """
    name = "allgather"
    del fusion_id
    _one_of(name, "fusion", fusion, (0, 2))
    tensor = _tensor(name, tensor, CARRIED)
    if tensor.shape.rank == 0:
        raise _wrong(name, "tensor", tensor.shape, "scalar")
    found = _group(name, group, rank_size)
    if found.size == 1:
        return tf.identity(tensor)

    def gathered(carried: Any, key: Any) -> Any:
        return tf.raw_ops.CollectiveGatherV2(
            input=carried, communication_hint="auto", ordering_token=[], **key
        )

    made = _carried(tensor, "allgather", found, gathered)
    if tensor.shape.rank is not None:
        rows = tensor.shape[:1].num_elements()
        first = None if rows is None else rows * found.size
        made.set_shape([first, *tensor.shape[1:]])
    return made


def broadcast(
    tensor: Sequence[Any],
    root_rank: int,
    fusion: int = 2,
    fusion_id: int = 0,
    group: str = WORLD,
) -> list[Any]:
    """The tensors of one rank of a group, on all of its ranks.

    Args:
        tensor: a list of tensors, of the same types and shapes on each rank.
        root_rank: the rank in the group whose values are given.
        fusion: 0 or 2; nothing is fused here.
        fusion_id: of no effect.
        group: of ranks.

    Raises:
        ValueError: an argument is wrong.
        TypeError: `tensor` is no list, or tensors of a type are not carried.
    """
    name = "broadcast"
    del fusion_id
    if not isinstance(tensor, list | tuple):
        rule = text("a list")
        facts = {"name": name, "argument": "tensor", "given": tensor, "rule": rule}
        raise TypeError(text("argument", **facts))
    _one_of(name, "fusion", fusion, (0, 2))
    found = groups.find(name, group)
    _one_of(name, "root_rank", root_rank, tuple(range(found.size)))
    sends = found.ranks[root_rank] == ranks.current().rank

    def one(carried: Any, key: Any) -> Any:
        if sends:
            return tf.raw_ops.CollectiveBcastSendV2(
                input=carried, communication_hint="auto", **key
            )
        shape = tf.shape(carried)
        return tf.raw_ops.CollectiveBcastRecvV2(
            T=carried.dtype, shape=shape, communication_hint="auto", **key
        )

    results = []
    for given in tensor:
        made = _tensor(name, given, CARRIED)
        if found.size > 1:
            shape = made.shape
            made = _carried(_value(given, made), f"broadcast {root_rank}", found, one)
            made.set_shape(shape)
        results.append(made)
    return results


def reduce(
    tensor: Any,
    reduction: str,
    root_rank: int,
    fusion: int = 0,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor over the ranks of a group, for one of them.

    Here all of them get the result; on hardware it means nothing on the others.

    Raises:
        ValueError, TypeError: as `allreduce`; or `root_rank` is not in the group.
    """
    size = groups.find("reduce", group).size
    _one_of("reduce", "root_rank", root_rank, tuple(range(size)))
    return allreduce(tensor, reduction, fusion, fusion_id, group)


def reduce_scatter(
    tensor: Any,
    reduction: str,
    rank_size: int,
    group: str = WORLD,
    fusion: int = 0,
    fusion_id: int = -1,
) -> Any:
    """Reduce a tensor over the ranks of a group; each gets its part of the first axis.

    Args:
        tensor: its first dimension is a multiple of the number of ranks.
        reduction: sum, max, min or prod.
        rank_size: the number of ranks in the group.
        group: of ranks.
        fusion: 0 or 2; nothing is fused here.
        fusion_id: of no effect.

    Raises:
        ValueError, TypeError: as `allreduce`; or the tensor cannot be shared out.
    """
    name = "reduce_scatter"
    tensor = _tensor(name, tensor, REDUCED)
    found = _group(name, group, rank_size)
    rows = None if not tensor.shape.rank else tensor.shape[:1].num_elements()
    if rows is None or rows % found.size:
        raise _wrong(name, "tensor", tensor.shape, "divides", size=found.size)
    whole = allreduce(tensor, reduction, fusion, fusion_id, group)
    own, part = found.ranks.index(ranks.current().rank), rows // found.size
    return whole[own * part : (own + 1) * part]


def _carried(
    tensor: Any,
    what: str,
    group: Group,
    build: Callable[[Any, Any], Any],
    counted: str = "",
) -> Any:
    """What `build` makes of a tensor, and of the operator's key, in a type it knows.

    The operators of a group in one graph are numbered, those `counted` apart by
    themselves: what other groups do must not change the numbers.
    """
    graph = v1.get_default_graph()
    while getattr(graph, "outer_graph", None) is not None:
        graph = graph.outer_graph
    numbers = graph._npu_lab_collectives = getattr(graph, "_npu_lab_collectives", {})
    counted = counted or group.name
    number = numbers[counted] = numbers.get(counted, 0) + 1
    told = f"{number} {what} {tensor.dtype.name} {tensor.shape}"
    key = {
        "group_size": group.size,
        "group_key": group.key,
        "instance_key": zlib.crc32(told.encode()) % (2**31 - 1),
    }
    carrier = CARRIERS.get(tensor.dtype, tensor.dtype)
    carried = tf.cast(tensor, carrier)
    made = alarm.noted(graph, carried, lambda given: build(given, key))
    return tf.cast(made, tensor.dtype)


def _value(given: Any, tensor: Any) -> Any:
    """The tensor; for a variable that has no value yet, zeros: `overwritten` warns."""
    shape = tensor.shape
    if not (hasattr(given, "is_initialized") and shape.is_fully_defined()):
        return tensor
    zeros = partial(tf.zeros, shape, tensor.dtype)
    return tf.cond(given.is_initialized(), given.read_value, zeros)


def _tensor(name: str, given: Any, dtypes: Sequence[Any]) -> Any:
    tensor = tf.convert_to_tensor(given)
    if tensor.dtype.base_dtype not in dtypes:
        rule = text("dtype", choices=", ".join(d.name for d in dtypes))
        facts = {"argument": "tensor", "given": tensor.dtype.name, "rule": rule}
        raise TypeError(text("argument", name=name, **facts))
    return tensor


def _group(name: str, group: str, rank_size: int) -> Group:
    found = groups.find(name, group)
    if rank_size != found.size:
        facts = {"group": group, "size": found.size}
        raise _wrong(name, "rank_size", rank_size, "group size", **facts)
    return found


def _one_of(name: str, argument: str, given: Any, choices: Sequence[Any]) -> None:
    if given not in choices:
        listed = ", ".join(map(str, choices))
        raise _wrong(name, argument, repr(given), "one of", choices=listed)


def _wrong(
    name: str, argument: str, given: object, rule: str, **facts: object
) -> ValueError:
    told = {"name": name, "argument": argument, "given": given}
    return ValueError(text("argument", rule=text(rule, **facts), **told))


def _gradient(operation: Any, gradient: Any) -> list[Any]:
    group = operation.get_attr(GROUP).decode()
    final = operation.get_attr("final_op").decode()
    return [reduced(gradient, "sum", group=group, final=final), None, None, None]


ops.RegisterGradient(GRADIENT)(_gradient)
