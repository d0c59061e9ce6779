"""`npu_loss_scale_optimizer`: steps that overflow are skipped."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
