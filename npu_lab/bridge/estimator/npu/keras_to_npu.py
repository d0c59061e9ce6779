"""`keras_to_npu`: from a Keras model to an Estimator of the NPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npu_lab._tensorflow import tf
from npu_lab.bridge.estimator.npu.npu_estimator import NPUEstimator
from npu_lab.device import seam
from npu_lab.diagnostics import diagnose
from npu_lab.tf1.estimator import keras_models

if TYPE_CHECKING:
    from collections.abc import Mapping


def model_to_npu_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | None = None,
    checkpoint_format: str = "saver",
    config: Any = None,
    job_start_file: str = "",
) -> NPUEstimator:
    """An `NPUEstimator` that trains a copy of a compiled Keras model.

    The arguments are those of `tf.keras.estimator.model_to_estimator`, and two of
    `NPUEstimator`.  The folder of the checkpoints is `model_dir`, else that of
    `config`, else a new one in the working folder.

    Raises:
        ValueError: the model cannot be converted, or `config` is no `NPURunConfig`.
    """
    model = keras_models.loaded(keras_model, keras_model_path, custom_objects)
    folder = model_dir or getattr(config, "model_dir", None)
    newest = tf.train.latest_checkpoint(folder) if folder else None
    converted = keras_models.model_to_estimator(
        model, None, custom_objects, folder, checkpoint_format=checkpoint_format
    )
    made = NPUEstimator(
        model_fn=converted._model_fn,
        model_dir=model_dir,
        config=config,
        job_start_file=job_start_file,
        warm_start_from=converted._warm_start_settings,
    )
    if device := seam.active_device():
        device.report(diagnose("SINK059", model=model.name))
        if newest:
            device.report(diagnose("SINK060", model=model.name, checkpoint=newest))
    return made
