"""Optimizers that average gradients over ranks, and the means themselves.

The gradients of one call that have a type in common are averaged by one collective,
as the engine fuses them: a step then waits once for the other ranks, not once for each
variable.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.bridge import job
from npu_lab.extras.distributed import collectives, groups, ranks
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.groups import WORLD

v1 = tf.compat.v1

REDUCTIONS = ("mean", "sum", "max", "min", "prod")
PATCHED = ("compute_gradients", "get_gradients", "_compute_gradients")


_Optimizer: Any = v1.train.Optimizer


class DistributedOptimizer(_Optimizer):  # type: ignore[misc]
    """A `tf.train` optimizer whose gradients are averaged over all ranks.

    Everything else is the wrapped optimizer's.  Where weight updates are to be shared
    out, each rank makes all of them all the same: the weights are what they would be.

    Raises:
        ValueError: to share them out, DEVICE_ID is not set; when gradients are
            computed, they are fewer than the ranks.
    """

    def __init__(
        self,
        optimizer: Any,
        is_weight_update_sharding: bool = False,
        name: str | None = None,
    ) -> None:
        if is_weight_update_sharding and not os.environ.get("DEVICE_ID"):
            raise ValueError(text("no device"))
        self._optimizer, self._shared_out = optimizer, is_weight_update_sharding
        name = name or f"Distributed{type(optimizer).__name__}"
        super().__init__(use_locking=False, name=name)

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The wrapped optimizer's gradients, averaged."""
        pairs = self._optimizer.compute_gradients(*args, **kwargs)
        size = ranks.current().size
        if self._shared_out and len(pairs) < size:
            raise ValueError(text("few gradients", count=len(pairs), size=size))
        return _averaged(pairs, f"{self._name}_Allreduce")

    def apply_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer."""
        return self._optimizer.apply_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """As the wrapped optimizer."""
        return self._optimizer.variables()


def average_gradients(optimizer: Any) -> Any:
    """Let an optimizer, of `tf.train` or Keras, average its gradients; return it.

    It is changed in place, by a class of its own, so what is made of its configuration
    averages as well: a converted Keras model does.  Done twice, the mean is taken of
    means.
    """
    kind: Any = type(optimizer)
    scope = f"Distributed{kind.__name__}_Allreduce"
    methods: dict[str, Any] = {
        name: _averaging(getattr(kind, name), scope)
        for name in PATCHED
        if hasattr(kind, name)
    }
    about = {"__module__": kind.__module__, "__doc__": kind.__doc__}
    made: Any = type(kind)
    optimizer.__class__ = made(kind.__name__, (kind,), about | methods)
    return optimizer


def npu_allreduce(
    values: Any,
    reduction: str = "mean",
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor, or each of a list or tuple, over the ranks of a group.

    Args:
        values: tensors; None among them stays None.
        reduction: mean, which is the sum over the number of ranks in the environment,
            sum, max, min or prod.
        fusion: 0, 1 or 2; with 1, tensors of one type are carried together.
        fusion_id: of no effect.
        group: of ranks.

    Returns:
        A tensor for a tensor, else a list.

    Raises:
        ValueError: an argument is wrong.
        TypeError: tensors of a type are not reduced.
    """
    collectives._one_of("npu_allreduce", "reduction", reduction, REDUCTIONS)
    del fusion_id
    listed = isinstance(values, list | tuple)
    reduced = _reduced(values if listed else [values], reduction, fusion, group)
    return reduced if listed else reduced[0]


def _averaging(original: Any, scope: str) -> Any:
    def compute(*args: Any, **kwargs: Any) -> Any:
        return _averaged(original(*args, **kwargs), scope)

    return compute


def _averaged(gradients: Sequence[Any], scope: str) -> list[Any]:
    """The means of gradients, which may come with their variables in pairs."""
    job.read()  # as the adapter, which wants JOB_ID
    given = list(gradients)
    paired = bool(given) and isinstance(given[0], tuple)
    with tf.name_scope(scope):
        means = _reduced([g[0] for g in given] if paired else given, "mean")
    if not paired:
        return means
    return [(mean, pair[1]) for mean, pair in zip(means, given, strict=True)]


def _reduced(
    values: Sequence[Any], reduction: str, fusion: int = 1, group: str = WORLD
) -> list[Any]:
    size = ranks.current().size
    results: list[Any] = [None] * len(values)
    dense: dict[Any, list[int]] = {}
    for number, value in enumerate(values):
        if isinstance(value, tf.IndexedSlices) and reduction in {"mean", "sum"}:
            results[number] = _gathered(value, size, reduction, group)
        elif value is not None:
            together = tf.convert_to_tensor(value).dtype if fusion == 1 else number
            dense.setdefault(together, []).append(number)
    operation = "sum" if reduction == "mean" else reduction
    # The mean is over all ranks of the job, also where the group has fewer.
    divides = reduction == "mean" and groups.find("npu_allreduce", group).size == size
    for numbers in dense.values():
        tensors = [tf.convert_to_tensor(values[n]) for n in numbers]
        at_once = divides and tensors[0].dtype.is_floating
        final = "Div" if at_once else "Id"
        made = _together(tensors, operation, fusion, group, final)
        for number, reduced in zip(numbers, made, strict=True):
            apart = reduction == "mean" and not at_once
            mean = reduced / tf.cast(size, reduced.dtype) if apart else reduced
            results[number] = mean
    return results


def _together(
    tensors: Sequence[Any], reduction: str, fusion: int, group: str, final: str
) -> list[Any]:
    """Reduce tensors of one type by one collective."""
    if len(tensors) == 1:
        return [collectives.reduced(tensors[0], reduction, fusion, group, final=final)]
    flat = tf.concat([tf.reshape(t, [-1]) for t in tensors], axis=0)
    reduced = collectives.reduced(flat, reduction, fusion, group, final=final)
    parts = tf.split(reduced, [tf.size(t) for t in tensors])
    made = [tf.reshape(p, tf.shape(t)) for p, t in zip(parts, tensors, strict=True)]
    for new, tensor in zip(made, tensors, strict=True):
        new.set_shape(tensor.shape)
    return made


def _gathered(slices: Any, size: int, reduction: str, group: str) -> Any:
    """The rows of all ranks: to apply them is to apply their sum."""
    values = collectives.allgather(slices.values, size, group)
    if reduction == "mean":
        values /= tf.cast(size, values.dtype)
    indices = collectives.allgather(slices.indices, size, group)
    return tf.IndexedSlices(values, indices, slices.dense_shape)
