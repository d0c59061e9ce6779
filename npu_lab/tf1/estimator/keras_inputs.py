"""From what an `input_fn` gives to the inputs and targets of a Keras model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npu_lab._tensorflow import tf


def without_weights(features: Any) -> tuple[Any, Any]:
    """Features, and the sample weights that came with them or None."""
    if isinstance(features, Mapping) and set(features) == {
        "features",
        "sample_weights",
    }:
        return features["features"], features["sample_weights"]
    return features, None


def ordered(data: Any, model: Any, kind: str) -> list[Any] | None:
    """The tensors of `data` in the order of the model's inputs or outputs.

    Raises:
        KeyError: `data` is a mapping without a name that the model has.
        ValueError: there are too many or too few tensors.
    """
    if data is None:
        return None
    names = getattr(model, f"{kind}_names", None)
    what = "features" if kind == "input" else "labels"
    if isinstance(data, Mapping):
        names = names or list(data)
        missing = [name for name in names if name not in data]
        if missing:
            raise KeyError(
                f"The {what} of input_fn have the names {_listed(data)}, the Keras"
                f" model's {kind}s are {_listed(names)}: {_listed(missing)} missing."
                f" Rename the {what}, give the layer a name (Keras numbers those"
                " without one), or return the tensors without names."
            )
        data = [data[name] for name in names]
    given = list(data) if isinstance(data, (list, tuple)) else [data]
    tensors = [tf.compat.v1.convert_to_tensor_or_sparse_tensor(each) for each in given]
    if names and len(tensors) != len(names):
        raise ValueError(
            f"input_fn gives {len(tensors)} tensors as {what}, the Keras model has"
            f" {len(names)} {kind}s: {_listed(names)}."
        )
    return tensors


def refuse_types(model: Any, tensors: Any, error: Exception) -> None:
    """Say which data type is wrong, where that may have been the reason of `error`."""
    for tensor, expected in zip(tensors or [], model.inputs or [], strict=False):
        if tensor.dtype != expected.dtype:
            wanted = expected.dtype.name
            raise TypeError(
                f"The Keras input {expected.op.name!r} takes {wanted}, and input_fn"
                f" gives {tensor.dtype.name}. Convert it in the Dataset:"
                f" tf.cast(x, tf.{wanted}). TensorFlow says: {error}"
            ) from error


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names))
