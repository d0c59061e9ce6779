"""Exercises of lesson 03: calls divided by N, a remainder, and where training stops.

The learner's training loop is run on a small model on the device, several times in one
session, and judged by what the ledger counted.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.activation import active_device
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_03 as answers
from npu_lab.lab.lessons.questions_03 import QUESTIONS
from npu_lab.lab.lessons.texts_03 import (
    CALLS_MISTAKES,
    STOP_MISTAKES,
    TRAIN_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 435,
    "training_calls": 269,
    "device_iterations": 575,
    "batches_pulled": 804,
}

v1 = tf.compat.v1

# --- calls for an epoch

EXAMPLES, BATCH, N = 8000, 100, 16


def check_calls_per_epoch(answer: Any) -> None:
    """`Wrong` unless the answer is the number of calls."""
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise mistake(CALLS_MISTAKES, "no number")
    steps = EXAMPLES // BATCH
    named = {
        steps: "steps",
        EXAMPLES // N: "examples",
        steps * N: "multiplied",
        steps // 10: "ten",
    }
    if answer != steps // N:
        key = named.get(answer, "other")  # type: ignore[call-overload]
        raise mistake(CALLS_MISTAKES, key, answer=answer)


# --- train exactly so many steps

# (steps, n): with a remainder, without, and fewer than n.  Not one of them has a
# remainder of 1: for a loop of one the device has a word of its own.
RUNS = ((37, 10), (40, 10), (6, 10))

TRAIN_SOLUTION = """\
def train_exactly(sess, iteration, train_op, steps, n):
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(steps // n):
        sess.run(train_op)
    if steps % n:
        iteration.load_iteration_per_loop_var(sess, steps % n)
        sess.run(train_op)"""


def check_train_exactly(function: Callable[..., Any]) -> None:
    """Run the learner's loop on a small model; `Wrong` unless it trains the steps."""
    if not callable(function):
        raise mistake(TRAIN_MISTAKES, "no function")
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        # The count differs from the option on purpose, as the lesson says.
        warnings.simplefilter("ignore", NpuLabWarning)
        initializer, train_op = _small_model()
        iteration = util.IterationPerLoop()
        train_op = iteration.create_iteration_per_loop_var(train_op)
        with v1.Session(config=_config(RUNS[0][1])) as session:
            session.run(v1.global_variables_initializer())
            session.run(initializer)
            iteration.load_iteration_per_loop_var(session, RUNS[0][1])
            left = 0
            for steps, n in RUNS:
                before = _ledger()
                refuse_placeholder(function(session, iteration, train_op, steps, n))
                for made in graph.get_operations():
                    if made.name.startswith("IterationOp_"):
                        raise mistake(TRAIN_MISTAKES, "graph grows", got=made.name)
                counted = {name: now - before[name] for name, now in _ledger().items()}
                _judge(counted, steps, n, left)
                left = steps % n


def _judge(counted: dict[str, int], steps: int, n: int, left: int) -> None:
    """`left` is the count that a run before this one had loaded last, or 0."""
    calls, trained = counted["training_calls"], counted["device_iterations"]
    whole, tail, wanted = steps // n, steps % n, math.ceil(steps / n)
    mistakes = {
        "nothing": not calls,
        "count left": left and calls == wanted and trained == whole * left + tail,
        "undivided": calls >= steps and trained > steps,
        "past the end": tail and trained == wanted * n,
        "no tail": tail and trained == whole * n,
        "one less": tail and trained == steps - 1,
        "calls": trained == steps and calls > wanted,
        "too few calls": trained == steps and calls < wanted,
        "steps": trained != steps or counted["batches_pulled"] != steps,
    }
    for key, made in mistakes.items():
        if made:
            raise mistake(
                TRAIN_MISTAKES,
                key,
                steps=steps,
                n=n,
                calls=calls,
                wanted=wanted,
                trained=trained,
                batches=counted["batches_pulled"],
            )


def _ledger() -> dict[str, int]:
    device = active_device()
    if device is None:
        message = "No device is active. Run %load_ext npu_lab (or npu_lab.activate())."
        raise RuntimeError(message)
    return device.ledger.as_dict()


def _small_model() -> tuple[Any, Any]:
    data = tf.compat.v1.data.Dataset.range(8).repeat().batch(2, drop_remainder=True)
    iterator = v1.data.make_initializable_iterator(data)
    number = tf.cast(iterator.get_next(), tf.float32)
    weight = v1.get_variable("weight", [], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean(tf.square(weight - number))
    return iterator.initializer, v1.train.GradientDescentOptimizer(0.1).minimize(loss)


def _config(n: int) -> Any:
    config = v1.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = n
    return config


# --- where training stops

# (reached, n, k), some with an evaluation between two multiples of k.
STOPS = ((104, 1, 25), (104, 10, 25), (104, 100, 25), (26, 10, 25), (130, 10, 25))

STOP_SOLUTION = """\
def stopping_step(reached, n, k):
    step, due = 0, k
    while True:
        step += n
        if step >= due:
            if step >= reached:
                return step
            due = (step // k + 1) * k"""

# Rules that someone may take for the right one, with the key of each.
RULES: tuple[tuple[str, Callable[[int, int, int], int]], ...] = (
    ("n ignored", answers.n_ignored),
    ("k ignored", answers.k_ignored),
    ("common multiple", answers.common_multiple),
    ("rounded twice", answers.twice_rounded),
    ("drifting", answers.drifting),
    ("due again", answers.due_again),
)


def check_stopping_step(function: Callable[[int, int, int], Any]) -> None:
    """Ask the learner's function for several cases; `Wrong` unless all are right."""
    if not callable(function):
        raise mistake(STOP_MISTAKES, "no function")
    got = [function(*case) for case in STOPS]
    refuse_placeholder(got)
    if any(isinstance(one, bool) or not isinstance(one, Real) for one in got):
        raise mistake(STOP_MISTAKES, "no number")
    wanted = [answers.stop(*case) for case in STOPS]
    if got == wanted:
        return
    at = next(i for i, one in enumerate(got) if one != wanted[i])
    reached, n, k = STOPS[at]
    taken = [key for key, rule in RULES if got == [rule(*case) for case in STOPS]]
    if got[at] < reached:
        taken.append("too early")
    taken.append("off the calls" if got[at] % n or got[at] < wanted[at] else "too late")
    facts = {"reached": reached, "n": n, "k": k, "got": got[at], "wanted": wanted[at]}
    raise mistake(STOP_MISTAKES, taken[0], **facts)


_calls_per_epoch = Exercise(
    name="03/calls_per_epoch",
    title={"en": "calls for an epoch", "zh": "一个 epoch 的调用次数"},
    checker=check_calls_per_epoch,
    praise={
        "en": "80 steps, 16 a call.",
        "zh": "80 个 step，每次调用 16 个。",
    },
    hints=(
        {
            "en": "N counts training steps, and a step takes one batch.",
            "zh": "N 数的是训练 step，一个 step 用一个 batch。",
        },
        {
            "en": "How many batches has an epoch? Divide that by N.",
            "zh": "一个 epoch 有多少个 batch？再除以 N。",
        },
    ),
    solution="calls_per_epoch = 8000 // 100 // 16",
    explanation={
        "en": "N leaves the batch as it is: an epoch stays 80 steps. 16 divides 80, so"
        " that each epoch ends with a call; at N = 100 it would end inside one.",
        "zh": "N 不改变 batch：一个 epoch 仍是 80 个 step。16 能整除 80，所以每个 epoch"
        " 恰好在一次调用后结束；N = 100 时则会在一次调用中间结束。",
    },
    mistakes=CALLS_MISTAKES,
    right=(5, 5.0),
    wrong=(
        ("steps", 80),
        ("examples", 500),
        ("multiplied", 1280),
        ("ten", 8),
        ("other", 6),
        ("no number", "5"),
    ),
)

_train_exactly = Exercise(
    name="03/train_exactly",
    title={"en": "train exactly so many steps", "zh": "恰好训练指定的 step 数"},
    checker=check_train_exactly,
    praise={
        "en": "Exact in steps and batches, and no call too many.",
        "zh": "step 数和 batch 数都准确，没有多余的调用。",
    },
    hints=(
        {
            "en": "First gap: how many whole loops of n steps are in steps?",
            "zh": "第一处：steps 中有多少个完整的 n 步循环？",
        },
        {
            "en": "The second gap is true if something is left over; the third prepares"
            " the device for a last, shorter loop.",
            "zh": "第二处在有余数时成立；第三处让 Device 准备最后一个较短的循环。",
        },
        {
            "en": "steps // n, steps % n, and load_iteration_per_loop_var with what is"
            " left over.",
            "zh": "steps // n、steps % n，以及用余数调用 load_iteration_per_loop_var。",
        },
    ),
    solution=TRAIN_SOLUTION,
    explanation={
        "en": "The count is a variable of the compiled graph, so a smaller one needs no"
        " compiling. It stays loaded: the next training must load n again, as the first"
        " line does. Better still, choose steps that n divides.",
        "zh": "循环次数是已编译图中的变量，改小不需要重新编译。它会一直保持："
        "下一次训练必须像第一行那样重新加载 n。更好的做法是选择能被 n 整除的 steps。",
    },
    mistakes=TRAIN_MISTAKES,
    right=answers.RIGHT_TRAIN,
    wrong=answers.WRONG_TRAIN,
)

_stopping_step = Exercise(
    name="03/stopping_step",
    title={"en": "the stopping step", "zh": "停止的 step"},
    checker=check_stopping_step,
    praise={
        "en": "Where a call ends, an evaluation is due, and the accuracy is reached.",
        "zh": "调用结束、该评估了、精度也已达到。",
    },
    hints=(
        {
            "en": "First gap: by how many steps does a call move training on?",
            "zh": "第一处：一次调用让训练前进多少个 step？",
        },
        {
            "en": "Second gap: the smallest multiple of k that lies after step.",
            "zh": "第二处：大于 step 的最小的 k 的倍数。",
        },
        {
            "en": "step // k whole multiples are done; the next is one more, times k.",
            "zh": "已经过了 step // k 个倍数；下一个再加一，乘以 k。",
        },
    ),
    solution=STOP_SOLUTION,
    explanation={
        "en": "The host sees the device between calls only: everything it does there -"
        " evaluate, save, log, stop - falls on multiples of N. If k is a multiple of N,"
        " evaluation comes on time.",
        "zh": "Host 只在两次调用之间看到 Device 的状态：评估、保存、打印、停止都落在"
        " N 的倍数上。若 k 是 N 的倍数，评估就恰好准时。",
    },
    mistakes=STOP_MISTAKES,
    right=answers.RIGHT_STOP,
    wrong=answers.WRONG_STOP,
)

EXERCISES = (_calls_per_epoch, _train_exactly, _stopping_step)
