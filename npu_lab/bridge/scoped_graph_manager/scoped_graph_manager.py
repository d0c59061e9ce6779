"""`scoped_graph_manager`: unloading graphs that run once."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
