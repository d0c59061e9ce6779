"""NumPy references: float16 inputs and outputs around a computation in float32."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

LARGEST = np.float32(65504)
EDGES = (
    "0 1 -1 0.1 -3 2049 65504 -65504 65519 -65519 65520 -65520 70000 1e6 -1e6 inf -inf"
    " nan 6.1e-5 6.0e-5 5.96e-8 2.98e-8 2.99e-8 -3e-8 1e-8 1e-30 300 -300"
)
EDGE = np.array([float(text) for text in EDGES.split()], np.float32)
PAIRS = np.array([*itertools.product(EDGE, EDGE)], np.float32).T
FINITE = EDGE[np.isfinite(EDGE)]
_rng = np.random.RandomState(3)


def rounded(value: Any, saturates: bool) -> Any:
    """`value` with the numbers of float16, as float32."""
    value = np.asarray(value, np.float32)
    if saturates:
        clipped = np.clip(value, -LARGEST, LARGEST)
        value = np.where(np.isnan(value), np.float32(0), clipped)
    with np.errstate(all="ignore"):
        return value.astype(np.float16).astype(np.float32)


def reference(compute: Any, inputs: Any, saturates: bool) -> Any:
    """What an operator gives: `compute` gets float32 and gives it, or several."""
    given = [
        rounded(one, saturates) if one.dtype == np.float32 else one for one in inputs
    ]
    with np.errstate(all="ignore"):
        values = compute(*given)
    several = isinstance(values, tuple)
    outputs = [rounded(one, saturates) for one in (values if several else [values])]
    return outputs if several else outputs[0]


def exact(*shape: int) -> Any:
    """Numbers whose sums and products float32 holds exactly, whatever their order."""
    return (_rng.randint(-16, 17, shape) / 8).astype(np.float32)


def large(*shape: int) -> Any:
    """Such numbers, large enough for sums of products beyond 65504."""
    return (_rng.randint(-300, 301, shape)).astype(np.float32)


def patches(image: Any, size: int, stride: int, padding: str) -> Any:
    """[batch, rows, columns, size, size, channels] of NHWC images, padded with 0."""
    before, rows = _margins(image.shape[1], size, stride, padding)
    padded = np.pad(image, ((0, 0), before, before, (0, 0)))
    out = np.zeros((image.shape[0], rows, rows, size, size, image.shape[3]), np.float32)
    for i, j in itertools.product(range(rows), range(rows)):
        part = padded[:, i * stride : i * stride + size, j * stride : j * stride + size]
        out[:, i, j] = part
    return out


def unpatched(parts: Any, shape: Any, stride: int, padding: str) -> Any:
    """The sums of patches at their places: the transpose of `patches`."""
    size, rows = parts.shape[3], parts.shape[1]
    before, _ = _margins(shape[1], size, stride, padding)
    wide = shape[1] + sum(before)
    padded = np.zeros((shape[0], wide, wide, shape[3]), np.float32)
    for i, j in itertools.product(range(rows), range(rows)):
        place = np.s_[:, i * stride : i * stride + size, j * stride : j * stride + size]
        padded[place] += parts[:, i, j]
    return padded[:, before[0] : before[0] + shape[1], before[0] : before[0] + shape[2]]


def _margins(length: int, size: int, stride: int, padding: str) -> Any:
    if padding == "VALID":
        return (0, 0), (length - size) // stride + 1
    rows = -(-length // stride)
    total = max((rows - 1) * stride + size - length, 0)
    return (total // 2, total - total // 2), rows
