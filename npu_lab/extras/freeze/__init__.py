"""Freezing a trained model into one .pb file, and inference with it."""

from __future__ import annotations

from npu_lab import _tensorflow  # noqa: F401  (quietly, before anyone else does)
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.freezing import Frozen, freeze
from npu_lab.extras.freeze.inference import FrozenModel, inference_config
from npu_lab.extras.freeze.listing import Listing, Node, nodes

__all__ = [
    "FreezeError",
    "Frozen",
    "FrozenModel",
    "Listing",
    "Node",
    "freeze",
    "inference_config",
    "nodes",
]
