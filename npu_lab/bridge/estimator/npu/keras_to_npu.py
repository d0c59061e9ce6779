"""`keras_to_npu`: from a Keras model to an Estimator of the NPU."""

from __future__ import annotations

from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)
