"""`hccl`, the communication library's own API, and `npu_bridge.hccl`, its operators."""
