"""`npu_estimator`: the Estimator of the NPU."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
