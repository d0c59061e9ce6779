"""`hccl.manage.api`: groups of ranks, and who one is in them."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
