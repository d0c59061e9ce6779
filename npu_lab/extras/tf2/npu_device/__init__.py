"""What scripts import as `npu_device`: the adapter of TensorFlow 2.6."""

from __future__ import annotations

from npu_lab.extras.tf2.npu_device import (
    compat,
    configs,
    distribute,
    gen_npu_ops,
    ops,
    train,
)
from npu_lab.extras.tf2.npu_device.npu_device import (
    NpuDeviceHandle,
    close,
    global_options,
    is_inf_nan_enabled,
    keep_dtype_scope,
    npu_compat_function,
    npu_recompute_scope,
    npu_run_context,
    open,  # noqa: A004  (the vendor's name)
    set_device_sat_mode,
    set_npu_loop_size,
)

__all__ = [
    "NpuDeviceHandle",
    "close",
    "compat",
    "configs",
    "distribute",
    "gen_npu_ops",
    "global_options",
    "is_inf_nan_enabled",
    "keep_dtype_scope",
    "npu_compat_function",
    "npu_recompute_scope",
    "npu_run_context",
    "open",
    "ops",
    "set_device_sat_mode",
    "set_npu_loop_size",
    "train",
]
