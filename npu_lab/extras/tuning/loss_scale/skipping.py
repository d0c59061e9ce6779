"""Steps that are skipped: how an overflow is found, and what is done then.

The gradients are looked at, or the float status of the device.  Where a step is
skipped, weights, slots and global step stay as they are; the scale's manager is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.bridge import job
from npu_lab.device import counters, seam
from npu_lab.device.warn import Place, here, warn
from npu_lab.diagnostics import diagnose
from npu_lab.extras.tuning.loss_scale.managers import LossScaleManager
from npu_lab.extras.tuning.precision import status

v1 = tf.compat.v1

HOPELESS = 10
"""Steps skipped in a row, at a scale that cannot fall, until a warning is given."""


def scaled(loss: Any, scale: Any) -> Any:
    """The loss, or what a callable gives, times the scale."""
    value = loss() if callable(loss) else loss
    return value * tf.cast(scale, value.dtype.base_dtype)


def unscaled(pairs: Sequence[tuple[Any, Any]], scale: Any) -> list[tuple[Any, Any]]:
    """Gradients with their variables, times the reciprocal of the scale."""
    factor = tf.math.reciprocal(tf.convert_to_tensor(scale))

    def times(gradient: Any) -> Any:
        if gradient is None:
            return None
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values * tf.cast(factor, gradient.dtype)
            return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient * tf.cast(factor, gradient.dtype)

    return [(times(gradient), variable) for gradient, variable in pairs]


def by_status(gradients: Sequence[Any], *, distributed: bool, name: str) -> Any:
    """Whether no operator behind the gradients overflowed, by the float status.

    The status is cleared.  With `distributed` it is summed over the ranks.
    """
    with tf.control_dependencies(_dense(gradients)):
        flags = status.get()
    with tf.control_dependencies([flags]):
        cleared = status.clear()
    with tf.control_dependencies([cleared]):
        flags = tf.identity(flags)
    if distributed and (ranks := job.several("is_distributed")) is not None:
        flags = ranks.allreduce(flags, "sum")
    return tf.reduce_all(tf.equal(flags, 0), name=name)


def by_value(gradients: Sequence[Any]) -> Any:
    """Whether the gradients hold neither an infinity nor NaN."""
    finite = [tf.reduce_all(tf.math.is_finite(one)) for one in _dense(gradients)]
    return tf.reduce_all(tf.stack(finite))


def guarded(
    finite: Any,
    apply: Callable[[], Any],
    manager: LossScaleManager,
    name: str | None = None,
) -> Any:
    """An operation that calls `apply` where `finite` holds, and tells the manager."""
    watch = _Watch(manager)
    ahead = v1.get_collection_ref(v1.GraphKeys.TRAIN_OP)
    known = list(ahead)
    update = v1.cond(finite, lambda: tf.group(apply(), watch.applied()), watch.skipped)
    ahead[:] = known  # what is in a branch is no operation of this graph
    made = tf.group(update, manager.update_loss_scale(finite), name=name or "update")
    ahead.append(made)
    return made


def check_ranks(*, distributed: bool) -> None:
    """Say where `is_distributed` does not fit the number of ranks."""
    ranks = job.rank_size()
    if distributed != (ranks > 1):
        found = diagnose("SINK069", given=distributed, ranks=ranks)
        device = seam.active_device()
        warn(found) if device is None else device.report(found)


def _dense(gradients: Sequence[Any]) -> list[Any]:
    return [
        one.values if isinstance(one, tf.IndexedSlices) else one
        for one in gradients
        if one is not None
    ]


class _Watch:
    """Counts, in the graph, the steps skipped in a row, and warns where that is final.

    The count is in no collection, so that no initializer, saver or listing of the
    user's meets it; it starts by itself.
    """

    def __init__(self, manager: LossScaleManager) -> None:
        self._manager, self._place = manager, here()
        graph = v1.get_default_graph()
        with graph.name_scope(None):
            name = graph.unique_name("npu_lab/skipped", mark_as_used=False)
        self._count = counters.handle(graph, name, np.int32(0))

    def applied(self) -> Any:
        """An operation for a step that is applied."""
        return counters.assign(self._count, np.int32(0))

    def skipped(self) -> Any:
        """An operation for a step that is skipped."""
        before = v1.cond(
            tf.raw_ops.VarIsInitializedOp(resource=self._count),
            lambda: tf.raw_ops.ReadVariableOp(resource=self._count, dtype=tf.int32),
            lambda: tf.constant(0, tf.int32),
        )
        scale = tf.convert_to_tensor(self._manager.get_loss_scale())
        final = tf.logical_not(self._manager.lowered(scale) < scale)
        told = v1.cond(
            tf.equal(before + 1, HOPELESS) & final,
            lambda: tf.group(v1.py_func(_Warning(self._place), [scale], [])),
            tf.no_op,
        )
        return tf.group(counters.assign(self._count, before + 1), told)


class _Warning:
    """Called by the graph where no step will ever be applied again."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __call__(self, scale: Any) -> None:
        """Report it."""
        found = diagnose("SINK067", scale=f"{float(scale):g}", steps=HOPELESS)
        device = seam.active_device()
        if device is None:
            warn(found, self._place)
        else:
            device.report(found, self._place)
