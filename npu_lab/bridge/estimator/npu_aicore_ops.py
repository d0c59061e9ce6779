"""`npu_aicore_ops`: operators that run on the NPU's AI Core."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
