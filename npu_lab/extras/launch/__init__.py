"""The command `npu-lab launch`; what it does is in `npu_lab.extras.distributed`."""
