"""One case for each operator of the table: how TensorFlow and NumPy compute it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import npu_lab.tf1 as tf
from tests.extras.tuning.precision import half

raw = tf.raw_ops


class Case(NamedTuple):
    """`close`: units in the last place of float16 that the result may be off."""

    operator: str
    build: Callable[..., Any]
    compute: Callable[..., Any]
    inputs: tuple[Any, ...]
    close: int = 0
    note: str = ""


def _unary(name: str, compute: Any, inputs: Any = half.EDGE, close: int = 0) -> Case:
    return Case(name, lambda x: getattr(raw, name)(x=x), compute, (inputs,), close)


def _binary(name: str, compute: Any) -> Case:
    build = lambda x, y: getattr(raw, name)(x=x, y=y)  # noqa: E731
    return Case(name, build, compute, (half.PAIRS[0], half.PAIRS[1]))


def _grad(name: str, compute: Any, y: Any) -> Case:
    dy = np.resize(half.EDGE[::-1], y.shape).astype(np.float32)
    return Case(name, lambda a, b: getattr(raw, name)(y=a, dy=b), compute, (y, dy))


def _reduce(name: str, compute: Any, inputs: Any) -> Case:
    def build(x: Any) -> Any:
        return getattr(raw, name)(input=x, axis=[1], keep_dims=False)

    return Case(name, build, compute, (inputs,))


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _log_softmax(x: Any) -> Any:
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _crossed(logits: Any, labels: Any) -> Any:
    return -(labels * _log_softmax(logits)).sum(-1), _softmax(logits) - labels


def _sparse(logits: Any, labels: Any) -> Any:
    return _crossed(logits, np.eye(logits.shape[1], dtype=np.float32)[labels])


def _of_rows(*rows: Any) -> Any:
    return np.array(rows, np.float32)


IMAGE, FILTER, OUT = half.exact(2, 5, 5, 2), half.exact(3, 3, 2, 3), (2, 3, 3, 3)
BACK = half.exact(*OUT)
LARGE_IMAGE, LARGE_FILTER = half.large(1, 5, 5, 2), half.large(3, 3, 2, 3)
LOGITS = _of_rows([1, 2, 3], [-5, 0, 11], [70000, 1, -1], [0.1, 1e-8, 6e-8])
LABELS = _of_rows([0, 0, 1], [1, 0, 0], [1, 0, 0], [0.2, 0.3, 0.5])
SUMMED = _of_rows(
    [2048, 1, 1, 1],
    [60000, 60000, -60000, 0.25],
    [60000, 60000, 0, 0],
    [np.inf, 1, 2, 3],
    [np.nan, 1, 2, 3],
    [6e-8, 6e-8, 3e-8, 1e-9],
)
ENDS = SUMMED[[0, 1, 2, 3, 5]]
FACTORS = _of_rows([300, 300, 1, 1], [300, 300, 0.5, 1], [1e-4, 1e-4, 1e-4, 2])
POOLED = half.EDGE[: 5 * 5].reshape(1, 5, 5, 1)
POOLED = np.where(np.isnan(POOLED), np.float32(7), POOLED)
STRIDES = [1, 2, 2, 1]


def _conv(image: Any, weights: Any) -> Any:
    return np.einsum("bijxyc,xycd->bijd", half.patches(image, 3, 2, "SAME"), weights)


def _conv_image(weights: Any, back: Any) -> Any:
    parts = np.einsum("bijd,xycd->bijxyc", back, weights)
    return half.unpatched(parts, IMAGE.shape, 2, "SAME")


def _conv_filter(image: Any, back: Any) -> Any:
    parts = half.patches(image, 3, 2, "SAME")
    return np.einsum("bijxyc,bijd->xycd", parts, back)


def _conv_case(image: Any, weights: Any, note: str) -> Case:
    def build(x: Any, w: Any) -> Any:
        return raw.Conv2D(input=x, filter=w, strides=STRIDES, padding="SAME")

    return Case("Conv2D", build, _conv, (image, weights), note=note)


def _max_pool(x: Any) -> Any:
    return half.patches(x, 2, 2, "VALID").max((3, 4))


def _max_pool_grad(x: Any, y: Any, back: Any) -> Any:
    parts = half.patches(x, 2, 2, "VALID")
    out = np.zeros_like(parts)
    for place in np.ndindex(y.shape):
        b, i, j, c = place
        where = np.unravel_index(parts[b, i, j, :, :, c].argmax(), (2, 2))
        out[(b, i, j, *where, c)] = back[place]
    return half.unpatched(out, x.shape, 2, "VALID")


def _avg_pool_grad(back: Any) -> Any:
    parts = np.broadcast_to(back[:, :, :, None, None] / 4, (1, 2, 2, 2, 2, 1))
    return half.unpatched(parts, POOLED.shape, 2, "VALID")


def _pooling(name: str, **given: Any) -> Any:
    how = {"ksize": STRIDES, "strides": STRIDES, "padding": "VALID"}
    return getattr(raw, name)(**given, **how)


DISTINCT = np.random.RandomState(1).permutation(25).reshape(1, 5, 5, 1)
DISTINCT = (DISTINCT * 1000).astype(np.float32)
POOL_BACK = _of_rows([70000, -2], [3e-8, np.inf]).reshape(1, 2, 2, 1)

CASES = [
    Case(
        "MatMul",
        lambda a, b: raw.MatMul(a=a, b=b),
        np.matmul,
        (half.exact(7, 30), half.exact(30, 5)),
    ),
    Case(
        "MatMul",
        lambda a, b: raw.MatMul(a=a, b=b, transpose_a=True, transpose_b=True),
        lambda a, b: a.T @ b.T,
        (half.large(30, 7), half.large(5, 30)),
        note="overflow",
    ),
    Case(
        "MatMul",
        lambda a, b: raw.MatMul(a=a, b=b),
        np.matmul,
        (np.ones((1, 4096), np.float32), np.ones((4096, 1), np.float32)),
        note="float32 accumulation",  # in float16 it would stop at 2048
    ),
    *(
        Case(
            name,
            lambda a, b, name=name: getattr(raw, name)(
                x=a, y=b, **({"Tout": tf.float32} if name.endswith("3") else {})
            ),
            np.matmul,
            (half.exact(2, 3, 9), half.large(2, 9, 4)),
        )
        for name in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
    ),
    _conv_case(IMAGE, FILTER, ""),
    _conv_case(LARGE_IMAGE, LARGE_FILTER, "overflow"),
    Case(
        "Conv2DBackpropInput",
        lambda w, d: raw.Conv2DBackpropInput(
            input_sizes=IMAGE.shape,
            filter=w,
            out_backprop=d,
            strides=STRIDES,
            padding="SAME",
        ),
        _conv_image,
        (FILTER, BACK),
    ),
    Case(
        "Conv2DBackpropFilter",
        lambda x, d: raw.Conv2DBackpropFilter(
            input=x,
            filter_sizes=FILTER.shape,
            out_backprop=d,
            strides=STRIDES,
            padding="SAME",
        ),
        _conv_filter,
        (IMAGE, BACK),
    ),
    *(
        Case(
            name,
            lambda x, b, name=name: getattr(raw, name)(value=x, bias=b),
            np.add,
            (half.PAIRS[0].reshape(28, 28), half.EDGE),
        )
        for name in ("BiasAdd", "BiasAddV1")
    ),
    Case(
        "BiasAddGrad",
        lambda d: raw.BiasAddGrad(out_backprop=d),
        lambda d: d.sum(0, dtype=np.float32),
        (SUMMED.T.copy(),),
    ),
    *(_binary(name, np.add) for name in ("Add", "AddV2")),
    _binary("Sub", np.subtract),
    _binary("Mul", np.multiply),
    *(_binary(name, np.divide) for name in ("Div", "RealDiv")),
    _unary("Neg", np.negative),
    *(_unary(name, lambda x: 1 / x) for name in ("Reciprocal", "Inv")),
    _unary("Exp", np.exp, np.append(half.EDGE, np.float32([5, 11, 11.09, -17])), 1),
    _unary("Log", np.log, close=1),
    _unary("Tanh", np.tanh, close=1),
    _unary("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), half.EDGE, 1),
    Case(
        "Relu",
        lambda x: raw.Relu(features=x),
        lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0)),
        (half.EDGE,),
    ),
    Case(
        "ReluGrad",
        lambda d, x: raw.ReluGrad(gradients=d, features=x),
        lambda d, x: d * (x > 0),  # so an infinity at 0 or below gives NaN
        (half.PAIRS[0], half.PAIRS[1]),
    ),
    _grad("TanhGrad", lambda y, d: d * (1 - y * y), np.tanh(half.EDGE)),
    _grad("SigmoidGrad", lambda y, d: d * y * (1 - y), np.abs(np.tanh(half.EDGE))),
    # What it gives beside an infinity is TensorFlow's own affair.
    Case("Softmax", lambda x: raw.Softmax(logits=x), _softmax, (LOGITS * 0.8,), 1),
    Case("LogSoftmax", lambda x: raw.LogSoftmax(logits=x), _log_softmax, (LOGITS,), 1),
    Case(
        "SoftmaxCrossEntropyWithLogits",
        lambda x, y: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y),
        _crossed,
        (LOGITS, LABELS),
        1,
    ),
    Case(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x, y: raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y),
        _sparse,
        (LOGITS, np.array([2, 0, 0, 1])),
        1,
    ),
    _reduce("Sum", lambda x: x.sum(1, dtype=np.float32), SUMMED),
    _reduce("Mean", lambda x: x.mean(1, dtype=np.float32), SUMMED),
    _reduce("Max", lambda x: x.max(1), ENDS),
    _reduce("Min", lambda x: x.min(1), ENDS),
    _reduce("Prod", lambda x: x.prod(1, dtype=np.float32), FACTORS),
    Case(
        "Cumprod",
        lambda x: raw.Cumprod(x=x, axis=1),
        lambda x: np.cumprod(x, 1, dtype=np.float32),
        (FACTORS,),
    ),
    Case(
        "Equal",
        lambda x, y: tf.cast(tf.equal(x, y), tf.float32),
        lambda x, y: (x == y).astype(np.float32),
        (half.PAIRS[0], half.PAIRS[1]),
    ),
    Case("MaxPool", lambda x: _pooling("MaxPool", input=x), _max_pool, (POOLED,)),
    Case(
        "MaxPoolGrad",
        lambda x, y, d: _pooling("MaxPoolGrad", orig_input=x, orig_output=y, grad=d),
        _max_pool_grad,
        (DISTINCT, _max_pool(DISTINCT), POOL_BACK),
    ),
    Case(
        "AvgPool",
        lambda x: _pooling("AvgPool", value=x),
        lambda x: half.patches(x, 2, 2, "VALID").mean((3, 4), dtype=np.float32),
        (POOLED,),
    ),
    Case(
        "AvgPoolGrad",
        lambda d: _pooling("AvgPoolGrad", orig_input_shape=POOLED.shape, grad=d),
        _avg_pool_grad,
        (POOL_BACK,),
    ),
]
