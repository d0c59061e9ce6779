"""The collective operators, also outside of `tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.bridge.extra import extra
from npu_lab.extras.tf2 import seam
from npu_lab.extras.tf2._texts import text

WORLD = "hccl_world_group"


def _distributed(name: str) -> Any:
    found = extra("distributed")
    if found is None:
        raise NotImplementedError(text("no collectives", name=name))
    return found


def _carried_out(build: Callable[..., Any], *tensors: Any) -> Any:
    """What `build` makes of tensors, in a graph; TensorFlow's own has the gradients."""
    if not tf.executing_eagerly():
        return build(*tensors)
    with seam.bypassed():
        return tf.function(build, autograph=False)(*map(tf.convert_to_tensor, tensors))


def allreduce(
    tensor: Any,
    reduction: str,
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor over the ranks of a group; all of them get the result."""
    make = _distributed("allreduce").allreduce
    return _carried_out(lambda t: make(t, reduction, fusion, fusion_id, group), tensor)


def allgather(tensor: Any, rank_size: int, group: str = WORLD) -> Any:
    """The tensors of all ranks, one after the other along the first axis."""
    make = _distributed("allgather").allgather
    return _carried_out(lambda t: make(t, rank_size, group), tensor)


def broadcast(
    tensor: Any, root_rank: int, fusion: int = 2, fusion_id: int = 0, group: str = WORLD
) -> Any:
    """The tensors of one rank, a list, on all ranks."""
    make = _distributed("broadcast").broadcast
    return _carried_out(
        lambda *ts: make(list(ts), root_rank, fusion, fusion_id, group), *tensor
    )


def reduce_scatter(
    tensor: Any, reduction: str, rank_size: int, group: str = WORLD
) -> Any:
    """Reduce a tensor over the ranks; each gets its part of the first axis."""
    make = _distributed("reduce_scatter").reduce_scatter
    return _carried_out(lambda t: make(t, reduction, rank_size, group), tensor)


def reduce(
    tensor: Any,
    reduction: str,
    root_rank: int,
    fusion: int = 0,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor over the ranks for one of them; here all get the result."""
    make = _distributed("reduce").reduce
    options = (reduction, root_rank, fusion, fusion_id, group)
    return _carried_out(lambda t: make(t, *options), tensor)
