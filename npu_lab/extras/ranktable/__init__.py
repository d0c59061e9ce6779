"""The command `npu-lab ranktable`: writes, checks and explains a rank table."""
