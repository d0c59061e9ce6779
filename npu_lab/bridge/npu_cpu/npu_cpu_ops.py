"""`npu_cpu_ops`: operators on the device's CPU; none is in npu_lab."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
