"""`tf.estimator.export`: how a served model gets its input, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from tensorflow.python.saved_model.model_utils.export_output import (
    ClassificationOutput,
    EvalOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)

from npu_lab._tensorflow import tf

__all__ = [
    "ClassificationOutput",
    "EvalOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "ServingInputReceiver",
    "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
]

FEATURE, LABEL, RECEIVER = "feature", "label", "input"


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class ServingInputReceiver(_Receiver):
    """What a `serving_input_receiver_fn` returns: features, and what is fed for them.

    A tensor alone becomes a dict of one, with the key "feature" or "input".

    Raises:
        ValueError: a name is no string, or a value no tensor.
    """

    __slots__ = ()

    def __new__(  # noqa: D102
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: Any = None,
    ) -> Self:
        if receiver_tensors_alternatives is not None:
            if not isinstance(receiver_tensors_alternatives, dict):
                raise ValueError(
                    "receiver_tensors_alternatives must be a dict, not "
                    f"{receiver_tensors_alternatives!r}."
                )
            receiver_tensors_alternatives = {
                name: _named(tensors, RECEIVER)
                for name, tensors in receiver_tensors_alternatives.items()
            }
        return super().__new__(
            cls,
            _named(features, FEATURE),
            _named(receiver_tensors, RECEIVER),
            receiver_tensors_alternatives,
        )


class TensorServingInputReceiver(_Receiver):
    """As `ServingInputReceiver`, for a model that takes one tensor and no dict."""

    __slots__ = ()

    def __new__(  # noqa: D102
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: Any = None,
    ) -> Self:
        named = ServingInputReceiver(
            {FEATURE: features}, receiver_tensors, receiver_tensors_alternatives
        )
        return super().__new__(cls, features, *named[1:])


class SupervisedInputReceiver(NamedTuple):
    """Features and labels, and what is fed for them."""

    features: Any
    labels: Any
    receiver_tensors: Any


def build_parsing_serving_input_receiver_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A `serving_input_receiver_fn` that is fed serialised `tf.train.Example`s."""

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = tf.compat.v1.placeholder(
            tf.string, [default_batch_size], name="input_example_tensor"
        )
        features = tf.io.parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: Any, default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A `serving_input_receiver_fn` that is fed the features, like those given."""

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = _placeholders(features, default_batch_size)
        return ServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """A receiver function that is fed features and labels, like those given.

    Raises:
        ValueError: features and labels share a name.
    """
    if isinstance(features, dict) and isinstance(labels, dict):
        both = sorted(features.keys() & labels.keys())
        if both:
            raise ValueError(f"Features and labels both have the names {both}.")

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        fed = _placeholders(features, default_batch_size)
        answers = _placeholders(labels, default_batch_size)
        tensors = _named(fed, RECEIVER) | _named(answers, LABEL)
        return SupervisedInputReceiver(fed, answers, tensors)

    return supervised_input_receiver_fn


def _placeholders(values: Any, batch_size: int | None) -> Any:
    if isinstance(values, dict):
        return {name: _placeholders(v, batch_size) for name, v in values.items()}
    shape = [batch_size, *tf.TensorShape(values.shape).as_list()[1:]]
    operation = getattr(values, "op", None)
    return tf.compat.v1.placeholder(
        values.dtype, shape, name=operation.name if operation else None
    )


def _named(tensors: Any, name: str) -> dict[Any, Any]:
    if tensors is None:
        raise ValueError(f"A receiver without {name}s: they must be given.")
    tensors = tensors if isinstance(tensors, dict) else {name: tensors}
    for key, tensor in tensors.items():
        if not isinstance(key, str) and not (name == FEATURE and isinstance(key, int)):
            raise ValueError(f"Names of {name}s must be strings, not {key!r}.")
        if not tf.is_tensor(tensor):
            raise ValueError(f"The {name} {key!r} must be a tensor, not {tensor!r}.")
    return tensors
