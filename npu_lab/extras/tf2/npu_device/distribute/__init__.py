"""Training on several devices: what scripts import as `npu_device.distribute`."""

from __future__ import annotations

from npu_lab.extras.tf2.npu_device.distribute.hccl import (
    all_reduce,
    broadcast,
    grouping_broadcast,
    grouping_gradients_apply,
    npu_distributed_keras_optimizer_wrapper,
    shard_and_rebatch_dataset,
)

__all__ = [
    "all_reduce",
    "broadcast",
    "grouping_broadcast",
    "grouping_gradients_apply",
    "npu_distributed_keras_optimizer_wrapper",
    "shard_and_rebatch_dataset",
]
