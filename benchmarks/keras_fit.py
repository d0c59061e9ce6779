"""Contestants that train with Keras: one long `fit` for each measurement.

The time is taken from the end of the first execution to the end of the last, so that
tracing and the start of the pipeline are left out.  Keras itself adds the mean of the
losses since the epoch began.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

from benchmarks import models
from benchmarks.worker import Contestant


def fit(model: str, keras: str) -> Contestant:
    """Keras 3 (`keras`) or Keras 2 (`tf_keras`), N steps an execution."""
    import tensorflow as tf

    api = importlib.import_module(keras)
    spec = models.MODELS[model]
    built = models.keras_model(api, model)
    built.compile(
        optimizer=api.optimizers.SGD(spec.learning_rate),
        loss=api.losses.CategoricalCrossentropy(from_logits=True),
        steps_per_execution=spec.steps,
    )
    data = models.pipeline(tf)
    ends: list[tuple[int, float]] = []

    def note(batch: int, logs: Any) -> None:
        del logs
        ends.append((batch, time.perf_counter()))

    clock = api.callbacks.LambdaCallback(on_train_batch_end=note)

    def run(steps: int) -> None:
        built.fit(data, steps_per_epoch=steps, verbose=0, callbacks=[clock])

    def measure(seconds: float) -> dict[str, float]:
        ends.clear()
        run(models.steps_of_fit(spec, seconds))
        (first, start), (last, end) = ends[0], ends[-1]
        return {"time": (end - start) / (last - first)}

    def variables(steps: int) -> list[Any]:
        run(steps)
        return list(built.get_weights())

    jit = getattr(built, "jit_compile", None)
    return Contestant(measure, variables, f"N = {spec.steps}, jit_compile {jit}")
