"""`npu_loss_scale_manager`: how the loss scale changes."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
