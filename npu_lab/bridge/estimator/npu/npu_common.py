"""`npu_common`: what a process knows of its job and rank."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
