"""Experimental options of a run."""

from __future__ import annotations

from npu_lab.extras.tf2.npu_device.npu_options import NpuBaseConfig
from npu_lab.extras.tf2.option_table import EXPERIMENTAL_NESTED


class NpuExperimentalOptions:
    """Experimental options of a run: `graph_memory_optimize_config`."""

    def __init__(self) -> None:
        name = "graph_memory_optimize_config"
        rows = EXPERIMENTAL_NESTED[name]
        self.graph_memory_optimize_config = NpuBaseConfig(rows, {}, name)
