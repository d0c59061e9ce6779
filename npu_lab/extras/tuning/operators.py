"""Operators that the NPU has in one piece, from TensorFlow's own: same results.

Gradients are TensorFlow's.  In the loop random numbers go on as in a plain run.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops import nn_ops

from npu_lab import language
from npu_lab._tensorflow import tf

v1 = tf.compat.v1

TEXTS = {
    "eager": {
        "en": "{name} is an operator of a graph, but eager execution is on. Build the"
        " model in `with graph.as_default():`, or start with activate(view=True).",
        "zh": "{name} 是图模式的算子，但当前启用了 eager 模式。请在"
        " `with graph.as_default():` 中构图，或用 activate(view=True) 启动。",
    },
    "type": {
        "en": "dropout: x must be of a floating type, not {given}.",
        "zh": "dropout：x 必须是浮点类型，而不是 {given}。",
    },
    "keep_prob": {
        "en": "dropout: keep_prob is {given}, but must be above 0 and at most 1. It is"
        " the share that is kept, 1 - rate of tf.nn.dropout.",
        "zh": "dropout：keep_prob 为 {given}，取值范围是 (0, 1]。"
        "它是保留的比例，即 tf.nn.dropout 的 1 - rate。",
    },
    "steps": {
        "en": "npu_dynamic_rnn: the first dimension of inputs, the time, must be known,"
        " but the shape is {given}.",
        "zh": "npu_dynamic_rnn：inputs 的第一维（时间）必须已知，"
        "但其 shape 为 {given}。",
    },
}


def dropout(
    x: Any,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Set elements of `x` to 0 at random; the others are divided by `keep_prob`.

    Args:
        x: of a floating type.
        keep_prob: the share that is kept, a number or a tensor.
        noise_shape: of what is drawn, to be broadcast, as in `tf.nn.dropout`.
        seed: of the random numbers, which are not those of `tf.nn.dropout`.
        name: of the operators.

    Returns:
        A tensor as `x`, or `x` itself where `keep_prob` is the number 1.

    Raises:
        RuntimeError: eager execution is on.
        ValueError: `x` is of another type, or the number `keep_prob` is not in (0, 1].
    """
    _in_graph("npu_ops.dropout")
    with tf.name_scope(name or "dropout"):
        x = tf.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(_text("type", given=x.dtype.name))
        if isinstance(keep_prob, (int, float)):
            if not 0 < keep_prob <= 1:
                raise ValueError(_text("keep_prob", given=keep_prob))
            if keep_prob == 1:
                return x
        kept = tf.convert_to_tensor(keep_prob, tf.float32)
        shape = nn_ops._get_noise_shape(x, noise_shape)
        drawn = v1.random_uniform(shape, seed=seed)
        mask = tf.cast(drawn < kept, x.dtype)
        made = x * (mask / tf.cast(kept, x.dtype))
        made.set_shape(x.shape)
        return made


def gelu(x: Any) -> Any:
    """The Gaussian error linear unit, by its tanh approximation.

    Raises:
        RuntimeError: eager execution is on.
    """
    _in_graph("npu_unary_ops.gelu")
    return tf.nn.gelu(x, approximate=True, name="gelu")


def npu_dynamic_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Run a recurrent cell over time, unrolled.

    Args:
        cell: a cell of `tf.nn.rnn_cell`.
        inputs: time first, ``[T, batch, ...]``, T known.
        initial_state: of the cell, by default zeros of `dtype`.
        dtype: of that state.
        sequence_length: steps of each example; later outputs are 0.
        scope: of the variables, "rnn" by default.

    Returns:
        All outputs, time first, and the last state.

    Raises:
        ValueError: T is not known.
    """
    inputs = tf.convert_to_tensor(inputs)
    if inputs.shape.rank is None or inputs.shape.as_list()[0] is None:
        raise ValueError(_text("steps", given=inputs.shape))
    outputs, state = v1.nn.static_rnn(
        cell,
        tf.unstack(inputs, axis=0),
        initial_state=initial_state,
        dtype=dtype,
        sequence_length=sequence_length,
        scope=scope,
    )
    return tf.stack(outputs, axis=0), state


def _in_graph(name: str) -> None:
    if tf.executing_eagerly():
        raise RuntimeError(_text("eager", name=name))


def _text(key: str, **facts: object) -> str:
    return TEXTS[key][language.current()].format(**facts)
