"""`npu_bridge.estimator.npu`: what training scripts use of the adapter."""
