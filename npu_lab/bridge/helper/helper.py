"""`npu_bridge.helper.helper`: the version of the adapter that npu_lab stands in for."""

from __future__ import annotations

version = "v1.15.0"
