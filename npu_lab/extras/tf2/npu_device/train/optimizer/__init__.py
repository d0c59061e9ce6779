"""Optimizers of the adapter."""

from npu_lab.extras.tf2.npu_device.train.optimizer.npu_loss_scale_optimizer import (
    NpuLossScaleOptimizer,
)

__all__ = ["NpuLossScaleOptimizer"]
