"""Accuracy and performance tuning: precision, overflow, dumps, loss scale, profiling.

What the vendor's modules have of this comes from here, under the vendor's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from npu_lab.extras.tuning.loss_scale.managers import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
)
from npu_lab.extras.tuning.loss_scale.optimizers import (
    NPULossScaleOptimizer,
    NPUOptimizer,
)
from npu_lab.extras.tuning.operators import dropout, gelu, npu_dynamic_rnn
from npu_lab.extras.tuning.precision import rewriter as _rewriter
from npu_lab.extras.tuning.precision.saturation import (
    is_inf_nan_enabled,
    set_device_sat_mode,
)
from npu_lab.extras.tuning.precision.status import (
    npu_alloc_float_status,
    npu_clear_float_status,
    npu_clear_float_status_v2,
    npu_get_float_status,
    npu_get_float_status_v2,
)
from npu_lab.extras.tuning.profiling.observing import Profiler, opened

if TYPE_CHECKING:
    from npu_lab.device.options import SessionOptions
    from npu_lab.device.rewriting import Rewriter

__all__ = [
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "NPULossScaleOptimizer",
    "NPUOptimizer",
    "Profiler",
    "dropout",
    "gelu",
    "is_inf_nan_enabled",
    "npu_alloc_float_status",
    "npu_clear_float_status",
    "npu_clear_float_status_v2",
    "npu_dynamic_rnn",
    "npu_get_float_status",
    "npu_get_float_status_v2",
    "rewriter",
    "set_device_sat_mode",
]


def rewriter(options: SessionOptions) -> Rewriter | None:
    """What the options of a session that is opened ask of this extra.

    Profiling begins; what is returned changes the operators of its host calls.
    """
    opened(options)
    return _rewriter(options)
