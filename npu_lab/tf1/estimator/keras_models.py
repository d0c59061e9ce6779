"""`model_to_estimator`: an Estimator's `model_fn` from a compiled Keras model.

The model is cloned into the graph of each training, evaluation or prediction, on the
tensors of the `input_fn`; Keras makes the loss, the updates and the metrics.  The
clone's optimizer counts its steps in the global step.  The weights that the model has
when it is converted are kept in a checkpoint, and a training starts from them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tensorflow.python.checkpoint import graph_view
from tensorflow.python.saved_model.model_utils.export_output import PredictOutput
from tf_keras.src import backend, models
from tf_keras.src.engine import training_utils_v1
from tf_keras.src.models import cloning

from npu_lab._tensorflow import tf
from npu_lab.tf1.estimator import keras_inputs
from npu_lab.tf1.estimator.estimator import Estimator
from npu_lab.tf1.estimator.run_config import RunConfig
from npu_lab.tf1.estimator.spec import EstimatorSpec, ModeKeys
from npu_lab.tf1.estimator.warm_start import WarmStartSettings

v1 = tf.compat.v1
FORMATS = ("saver", "checkpoint")
FOLDER = "keras"
"""Where in the model's folder the weights are kept that a training starts from."""

LOOPS = frozenset({"While", "StatelessWhile"})
"""Loops that TensorFlow cannot differentiate any more once a session has seen them."""


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str | None = None,
) -> Estimator:
    """An `Estimator` that trains a copy of a compiled Keras model.

    Args:
        keras_model: a compiled Sequential or functional model. It is not changed.
        keras_model_path: a file that `save` wrote, in place of `keras_model`.
        custom_objects: what the names of layers, losses and so on stand for.
        model_dir: the folder of the checkpoints; without one a temporary folder.
        config: how to run.
        checkpoint_format: "saver" for checkpoints by variable name, "checkpoint" (or
            None, as in TensorFlow 1.15) for those of `tf.train.Checkpoint`.

    Raises:
        ValueError: not exactly one of `keras_model` and `keras_model_path` is given,
            the model is not compiled or is a subclass of Model with a `call` of its
            own, or an argument has a value that is not allowed.
    """
    model = loaded(keras_model, keras_model_path, custom_objects)
    chosen = checkpoint_format or "checkpoint"
    if chosen not in FORMATS:
        raise ValueError(
            f"checkpoint_format must be one of {', '.join(FORMATS)}, not {chosen!r}."
        )
    model_dir = model_dir or getattr(config, "model_dir", None) or tempfile.mkdtemp()
    return Estimator(
        _model_fn(model, custom_objects, chosen),
        model_dir=model_dir,
        config=config,
        warm_start_from=_kept_weights(model, custom_objects, model_dir),
    )


def loaded(
    model: Any, path: str | None, custom_objects: Mapping[str, Any] | None
) -> Any:
    """The model, or that in the file `path`.

    Raises:
        ValueError: not one of the two is given, or the model cannot be converted.
    """
    if (model is None) == (path is None):
        raise ValueError(
            "Give a compiled Keras model, either as keras_model or as the file "
            "keras_model_path that its save() wrote; one of the two."
        )
    if model is None:
        model = models.load_model(path, custom_objects)
    if not isinstance(model, models.Sequential) and not model._is_graph_network:
        raise ValueError(
            f"The model {model.name!r} is a subclass of tf.keras.Model with a call() of"
            " its own. Only Sequential and functional models can be converted: write it"
            " as tf.keras.Sequential([...]) or tf.keras.Model(inputs, outputs)."
        )
    if not getattr(model, "optimizer", None):
        raise ValueError(
            f"The Keras model {model.name!r} is not compiled: its optimizer and loss"
            " are not known. Call model.compile(optimizer=..., loss=...) first."
        )
    if rates := _tensor_rates(getattr(model.optimizer, "optimizer", model.optimizer)):
        raise ValueError(
            f"The learning rate of the optimizer is the tensor {rates[0].name!r}, which"
            " belongs to the graph of the Keras model; an Estimator builds others. Give"
            " a number, or a schedule that Keras builds anew: tf.keras.optimizers.SGD("
            "tf.keras.optimizers.schedules.ExponentialDecay(...)). Its step is the"
            " global step."
        )
    return model


def _tensor_rates(optimizer: Any) -> list[Any]:
    """The learning rate of Keras or of `tf.train`, where it is a tensor."""
    own = vars(optimizer)
    rates = [own.get("_lr"), own.get("_learning_rate"), *own.get("_hyper", {}).values()]
    return [rate for rate in rates if isinstance(rate, tf.Tensor)]


def _model_fn(
    keras_model: Any, custom_objects: Mapping[str, Any] | None, chosen: str
) -> Callable[..., Any]:
    # Now, in the graph and session of the user: it reads variables, such as a rate.
    try:
        with _graph_of(keras_model).as_default():
            optimizer_config = keras_model.optimizer.get_config()
    except (AttributeError, NotImplementedError):  # one of tf.train has none
        optimizer_config = None

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        """What Keras would do with the model, in the present graph."""
        features, weights = keras_inputs.without_weights(features)
        step = v1.train.get_or_create_global_step()
        model = _clone(
            keras_model,
            custom_objects,
            training=mode == ModeKeys.TRAIN,
            input_tensors=keras_inputs.ordered(features, keras_model, "input"),
            target_tensors=keras_inputs.ordered(labels, keras_model, "output"),
            compile_clone=mode != ModeKeys.PREDICT,
            optimizer_iterations=step,
            optimizer_config=optimizer_config,
        )
        if weights is not None and mode != ModeKeys.PREDICT:
            model._compile_weights_loss_and_weighted_metrics(
                training_utils_v1.standardize_sample_weights(
                    weights, model.output_names
                )
            )
        predictions = dict(zip(model.output_names, model.outputs, strict=True))
        made: dict[str, Any] = {}
        if mode == ModeKeys.TRAIN:
            model._make_train_function()
            made["train_op"] = model.train_function.updates_op
        if mode != ModeKeys.PREDICT:
            made["loss"] = model.total_loss
            metrics = {m.name: m for m in model._compile_metric_functions}
            made["eval_metric_ops"] = metrics or None
        if chosen == "checkpoint":
            made["scaffold"] = _by_object(model, step, config.keep_checkpoint_max)
        return EstimatorSpec(
            mode,
            predictions=predictions,
            export_outputs={
                v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: (
                    PredictOutput(predictions)
                )
            },
            **made,
        )

    return model_fn


def _clone(
    model: Any,
    custom_objects: Mapping[str, Any] | None,
    *,
    training: bool,
    **how: Any,
) -> Any:
    backend.deprecated_internal_set_learning_phase(int(training))
    try:
        return cloning.clone_and_build_model(
            model, custom_objects=custom_objects, **how
        )
    except (TypeError, ValueError) as error:
        keras_inputs.refuse_types(model, how.get("input_tensors"), error)
        raise
    finally:
        # Keras leaves the arguments of this clone in the model, for the next one.
        vars(model).pop("_get_compile_args", None)


def _by_object(model: Any, step: Any, keep: int | None) -> Any:
    """Checkpoints as `tf.train.Checkpoint` writes them."""
    model._track_trackable(step, "estimator_global_step")
    found = graph_view.ObjectGraphView(model).frozen_saveable_objects()
    saver = v1.train.Saver(var_list=found, sharded=True, max_to_keep=keep)
    return v1.train.Scaffold(saver=saver)


def _graph_of(model: Any) -> Any:
    if model.built and model.weights:
        return model.weights[0].graph
    return v1.get_default_graph()


def _kept_weights(
    model: Any, custom_objects: Mapping[str, Any] | None, model_dir: str
) -> WarmStartSettings | None:
    """Write the model's weights to a checkpoint; None where there are none yet."""
    if not model.built or not model.weights:
        return None
    with (graph := _graph_of(model)).as_default():
        if any(op.type in LOOPS for op in graph.get_operations()):
            model._make_train_function()
        values = model.get_weights()
    folder = Path(model_dir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default():
        inputs = None
        if not model._is_graph_network:  # a Sequential that was built by its data
            inputs = [v1.placeholder(x.dtype, x.shape) for x in model.inputs]
        clone = _clone(
            model,
            custom_objects,
            training=False,
            input_tensors=inputs,
            compile_clone=False,
        )
        assign = [variable.initializer for variable in clone.weights]
        given = {a.inputs[1]: v for a, v in zip(assign, values, strict=True)}
        saver = v1.train.Saver(clone.weights)
        with v1.Session() as session:
            session.run(assign, given)
            path = saver.save(session, str(folder / "keras_model.ckpt"))
        names = [f"{re.escape(variable.op.name)}:" for variable in clone.weights]
    return WarmStartSettings(path, names)
