"""The emulated device: it looks at what a host call asks for and sinks the loop."""

from npu_lab import _tensorflow  # noqa: F401  (quietly, before anyone else does)
from npu_lab.device.conditions import SinkError
from npu_lab.device.device import Device

__all__ = ["Device", "SinkError"]
