"""`npu_config`: the run configuration, and the wrapper that gives sessions defaults."""

from __future__ import annotations

from enum import Enum

from npu_lab.bridge.later import fill
from npu_lab.device import defaults

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
