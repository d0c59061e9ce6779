"""The generated operators of the adapter; only the activation runs in the lab."""

from __future__ import annotations

from npu_lab.extras.tf2.npu_device.ops import gelu as fast_gelu

__all__ = ["fast_gelu"]
