"""What a call fetches and feeds, seen from outside: keys, shapes, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tensorflow.python.client import session as tf_session
from tensorflow.python.util import nest

from npu_lab._tensorflow import tf

SIMPLE = (tf.Tensor, tf.Operation, str, tf.Variable)


def key(fetches: Any) -> Any:
    """Something to look a set of fetches up by, or None where that is not simple."""
    if isinstance(fetches, str):
        return fetches
    if isinstance(fetches, SIMPLE):
        return id(fetches)
    if type(fetches) in (list, tuple):
        keys = tuple(key(f) for f in fetches)
        return None if None in keys else (type(fetches), keys)
    return None


def fed(graph: Any, feed_dict: Any) -> list[tuple[Any, Any]]:
    """(tensor, value) for everything fed; composite keys are taken apart.

    What TensorFlow would refuse is left out: its own run says so better.
    """
    return [
        (tensor, value)
        for tensor, value in _parts(graph, feed_dict)
        if tensor is not None
    ]


def arrays(graph: Any, feed_dict: Any) -> list[Any]:
    """What is fed, as it crosses; nothing where TensorFlow would refuse it."""
    if not acceptable(graph, feed_dict):
        return []
    return [np.asarray(v, t.dtype.as_numpy_dtype) for t, v in fed(graph, feed_dict)]


def acceptable(graph: Any, feed_dict: Any) -> bool:
    """Whether TensorFlow would take what is fed; if not, nothing gets compiled."""
    try:
        return all(
            tensor is not None
            and not isinstance(value, tf.Tensor)
            and tensor.shape.is_compatible_with(shape(value))
            and graph.is_feedable(tensor)
            and np.asarray(value, tensor.dtype.as_numpy_dtype) is not None
            for tensor, value in _parts(graph, feed_dict)
        )
    except (TypeError, ValueError):
        return False


def _parts(graph: Any, feed_dict: Any) -> Iterator[tuple[Any, Any]]:
    """(tensor or None, value) for each part of each key."""
    for given, value in nest.flatten_dict_items(feed_dict or {}).items():
        expand = next(
            (
                e
                for k, _, e, _ in tf_session._REGISTERED_EXPANSIONS
                if isinstance(given, k)
            ),
            None,
        )
        for part, part_value in expand(given, value) if expand else [(None, value)]:
            try:
                yield graph.as_graph_element(part, allow_operation=False), part_value
            except (TypeError, ValueError, KeyError):
                yield None, part_value


def shape(value: Any) -> tuple[int, ...]:
    """The shape of a fed value; nested lists are measured without converting them."""
    lengths: list[int] = []
    while isinstance(value, (list, tuple)):
        lengths.append(len(value))
        value = value[0] if value else None
    return (*lengths, *np.shape(value))
