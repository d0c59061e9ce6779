"""`hccl.manage`: groups of ranks."""
