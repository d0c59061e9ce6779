"""The checkers of lesson 14, with the solutions that are shown.

A learner's function is traced and run by TensorFlow alone: nothing is counted.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import mistake, refuse_placeholder
from npu_lab.lab.lessons.texts_14 import (
    MATCHED_MISTAKES,
    MENDED_MISTAKES,
    STEPS_MISTAKES,
)


def _extra(name: str) -> Any:
    """A part of the extra that this lesson is about, found when it is asked for."""
    return importlib.import_module(f"npu_lab.extras.tf2.{name}")


# --- the function that falls into the wrong mode

MENDED_SOLUTION = """\
def mended(step, last_loss):
    @tf.function
    def loop_train(iterator, steps):
        for _ in tf.range(steps):
            loss = step(*next(iterator))
            last_loss.assign(loss)

    return loop_train"""

LOSSES = (1.0, 2.0, 4.0, 8.0)
ASKED = 3
SHAPES = {
    "returns": "returns",
    "several whiles": "whiles",
    "unrelated": "outside",
    "unsupported": "host",
}
"""The messages by the reasons of a judgement, in the order in which they are told."""


def check_mended(function: Callable[..., Any]) -> None:
    """Judge the graph as the adapter does, then run it for three steps."""
    if not callable(function):
        raise mistake(MENDED_MISTAKES, "no function")
    if not tf.executing_eagerly():
        message = "This needs TensorFlow 2. Run %load_ext npu_lab.extras.tf2 first."
        raise RuntimeError(message)
    with _extra("seam").bypassed():
        seen = tf.Variable(0, trainable=False)
        last_loss = tf.Variable(0.0, trainable=False)

        def step(x: Any, y: Any) -> Any:
            seen.assign_add(1)
            return tf.reduce_sum(x) * tf.reduce_sum(y)

        loop = function(step, last_loss)
        refuse_placeholder(loop)
        if not hasattr(loop, "get_concrete_function"):
            got = type(loop).__name__
            raise mistake(MENDED_MISTAKES, "no graph", got=got)
        pairs = tf.data.Dataset.from_tensor_slices((list(LOSSES), [1.0] * len(LOSSES)))
        iterator = iter(pairs.batch(1, drop_remainder=True))
        _judge(loop.get_concrete_function(iterator, tf.constant(ASKED)))
        loop(iterator, tf.constant(ASKED))
    if int(seen) != ASKED:
        raise mistake(MENDED_MISTAKES, "steps", got=int(seen))
    if float(last_loss) != LOSSES[ASKED - 1]:
        raise mistake(MENDED_MISTAKES, "kept", got=f"{float(last_loss):g}")


def _judge(concrete: Any) -> None:
    """`Wrong` unless the device would lift the While out of this graph."""
    judging = _extra("judging")
    graph = judging.Graph.of(concrete)
    judgement = judging.judge(graph)
    if judgement.mode == judging.NO_LOOP:
        raise mistake(MENDED_MISTAKES, "no loop")
    got = {
        "several whiles": len(graph.whiles),
        "unrelated": ", ".join(graph.unrelated[:1]),
        "unsupported": ", ".join(graph.unsupported[:1]),
    }
    for reason, key in SHAPES.items():
        if reason in judgement.reasons:
            raise mistake(MENDED_MISTAKES, key, got=got.get(reason, ""))


# --- how many steps a call runs

MODES = ("NPU_LOOP", "HOST_LOOP", "BUILTIN_LOOP", "NO_LOOP")
SIZE, STEPS = 20, 50
RUN = {"NPU_LOOP": SIZE, "HOST_LOOP": SIZE, "BUILTIN_LOOP": SIZE, "NO_LOOP": 1}


def check_steps_run(answer: Any) -> None:
    """`Wrong` at the first mode whose number is another."""
    refuse_placeholder(answer)
    if isinstance(answer, dict):
        answer = list(answer.values())
    if not isinstance(answer, (list, tuple)) or len(answer) != len(MODES):
        raise mistake(STEPS_MISTAKES, "no list", got=repr(answer))
    for mode, got in zip(MODES, answer, strict=True):
        if got == RUN[mode]:
            continue
        waits = mode == "BUILTIN_LOOP" and got == STEPS
        raise mistake(STEPS_MISTAKES, "waits" if waits else mode, got=got)


# --- two numbers that match

EPOCH, CALLS = 80, 5


def check_matched(answer: Any) -> None:
    """Foresee what Keras and the adapter would do; `Wrong` unless nothing is left."""
    refuse_placeholder(answer)
    pair = answer if isinstance(answer, (list, tuple)) else ()
    numbers = [n for n in pair if type(n) is int and n > 0]
    if len(pair) != len(numbers) or len(numbers) != len(("size", "steps")):
        raise mistake(MATCHED_MISTAKES, "no pair", got=repr(answer))
    size, steps = numbers
    facts = {"size": size, "steps": steps, "rest": EPOCH % steps}
    facts["calls"] = math.ceil(EPOCH / steps)
    if steps == 1:
        raise mistake(MATCHED_MISTAKES, "no loop")
    if size != steps:
        key = "waits" if size < steps else "unread"
        raise mistake(MATCHED_MISTAKES, key, **facts)
    if EPOCH % steps:
        raise mistake(MATCHED_MISTAKES, "remainder", **facts)
    if facts["calls"] != CALLS:
        raise mistake(MATCHED_MISTAKES, "calls", **facts)
