"""`npu_plugin`: setting up and closing the device without a session."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
