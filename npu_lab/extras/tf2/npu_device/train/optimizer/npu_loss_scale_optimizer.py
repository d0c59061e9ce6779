"""Loss scaling for saturation mode, where an overflow leaves no infinity to be seen."""

from __future__ import annotations

from typing import Any

from tf_keras.src.mixed_precision import loss_scale_optimizer as keras_scaling

from npu_lab._tensorflow import tf
from npu_lab.extras.tf2 import seam
from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.npu_device.distribute.hccl import all_reduce
from npu_lab.extras.tf2.state import STATE

LARGEST = 3.4e38
LAST_STEP_FINITE = "npu_last_step_finite"


def _saturates() -> bool:
    """Whether the device is in use and in saturation mode."""
    return seam.is_default() and not STATE.inf_nan


class _State(keras_scaling._DynamicLossScaleState):  # type: ignore[misc]
    """The scale, as Keras keeps it; in saturation mode the workers agree first."""

    last_step_finite: Any

    def update(self, grads: Any) -> tuple[Any, Any]:
        if not _saturates():
            return super().update(grads)
        finite = _finite(tf.nest.flatten(grads))
        told = self.last_step_finite.assign(finite)
        with tf.control_dependencies([told] if not tf.executing_eagerly() else []):
            changed = tf.cond(finite, self._grow, self._shrink)
        return changed, finite

    def _grow(self) -> Any:
        """Count a finite step; after `growth_steps` of them the scale grows."""

        def grown() -> Any:
            scale = self.current_loss_scale
            larger = tf.where(
                scale < LARGEST / self.multiplier, scale * self.multiplier, scale
            )
            return tf.group(scale.assign(larger), self.counter.assign(0))

        def counted() -> Any:
            return tf.group(self.counter.assign_add(1))

        return tf.cond(self.counter + 1 >= self.growth_steps, grown, counted)

    def _shrink(self) -> Any:
        """After an overflow the scale is halved at once, down to 1."""
        smaller = tf.maximum(self.current_loss_scale / self.multiplier, 1)
        return tf.group(self.counter.assign(0), self.current_loss_scale.assign(smaller))


def _finite(gradients: list[Any]) -> Any:
    """Whether no worker had an overflow: the status of all of them, summed."""
    finite = keras_scaling._is_all_finite(gradients)
    overflows = all_reduce(tf.cast(tf.logical_not(finite), tf.float32), "sum")
    return tf.equal(overflows, 0)


def _take_over(optimizer: Any) -> None:
    """Let the scale of a new optimizer follow the device's mode, if it changes."""
    scale = optimizer._loss_scale
    if isinstance(scale, keras_scaling._DynamicLossScaleState):
        scale.__class__ = _State
        scale.last_step_finite = scale._add_weight(LAST_STEP_FINITE, True, tf.bool)


class _Metaclass(keras_scaling.LossScaleOptimizerMetaclass):  # type: ignore[misc]
    """Makes the kind that goes with the optimizer, the legacy one or the new one."""

    def __call__(self, inner_optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if self is not NpuLossScaleOptimizer:
            return super().__call__(inner_optimizer, *args, **kwargs)
        stock = keras_scaling.BaseLossScaleOptimizer
        legacy = isinstance(inner_optimizer, tf.keras.optimizers.legacy.Optimizer)
        if not legacy and not isinstance(
            inner_optimizer, tf.keras.optimizers.Optimizer
        ):
            return stock(inner_optimizer, *args, **kwargs)  # which says what is wrong
        return (_Legacy if legacy else _New)(inner_optimizer, *args, **kwargs)


class NpuLossScaleOptimizer(
    keras_scaling.BaseLossScaleOptimizer,  # type: ignore[misc]
    metaclass=_Metaclass,
):
    """`tf.keras.mixed_precision.LossScaleOptimizer` for the device.

    Args:
        inner_optimizer: a Keras optimizer.
        dynamic: whether the scale changes.
        initial_scale: at first; by default 2**15.
        dynamic_growth_steps: finite steps until it doubles; by default 2000.

    In saturation mode (`set_device_sat_mode(0)`) a step with an overflow on any worker
    is not applied, yet counted in `iterations`, and `last_step_finite` tells of it.
    Otherwise, and without the device, all is as in Keras.

    Raises:
        TypeError, ValueError: as Keras.
    """


class _Legacy(keras_scaling.LossScaleOptimizer, NpuLossScaleOptimizer):  # type: ignore[misc]
    def __init__(self, inner_optimizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(inner_optimizer, *args, **kwargs)
        _take_over(self)

    @property
    def last_step_finite(self) -> Any:
        """Whether the last step was without overflow, a variable; None: not known."""
        return getattr(self._loss_scale, "last_step_finite", None)


class _New(keras_scaling.LossScaleOptimizerV3, NpuLossScaleOptimizer):  # type: ignore[misc]
    def __init__(self, inner_optimizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(inner_optimizer, *args, **kwargs)
        _take_over(self)

    @property
    def last_step_finite(self) -> Any:
        """Whether the last step was without overflow, a variable; None: not known."""
        return getattr(self._loss_scale, "last_step_finite", None)


class NpuExperimentalLossScaleOptimizer:
    """What converted scripts of TensorFlow 2.3 and before import; not to be had here.

    Raises:
        NotImplementedError: always; the text says what to use.
    """

    def __init__(self, *_: object, **__: object) -> None:
        raise NotImplementedError(text("experimental scale"))
