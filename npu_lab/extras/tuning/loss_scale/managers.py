"""How the loss scale changes: what scripts import from `npu_loss_scale_manager`."""

from __future__ import annotations

from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.device import seam
from npu_lab.device.warn import warn
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.tuning.loss_scale._texts import text

v1 = tf.compat.v1

LARGEST = np.float32(3.4e38)
"""The scale is not raised where it would pass this."""


class LossScaleManager:
    """What the optimizers ask of a manager; derive from it for one of your own."""

    def get_loss_scale(self) -> Any:
        """The scale, a float32 scalar."""
        raise NotImplementedError

    def update_loss_scale(self, finite: Any) -> Any:
        """An operation that changes the scale after a step.

        Args:
            finite: a bool scalar: nothing overflowed in the step.
        """
        raise NotImplementedError

    def lowered(self, scale: Any) -> Any:
        """What an overflow makes of `scale` at most; itself where it never falls."""
        return scale


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays as it is.

    Args:
        loss_scale: the scale.
        enable_overflow_check: with False `NPULossScaleOptimizer` applies every step,
            except in INF/NaN mode.  `NPUOptimizer` does not ask.

    Raises:
        ValueError: the scale is below 1.
    """

    def __init__(self, loss_scale: float, enable_overflow_check: bool = True) -> None:
        if not loss_scale >= 1:
            raise ValueError(text("fixed scale", given=repr(loss_scale)))
        self._loss_scale = tf.constant(loss_scale, tf.float32)
        self._enable_overflow_check = enable_overflow_check

    def get_enable_overflow_check(self) -> bool:
        """Whether steps that overflow are looked for."""
        return self._enable_overflow_check

    def get_loss_scale(self) -> Any:
        """The scale, a constant."""
        return self._loss_scale

    def update_loss_scale(self, finite: Any) -> Any:  # noqa: ARG002
        """An operation that does nothing."""
        return tf.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A scale that grows after good steps and falls after those that overflow.

    The state is in three variables, which a checkpoint keeps: `loss_scale`,
    `good_steps` and `bad_steps`.  Steps that overflow need not follow each other to
    make the scale fall: `bad_steps` goes back to 0 only where the scale changes, or
    where it would have grown.

    Args:
        init_loss_scale: the first scale.
        incr_every_n_steps: good steps in a row until it grows.
        decr_every_n_nan_or_inf: steps that overflow until it falls.
        incr_ratio: it is multiplied by this to grow, unless it would pass 3.4e38.
        decr_ratio: and by this to fall, to 1 at least.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        if v1.get_default_graph()._current_control_dependencies():
            _report(diagnose("SINK068"))
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        self._loss_scale = _variable("loss_scale", np.float32(init_loss_scale))
        self._good_steps = _variable("good_steps", np.int32(0))
        self._bad_steps = _variable("bad_steps", np.int32(0))

    def get_loss_scale(self) -> Any:
        """The variable with the scale."""
        return self._loss_scale

    def lowered(self, scale: Any) -> Any:
        """The next scale below `scale`."""
        return tf.maximum(np.float32(1), scale * np.float32(self._decr_ratio))

    def update_loss_scale(self, finite: Any) -> Any:
        """An operation that counts the step, and changes the scale where it is due."""
        scale, good, bad = (
            variable.read_value()
            for variable in (self._loss_scale, self._good_steps, self._bad_steps)
        )
        grows = finite & (good + 1 >= self._incr_every_n_steps)
        falls = ~finite & (bad + 1 >= self._decr_every_n_nan_or_inf)
        ratio = np.float32(self._incr_ratio)
        # Never the product that is not used: an overflow there would set the status.
        one = np.float32(1)
        raised = scale * tf.where(scale < LARGEST / ratio, ratio, one)
        scale = tf.where(grows, raised, tf.where(falls, self.lowered(scale), scale))
        zero = tf.zeros_like(good)
        good = tf.where(finite & ~grows, good + 1, zero)
        bad = tf.where(grows | falls, zero, tf.where(finite, bad, bad + 1))
        with tf.control_dependencies([scale, good, bad]):
            return tf.group(
                self._loss_scale.assign(scale),
                self._good_steps.assign(good),
                self._bad_steps.assign(bad),
                name="update_loss_scale",
            )


def _variable(name: str, value: Any) -> Any:
    return v1.Variable(value, name=name, trainable=False, use_resource=True)


def _report(diagnostic: Diagnostic) -> None:
    device = seam.active_device()
    if device is None:
        warn(diagnostic)
    else:
        device.report(diagnostic)
