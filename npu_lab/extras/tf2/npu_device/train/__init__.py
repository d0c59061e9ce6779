"""Training: the optimizer with loss scaling."""

from npu_lab.extras.tf2.npu_device.train import optimizer

__all__ = ["optimizer"]
