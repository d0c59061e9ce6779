"""Optimizers that scale the loss, and skip the steps that overflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.bridge import job
from npu_lab.extras.tuning.loss_scale import skipping
from npu_lab.extras.tuning.loss_scale._texts import text
from npu_lab.extras.tuning.loss_scale.managers import (
    FixedLossScaleManager,
    LossScaleManager,
)
from npu_lab.extras.tuning.precision import saturation

v1 = tf.compat.v1

Pairs = Sequence[tuple[Any, Any]]
_Optimizer: Any = v1.train.Optimizer


class _Wrapper(_Optimizer):  # type: ignore[misc]
    """Everything that it does not have itself is the wrapped optimizer's."""

    def __init__(self, opt: Any, name: str) -> None:
        if not isinstance(opt, _Optimizer):
            facts = {"name": type(self).__name__, "given": repr(opt)}
            raise ValueError(text("no optimizer", **facts))  # noqa: TRY004
        super().__init__(use_locking=False, name=name)
        self._opt = opt

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """As the wrapped optimizer."""
        return self._opt.variables()

    def __getattr__(self, name: str) -> Any:
        if name == "_opt":  # asked for before there is one
            raise AttributeError(name)
        return getattr(self._opt, name)


class NPULossScaleOptimizer(_Wrapper):
    """Scales the loss, and skips the steps that overflow, the global step with them.

    In INF/NaN mode a step overflows where a gradient is not finite, else where the
    float status of the device is set.  The order of wrapping on several ranks is
    ``NPULossScaleOptimizer(npu_tf_optimizer(opt), manager, is_distributed=True)``.

    Args:
        opt: an optimizer of `tf.train`.
        loss_scale_manager: of the scale.
        is_distributed: whether a step is skipped on all ranks together; it must be
            False on one.
    """

    def __init__(
        self,
        opt: Any,
        loss_scale_manager: LossScaleManager,
        is_distributed: bool = False,
    ) -> None:
        # The adapter makes this name of an imported module, not of its class.
        super().__init__(opt, "NPULossScaleOptimizermodule")
        self._loss_scale_manager = loss_scale_manager
        self._is_distributed = is_distributed
        skipping.check_ranks(distributed=is_distributed)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the loss, computed from the scaled loss."""
        scale = tf.convert_to_tensor(self._loss_scale_manager.get_loss_scale())
        scaled = skipping.scaled(loss, scale)
        pairs = self._opt.compute_gradients(scaled, *args, **kwargs)
        return skipping.unscaled(pairs, scale)

    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Apply them, and count `global_step`, where nothing overflowed."""
        pairs = _some(grads_and_vars)
        with tf.name_scope(self._name):
            finite = self._finite([gradient for gradient, _ in pairs])
        return skipping.guarded(
            finite,
            lambda: self._opt.apply_gradients(pairs, global_step),
            self._loss_scale_manager,
            name,
        )

    def _finite(self, gradients: Sequence[Any]) -> Any:
        if saturation.is_inf_nan_enabled():
            return skipping.by_value(gradients)
        manager = self._loss_scale_manager
        if isinstance(manager, FixedLossScaleManager):  # noqa: SIM102
            if not manager.get_enable_overflow_check():
                return tf.constant(True)
        return skipping.by_status(
            gradients,
            distributed=self._is_distributed,
            name="overflow_status_reduce_all",
        )


class NPUOptimizer(_Wrapper):
    """Averages gradients over ranks, scales the loss, and skips steps that overflow.

    Whether a step overflows is always told by the float status of the device, in
    INF/NaN mode too.

    Args:
        opt: an optimizer of `tf.train`.
        loss_scale_manager: of the scale, where the loss is scaled.
        is_distributed: whether gradients are averaged over all ranks.
        is_loss_scale: whether the loss is scaled.
        is_tailing_optimization: whether the status is read before the gradients are
            averaged; only with `is_distributed`.
        name: of its operations, by default `NPUOptimizer` with that of the class of
            `opt`.

    Raises:
        ValueError: `is_loss_scale` without a manager, or `is_tailing_optimization`
            without `is_distributed`.
    """

    def __init__(
        self,
        opt: Any,
        loss_scale_manager: LossScaleManager | None = None,
        is_distributed: bool = False,
        is_loss_scale: bool = False,
        is_tailing_optimization: bool = False,
        name: str | None = None,
    ) -> None:
        if is_loss_scale and loss_scale_manager is None:
            raise ValueError(text("no manager"))
        if is_tailing_optimization and is_loss_scale and not is_distributed:
            raise ValueError(text("tailing"))
        super().__init__(opt, name or f"NPUOptimizer{type(opt).__name__}")
        self._loss_scale_manager = loss_scale_manager if is_loss_scale else None
        self._is_distributed = is_distributed
        self._is_tailing_optimization = is_tailing_optimization
        self._finite: Any = None
        if is_loss_scale:
            skipping.check_ranks(distributed=is_distributed)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the loss, averaged over ranks where that is asked for."""
        manager = self._loss_scale_manager
        if manager is None:
            return self._averaged(self._opt.compute_gradients(loss, *args, **kwargs))
        scale = tf.convert_to_tensor(manager.get_loss_scale())
        scaled = skipping.scaled(loss, scale)
        pairs = self._opt.compute_gradients(scaled, *args, **kwargs)
        if self._is_tailing_optimization:
            self._finite = self._told([gradient for gradient, _ in pairs])
        return skipping.unscaled(self._averaged(pairs), scale)

    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Apply them; with a loss scale only where nothing overflowed."""
        manager = self._loss_scale_manager
        if manager is None:
            return self._opt.apply_gradients(grads_and_vars, global_step, name)
        pairs = _some(grads_and_vars)
        with tf.name_scope(self._name):
            finite = self._finite
            if finite is None:
                finite = self._told([gradient for gradient, _ in pairs])
        return skipping.guarded(
            finite,
            lambda: self._opt.apply_gradients(pairs, global_step),
            manager,
            name,
        )

    def _told(self, gradients: Sequence[Any]) -> Any:
        return skipping.by_status(
            gradients, distributed=self._is_distributed, name="overflow_status"
        )

    def _averaged(self, pairs: Pairs) -> Pairs:
        ranks = job.several("NPUOptimizer") if self._is_distributed else None
        if ranks is None:
            return pairs
        with tf.name_scope(f"{self._name}_Allreduce"):
            means = ranks.npu_allreduce([gradient for gradient, _ in pairs])
        return [(mean, pair[1]) for mean, pair in zip(means, pairs, strict=True)]


def _some(grads_and_vars: Pairs) -> list[tuple[Any, Any]]:
    """The pairs, of which one has a gradient at least."""
    pairs = list(grads_and_vars)
    if all(gradient is None for gradient, _ in pairs):
        names = ", ".join(variable.name for _, variable in pairs)
        raise ValueError(text("no gradients", variables=names))
    return pairs
