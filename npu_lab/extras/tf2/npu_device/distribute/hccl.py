"""Collectives for training on several workers; with one worker they do nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.tf2 import seam
from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.npu_device.distribute import hccl_ops
from npu_lab.extras.tf2.state import STATE

WORLD = "hccl_world_group"


def _workers() -> int:
    """How many workers train together; 1 before `as_default`."""
    handle = STATE.handle
    if handle is None or not seam.is_default() or not handle.is_cluster_worker():
        return 1
    return int(handle.workers_num)


def all_reduce(
    values: Any,
    reduction: str = "mean",
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Reduce a tensor, or each of a list, over the workers; None stays None.

    Args:
        values: a tensor or a list of them.
        reduction: mean, sum, max, min or prod.  A mean of integers is float64.
        fusion: 0, 1 or 2; nothing is fused here.
        fusion_id: of no effect.
        group: of ranks.

    Returns:
        As `values`; with one worker, or before `as_default`, `values` itself.
    """
    workers = _workers()
    if workers == 1:
        return values

    def reduced(value: Any) -> Any:
        if value is None:
            return None
        how = "sum" if reduction == "mean" else reduction
        total = hccl_ops.allreduce(value, how, fusion, fusion_id, group)
        if reduction != "mean":
            return total
        if total.dtype.is_floating:
            return total * tf.cast(1.0 / workers, total.dtype)
        return total / workers

    return tf.nest.map_structure(reduced, values)


def broadcast(
    values: Any,
    root_rank: int = 0,
    fusion: int = 2,
    fusion_id: int = 0,
    group: str = WORLD,
) -> None:
    """Give a variable, or each of a list, the value that it has on one worker.

    Args:
        values: variables, which are assigned in place.
        root_rank: the worker whose values are given.
        fusion: 0 or 2; nothing is fused here.
        fusion_id: of no effect.
        group: of ranks.
    """
    if _workers() == 1:
        return
    for variable in values if isinstance(values, list | tuple) else [values]:
        given = hccl_ops.broadcast([variable], root_rank, fusion, fusion_id, group)
        variable.assign(given[0])


def npu_distributed_keras_optimizer_wrapper(
    optimizer: Any,
    reduce_reduction: str = "mean",
    fusion: int = 1,
    fusion_id: int = -1,
    group: str = WORLD,
) -> Any:
    """Let a Keras optimizer reduce gradients over the workers before it applies them.

    Args:
        optimizer: an optimizer, or its name as `keras.optimizers.get` takes it.
        reduce_reduction: as the `reduction` of `all_reduce`.
        fusion: as there.
        fusion_id: as there.
        group: as there.

    Returns:
        The same optimizer; `get_gradients` stays as it is, as in the vendor's source.
    """
    if isinstance(optimizer, str | dict):
        optimizer = tf.keras.optimizers.get(optimizer)
    stock = optimizer.apply_gradients

    def apply_gradients(grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        options = (reduce_reduction, fusion, fusion_id, group)
        gradients = all_reduce([g for g, _ in pairs], *options)
        variables = [v for _, v in pairs]
        return stock(zip(gradients, variables, strict=True), *args, **kwargs)

    optimizer.apply_gradients = apply_gradients
    return optimizer


def shard_and_rebatch_dataset(dataset: Any, global_bs: int) -> tuple[Any, int]:
    """This worker's part of a dataset, and its part of the batch size.

    It does not batch.  With one worker both come back as they are.

    Raises:
        ValueError: the workers do not share the batch out evenly.
    """
    workers = _workers()
    if workers == 1:
        return dataset, global_bs
    if global_bs % workers:
        raise ValueError(text("not divisible", batch=global_bs, workers=workers))
    return dataset.shard(workers, STATE.handle.worker_id), global_bs // workers


def grouping_gradients_apply(
    apply_func: Callable[..., Any], grads_and_vars: Any, *args: Any, **kwargs: Any
) -> Any:
    """Apply the gradients of those variables only that are this worker's share."""
    pairs = list(grads_and_vars)
    workers = _workers()
    if workers == 1:
        return apply_func(pairs, *args, **kwargs)
    own = STATE.handle.worker_id
    share = [pair for i, pair in enumerate(pairs) if i % workers == own]
    return apply_func(share, *args, **kwargs)


def grouping_broadcast(variables: Sequence[Any]) -> None:
    """Give each variable the value of the worker whose share it is."""
    workers = _workers()
    for index, variable in enumerate(variables if workers > 1 else ()):
        broadcast(variable, index % workers)


def npu_callbacks_append(callbacks_list: Any = None) -> list[Any]:
    """The callbacks with NPUBroadcastGlobalVariablesCallback(0) after them."""
    from npu_lab.extras.tf2.npu_device.distribute.npu_callbacks import (
        NPUBroadcastGlobalVariablesCallback,
    )

    callbacks = callbacks_list or []
    if not isinstance(callbacks, list):
        callbacks = [callbacks]
    callbacks.append(NPUBroadcastGlobalVariablesCallback(0))
    return callbacks


def broadcast_keras_model(model: Any, root_rank: int = 0) -> Any:
    """Broadcast the trainable variables of a model; returns the model."""
    broadcast(model.trainable_variables, root_rank)
    return model


def npu_broadcast_scope_wrapper(strategy: Any) -> Any:
    """Let Keras models that are compiled in a strategy's scope start alike.

    Their trainable variables are broadcast once, before the first `fit`, which raises
    ValueError where a model has none yet.  With one worker nothing is changed.
    """
    stock = strategy.scope

    @contextlib.contextmanager
    def scope() -> Iterator[Any]:
        kind = tf.keras.Model
        compile_before = kind.compile

        def compiled(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = compile_before(self, *args, **kwargs)
            self.fit = _broadcast_first(self, self.fit)
            return result

        kind.compile = compiled
        try:
            with stock() as inside:
                yield inside
        finally:
            kind.compile = compile_before

    if _workers() > 1:
        strategy.scope = scope
    return strategy


def _broadcast_first(model: Any, fit: Callable[..., Any]) -> Callable[..., Any]:
    def fit_alike(*args: Any, **kwargs: Any) -> Any:
        if not model.built:
            raise ValueError(text("not built", model=model.name))
        broadcast_keras_model(model)
        model.fit = fit
        return fit(*args, **kwargs)

    return fit_alike
