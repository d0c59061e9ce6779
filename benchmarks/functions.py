"""Contestants of TensorFlow 2: a `tf.function` that loops with `tf.range`."""

from __future__ import annotations

from typing import Any

from benchmarks import models
from benchmarks.worker import Contestant, repeat


def loop(model: str, device: bool) -> Contestant:
    """N steps a call, by TensorFlow alone or sunk by the device."""
    if device:
        import npu_lab

        npu_lab.activate(mode="tf2")
    import tensorflow as tf

    spec = models.MODELS[model]
    if device:
        import npu_device as npu

        npu.open().as_default()
        npu.set_npu_loop_size(spec.steps)
    variables = {
        name: tf.Variable(value, name=name) for name, value in spec.initial().items()
    }
    train = _function(tf, model, spec, variables)
    data = iter(models.pipeline(tf))

    def call(steps: int = spec.steps) -> None:
        if device:
            npu.set_npu_loop_size(steps)
        train(data, tf.constant(steps))

    def trained(steps: int) -> list[Any]:
        for _ in range(0, steps, spec.steps):
            call()
        return [one.numpy() for one in variables.values()]

    measure = repeat(call, spec.steps)
    about = f"N = {spec.steps}"
    return Contestant(lambda seconds: {"time": measure(seconds)}, trained, about)


def _function(tf: Any, model: str, spec: Any, variables: Any) -> Any:
    """The documented pattern: the loop of a training, in a `tf.function`."""

    @tf.function
    def train(batches: Any, steps: Any) -> None:
        for _ in tf.range(steps):
            images, labels = next(batches)
            with tf.GradientTape() as tape:
                loss = models.loss(_V1Names(tf), model, variables, images, labels)
            listed = list(variables.values())
            gradients = tape.gradient(loss, listed)
            for variable, gradient in zip(listed, gradients, strict=True):
                tf.raw_ops.ResourceApplyGradientDescent(
                    var=variable.handle, alpha=spec.learning_rate, delta=gradient
                )

    return train


class _V1Names:
    """TensorFlow 2 with the one name of 1.15 that the models use."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.nn = tf.compat.v1.nn

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tf, name)
