"""`hccl.split`: how gradients are cut into segments."""
