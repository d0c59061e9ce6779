"""Operators for the NPU."""

from __future__ import annotations

import importlib
from typing import Any

from npu_lab._tensorflow import tf

SCALE = 1.702
"""Of the approximation that FastGelu computes: x * sigmoid(1.702 x)."""


def gelu(x: Any) -> Any:
    """The activation GELU.

    Eager it is `tf.nn.gelu`; in a graph the operator FastGelu, which is an
    approximation and takes float16 and float32; of a Keras layer's output a layer.

    Raises:
        TypeError: in a graph, another type.
    """
    keras_tensor = (
        getattr(x, "_keras_history", None) or type(x).__name__ == "KerasTensor"
    )
    if keras_tensor:
        return _layer(x)
    if tf.executing_eagerly():
        return tf.nn.gelu(x)
    tensor = tf.convert_to_tensor(x)
    if tensor.dtype not in (tf.float16, tf.float32):
        message = f"FastGelu: x must be float16 or float32, not {tensor.dtype.name}"
        raise TypeError(message)
    return tensor * tf.sigmoid(SCALE * tensor)


def _layer(x: Any) -> Any:
    if type(x).__module__.startswith("keras"):
        keras = importlib.import_module("keras")

        return keras.layers.Activation(gelu)(x)
    import tf_keras

    return tf_keras.layers.Lambda(gelu)(x)
