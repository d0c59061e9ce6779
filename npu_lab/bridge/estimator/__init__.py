"""`npu_bridge.estimator`: operators, and the package `npu`."""
