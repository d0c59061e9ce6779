"""Which predictions are wanted, and how a batch of them becomes examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def chosen(predictions: Any, keys: Any) -> Any:
    """Those of the predictions that `keys` names; all without keys.

    Raises:
        ValueError: none of them is there, or the predictions have no names.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError(  # noqa: TRY004  (so does TensorFlow)
            "predict_keys need predictions that are a dict; those of model_fn are not."
        )
    keys = [keys] if isinstance(keys, str) else list(keys)
    found = {name: value for name, value in predictions.items() if name in keys}
    if not found:
        raise ValueError(
            f"None of predict_keys {keys} is a prediction. There are: "
            f"{sorted(predictions)}."
        )
    return found


def examples(values: Any) -> Iterator[Any]:
    """The examples of a batch, one at a time.

    Raises:
        ValueError: the predictions have different numbers of them.
    """
    if not isinstance(values, dict):
        yield from values
        return
    lengths = {name: len(value) for name, value in values.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"The predictions have different numbers of examples: {lengths}. With "
            "yield_single_examples=False whole batches are yielded."
        )
    for number in range(min(lengths.values())):
        yield {name: value[number] for name, value in values.items()}
