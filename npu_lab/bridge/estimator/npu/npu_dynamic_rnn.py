"""`npu_dynamic_rnn`: fused recurrent layers."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
