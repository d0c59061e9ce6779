"""Each operator of the table in float16, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.tuning.precision.table import OPERATORS
from tests.extras.tuning.precision import half
from tests.extras.tuning.precision.cases import CASES, LABELS, LOGITS
from tests.extras.tuning.precision.runs import run, saturate

MODES = pytest.mark.parametrize("saturates", [False, True], ids=["inf_nan", "saturate"])
IDS = [f"{case.operator} {case.note}".strip() for case in CASES]


def _check(got, wanted, close):
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_array_equal(a.astype(np.float16).astype(np.float32), a)
        if not close:
            np.testing.assert_array_equal(a, b)
            continue
        np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b))
        finite = np.isfinite(b)
        np.testing.assert_array_equal(a[~finite], b[~finite])
        assert (np.abs(a[finite] - b[finite]) <= close * _gap(b[finite])).all()


def _gap(value):
    """One unit in the last place of float16."""
    below = np.minimum(np.abs(value), 65472).astype(np.float16)
    return np.spacing(below).astype(np.float32)


def test_every_operator_of_the_table_has_a_case():
    assert {case.operator for case in CASES} == set(OPERATORS)


@MODES
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_operator_is_that_of_numpy(device, case, saturates):
    saturate(saturates)
    got = run(case.build, case.inputs, precision_mode="force_fp16")
    wanted = half.reference(case.compute, case.inputs, saturates)
    several = isinstance(wanted, list)
    _check([*got] if several else [got], wanted if several else [wanted], case.close)


@MODES
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_it_is_not_what_float32_gives(device, case, saturates):
    """So the test above can fail: float32 differs wherever float16 is too small."""
    saturate(saturates)
    with np.errstate(all="ignore"):
        plain = case.compute(*case.inputs)
    plain = plain if isinstance(plain, tuple) else (plain,)
    wanted = half.reference(case.compute, case.inputs, saturates)
    wanted = wanted if isinstance(wanted, list) else [wanted]
    same = all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(plain, wanted, strict=True)
    )
    # These stay within float16; the operator's other cases do not.
    small = case.operator in {"Conv2D", "MatMul", "MaxPoolGrad"}
    small |= case.operator.startswith("Conv2DBackprop")
    assert not same or small


def _gradient(function):
    """The gradients of a function of several tensors, with a gradient fed for it."""

    def build(back, *inputs):
        return tf.gradients(function(*inputs), list(inputs), back)

    return build


def _rows(*rows):
    return np.array(rows, np.float32)


X = _rows([1.5, -2.25, 300], [0.3, 6e-8, 40000])
Y = _rows([2, 0.7, -250], [1e-4, 3, 0.01])
BACK = _rows([0.1, 70000, -3], [1, 1e-8, 500])
GRADIENTS = {
    "Add": (tf.add, lambda b, x, y, r: (b, b)),
    "Sub": (tf.subtract, lambda b, x, y, r: (b, r(-b))),
    "Mul": (tf.multiply, lambda b, x, y, r: (r(b * y), r(x * b))),
    "RealDiv": (
        tf.divide,
        lambda b, x, y, r: (r(b / y), r(b * r(r(r(-x) / y) / y))),
    ),
    "MatMul": (
        lambda x, y: tf.matmul(x, y, transpose_b=True),
        lambda b, x, y, r: (r(b @ y), r(b.T @ x)),
    ),
    "BatchMatMul": (
        lambda x, y: tf.matmul(x[None], y[None], transpose_b=True)[0],
        lambda b, x, y, r: (r(b @ y), r(b.T @ x)),
    ),
    "BiasAdd": (
        lambda x, y: tf.nn.bias_add(x, y[0]),
        lambda b, x, y, r: (b, np.stack([r(b.sum(0)), 0 * y[1]])),
    ),
}


@MODES
@pytest.mark.parametrize("name", GRADIENTS)
def test_a_gradient_is_that_of_numpy(device, name, saturates):
    saturate(saturates)
    function, compute = GRADIENTS[name]

    def r(value):
        return half.rounded(value, saturates)

    back = BACK[:, :2] if name.endswith("MatMul") else BACK
    got = run(_gradient(function), (back, X, Y), precision_mode="force_fp16")
    with np.errstate(all="ignore"):
        wanted = compute(r(back), r(X), r(Y), r)
    for a, b in zip(got, wanted, strict=True):
        # What no operator touches is as it was.
        np.testing.assert_array_equal(half.rounded(a, saturates), b)


def _sigmoid_grad(back, y, r):
    return r(back * y * (1 - y))


ONE = {
    "Exp": (tf.exp, lambda b, x, r: r(b * r(np.exp(x)))),
    "Log": (tf.math.log, lambda b, x, r: r(b * r(1 / x))),
    "Relu": (tf.nn.relu, lambda b, x, r: np.where(x > 0, b, 0)),
    "Tanh": (tf.tanh, lambda b, x, r: r(b * (1 - r(np.tanh(x)) ** 2))),
    "Sigmoid": (
        tf.sigmoid,
        lambda b, x, r: _sigmoid_grad(b, r(1 / (1 + np.exp(-x))), r),
    ),
    "Mean": (
        lambda x: x * 0 + tf.reduce_mean(x, 1, keepdims=True),
        lambda b, x, r: r(r(b * 0) + r(r(b.sum(1, keepdims=True)) / np.float32(3))),
    ),
}


def _shared(choose):
    """The gradient of an extreme value goes to those that have it, in equal parts."""

    def compute(b, x, r):
        chosen = (x == choose(x, 1, keepdims=True)).astype(np.float32)
        part = r(chosen / r(chosen.sum(1, keepdims=True)))
        return r(r(b * 0) + r(part * r(b.sum(1, keepdims=True))))

    return compute


def _of_the_others(b, x, r):
    """The gradient of a product: each gets the product of the others."""
    one = np.ones_like(x[:, :1])
    left = r(np.cumprod(np.hstack([one, x[:, :-1]]), 1, dtype=np.float32))
    right = r(np.cumprod(np.hstack([one, x[:, :0:-1]]), 1, dtype=np.float32))[:, ::-1]
    return r(r(b * 0) + r(r(b.sum(1, keepdims=True)) * r(left * right)))


def _softmax(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def _softmax_grad(b, x, r):
    y = r(_softmax(x))
    return r(r(b - r(r(b * y).sum(1, keepdims=True))) * y)


def _log_softmax_grad(b, x, r):
    y = r(np.log(_softmax(x)))
    return r(b - r(r(b.sum(1, keepdims=True)) * r(np.exp(y))))


def _spread(reduce):
    """A function with an output for each input, so that all gradients count."""
    return lambda x: x * 0 + reduce(x, 1, keepdims=True)


ONE |= {
    "Sum": (
        _spread(tf.reduce_sum),
        lambda b, x, r: r(r(b * 0) + r(b.sum(1, keepdims=True))),
    ),
    "Max": (_spread(tf.reduce_max), _shared(np.max)),
    "Min": (_spread(tf.reduce_min), _shared(np.min)),
    "Prod": (_spread(tf.reduce_prod), _of_the_others),
    "Softmax": (tf.nn.softmax, _softmax_grad),
    "LogSoftmax": (tf.nn.log_softmax, _log_softmax_grad),
}


@MODES
@pytest.mark.parametrize("name", ONE)
def test_a_gradient_of_one_input_is_that_of_numpy(device, name, saturates):
    saturate(saturates)
    function, compute = ONE[name]

    def r(value):
        return half.rounded(value, saturates)

    x = np.abs(X[:, :2]) if name == "Log" else X[:, :2]
    x, back = (np.pad(one, ((0, 0), (0, 1))) + 1 for one in (x, BACK[:, ::2]))
    (got,) = run(_gradient(function), (back, x), precision_mode="force_fp16")
    with np.errstate(all="ignore"):
        wanted = compute(r(back), r(x), r)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(got[~finite], wanted[~finite])
    assert (np.abs(got - wanted)[finite] <= _gap(wanted[finite])).all()


@MODES
def test_the_gradient_of_a_cross_entropy(device, saturates):
    saturate(saturates)

    def build(logits, labels):
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
        return tf.gradients(loss, logits)

    (got,) = run(build, (LOGITS, LABELS), precision_mode="force_fp16")
    shifted = LOGITS.astype(np.float64) - LOGITS.max(1, keepdims=True)
    softmax = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    rows = [0, 1, 3] if not saturates else [0, 1, 2, 3]  # 70000 is inf, so NaN
    np.testing.assert_allclose(got[rows], (softmax - LABELS)[rows], atol=2e-3)


def test_bfloat16(device):
    inputs = half.exact(3, 40) * np.float32(1.01), half.exact(40, 2)
    got = run(tf.matmul, inputs, precision_mode="allow_fp32_to_bf16")

    narrow = tf.bfloat16.as_numpy_dtype
    given = [one.astype(narrow).astype(np.float32) for one in inputs]
    wanted = (given[0] @ given[1]).astype(narrow)
    np.testing.assert_array_equal(got, wanted.astype(np.float32))


def test_only_the_inputs_are_float16_where_outputs_stay_wide(device):
    inputs = half.large(4, 30) * np.float32(1.01), half.large(30, 3)
    got = run(tf.matmul, inputs, precision_mode="cube_fp16in_fp32out")
    wanted = half.rounded(inputs[0], False) @ half.rounded(inputs[1], False)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
    assert np.abs(got).max() > 65504


@MODES
def test_operators_that_the_script_wrote_in_float16(device, saturates):
    """They saturate too, and accumulate in float32."""
    saturate(saturates)
    x = np.array([[300, 2, 1]], np.float16)
    got = run(
        lambda a: (a * a, tf.cast(tf.cast(a, tf.float32) * 1e5, tf.float16)), (x,)
    )
    top = 65504 if saturates else np.inf
    np.testing.assert_array_equal(got[0], np.array([[top, 4, 1]], np.float16))
    np.testing.assert_array_equal(got[1], np.array([[top, top, top]], np.float16))
