"""Configurations beside the global options."""

from npu_lab.extras.tf2.npu_device.configs import experimental
from npu_lab.extras.tf2.npu_device.configs.run_context_options import (
    NpuRunContextOptions,
)

run_context_options = NpuRunContextOptions

__all__ = ["experimental", "run_context_options"]
