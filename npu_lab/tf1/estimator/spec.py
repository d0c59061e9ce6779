"""What a model function returns, and the modes it is called in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from tensorflow.python.saved_model import model_utils
from tensorflow.python.saved_model.model_utils.mode_keys import EstimatorModeKeys

from npu_lab._tensorflow import tf

ModeKeys = EstimatorModeKeys
"""The values of `mode`: TRAIN, EVAL and PREDICT."""

PAIR = 2


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: Any
    training_chief_hooks: tuple[Any, ...]
    training_hooks: tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class EstimatorSpec(_Fields):
    """Operations and objects of one mode.

    TRAIN needs `loss` and `train_op`, EVAL `loss`, PREDICT `predictions`. A loss of one
    element becomes a scalar.

    Raises:
        ValueError: something that the mode needs is missing, the loss is not one
            number, or a tensor belongs to another graph.
        TypeError: an argument has the wrong type.
    """

    __slots__ = ()

    def __new__(  # noqa: D102
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> Self:
        needed = {
            ModeKeys.TRAIN: {"train_op": train_op, "loss": loss},
            ModeKeys.EVAL: {"loss": loss},
            ModeKeys.PREDICT: {"predictions": predictions},
        }
        for name, value in needed.get(mode, {}).items():
            if value is None:
                raise ValueError(
                    f"Missing {name}. EstimatorSpec needs it in mode {mode!r}."
                )
        if train_op is not None:
            _check(train_op, "train_op", operation=True)
        loss = _scalar(loss)
        predictions = {} if predictions is None else predictions
        for name, value in _named(predictions, "predictions"):
            _check(value, name)
        if mode == ModeKeys.PREDICT:
            export_outputs = model_utils.get_export_outputs(export_outputs, predictions)
        scaffold = tf.compat.v1.train.Scaffold() if scaffold is None else scaffold
        if not isinstance(scaffold, tf.compat.v1.train.Scaffold):
            raise TypeError(f"scaffold must be a tf.train.Scaffold, not {scaffold!r}.")
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            _metrics(eval_metric_ops),
            export_outputs,
            _hooks(training_chief_hooks),
            _hooks(training_hooks),
            scaffold,
            _hooks(evaluation_hooks),
            _hooks(prediction_hooks),
        )


def _named(value: Any, name: str) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"{name}[{key!r}]", each) for key, each in value.items()]
    return [(name, value)]


def _check(value: Any, name: str, *, operation: bool = False) -> None:
    if operation and isinstance(value, tf.Operation):
        graph = value.graph
    elif tf.is_tensor(value) or hasattr(value, "_as_graph_element"):
        graph = getattr(value, "graph", None)
    else:
        kinds = "a Tensor or an Operation" if operation else "a Tensor"
        raise TypeError(f"{name} must be {kinds}, not {value!r}.")
    if graph not in (None, tf.compat.v1.get_default_graph()):
        raise ValueError(
            f"{name} belongs to another graph than the one the Estimator made: "
            f"{value!r}. Build the model, and all it uses, inside model_fn."
        )


def _scalar(loss: Any) -> Any:
    if loss is None:
        return None
    _check(loss, "loss")
    loss = tf.convert_to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, not of shape {loss.shape}.")
    if loss.shape.is_compatible_with([]):
        return loss
    return tf.reshape(loss, [])


def _metrics(metrics: Any) -> dict[str, Any]:
    metrics = {} if metrics is None else metrics
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, not {metrics!r}.")
    for name, metric in metrics.items():
        if is_keras_metric(metric):
            if not metric.updates:
                raise ValueError(
                    f"eval_metric_ops[{name!r}]: call update_state() of the metric "
                    "before it is returned."
                )
            _initialise_locally(metric.variables)
        elif not isinstance(metric, tuple) or len(metric) != PAIR:
            raise TypeError(
                f"eval_metric_ops[{name!r}] must be a pair (value, update_op), like "
                f"those of tf.metrics, not {metric!r}."
            )
        else:
            _check(metric[1], f"update_op of eval_metric_ops[{name!r}]", operation=True)
    return metrics


def _initialise_locally(variables: Any) -> None:
    """Have an evaluation start the variables of a Keras metric anew, as its others."""
    keys = tf.compat.v1.GraphKeys
    for name in (keys.LOCAL_VARIABLES, keys.METRIC_VARIABLES):
        collection = tf.compat.v1.get_collection_ref(name)
        known = {id(variable) for variable in collection}
        collection += [each for each in variables if id(each) not in known]


def is_keras_metric(metric: Any) -> bool:
    """Whether `metric` is a metric object of Keras, and no pair of `tf.metrics`."""
    return all(hasattr(metric, name) for name in ("update_state", "result", "updates"))


def _hooks(hooks: Any) -> tuple[Any, ...]:
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, tf.compat.v1.train.SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHooks, not {hook!r}.")
    return hooks
