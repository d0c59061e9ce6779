"""Answers to the exercises of lesson 12: right ones, and the known wrong ones."""
# ruff: noqa: D103 (names that tell)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import npu_lab.tf1 as tf

Decode = Callable[[Any, Any], Any]


def _data(paths: Any, labels: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices((paths, labels))


def _batches(data: Any) -> Any:
    return data.repeat().batch(32, drop_remainder=True).prefetch(2)


def parallel(paths: Any, labels: Any, decode: Decode) -> Any:
    return _batches(_data(paths, labels).map(decode, num_parallel_calls=2).cache())


def cached_alone(paths: Any, labels: Any, decode: Decode) -> Any:
    return _data(paths, labels).map(decode).cache().repeat().batch(32, True)


def as_found(paths: Any, labels: Any, decode: Decode) -> Any:
    return _data(paths, labels).repeat().map(decode).batch(32, drop_remainder=True)


def without_cache(paths: Any, labels: Any, decode: Decode) -> Any:
    return _batches(_data(paths, labels).map(decode, num_parallel_calls=2))


def cached_too_early(paths: Any, labels: Any, decode: Decode) -> Any:
    return _batches(_data(paths, labels).cache().map(decode))


def cached_too_late(paths: Any, labels: Any, decode: Decode) -> Any:
    return _data(paths, labels).map(decode).repeat().cache().batch(32, True)


def not_decoded(paths: Any, labels: Any, decode: Decode) -> Any:  # noqa: ARG001
    return _batches(_data(paths, labels).cache())


def open_end(paths: Any, labels: Any, decode: Decode) -> Any:
    return _data(paths, labels).map(decode).cache().repeat().batch(32)


def one_epoch(paths: Any, labels: Any, decode: Decode) -> Any:
    return _data(paths, labels).map(decode).cache().batch(32, drop_remainder=True)


def shuffled(paths: Any, labels: Any, decode: Decode) -> Any:
    return _batches(_data(paths, labels).map(decode).cache().shuffle(64, seed=1))


def nothing(paths: Any, labels: Any, decode: Decode) -> None:  # noqa: ARG001
    return None
