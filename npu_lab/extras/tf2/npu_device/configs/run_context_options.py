"""The options of `npu_run_context`."""

from __future__ import annotations

from npu_lab.extras.tf2.npu_device.configs.experimental import NpuExperimentalOptions


class NpuRunContextOptions:
    """Options of a run; only the recomputation is used, on hardware.

    It is `experimental.graph_memory_optimize_config.recompute`.
    """

    def __init__(self) -> None:
        self.experimental = NpuExperimentalOptions()
