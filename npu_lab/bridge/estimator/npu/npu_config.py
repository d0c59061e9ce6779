"""`npu_config`: the run configuration, and the wrapper that gives sessions defaults."""

from __future__ import annotations

from enum import Enum

from npu_lab.bridge.config_classes import (
    DumpConfig,
    DynamicInputConfig,
    ExperimentalConfig,
    GraphMemoryOptimizeConfig,
    MemoryConfig,
    ProfilingConfig,
)
from npu_lab.bridge.later import fill
from npu_lab.bridge.run_config import NPURunConfig
from npu_lab.device import defaults

__all__ = [
    "DumpConfig",
    "DynamicInputConfig",
    "ExperimentalConfig",
    "GraphMemoryOptimizeConfig",
    "MemoryConfig",
    "NPURunConfig",
    "NpuExecutePlacement",
    "ProfilingConfig",
    "decorator_tf_session",
]

__getattr__ = fill(__name__)

decorator_tf_session = defaults.with_defaults


class NpuExecutePlacement(Enum):
    """Where on the product operations or variables are to be placed."""

    ALL = "all"
    CUBE = "cube"
    VECTOR = "vector"
    TAISHAN = "taishan"
    DVPP = "dvpp"
    HOST = "host"
