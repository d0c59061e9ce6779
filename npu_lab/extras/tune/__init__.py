"""The command `npu-lab tune`; what it does is in `npu_lab.extras.tuning.tune`."""
