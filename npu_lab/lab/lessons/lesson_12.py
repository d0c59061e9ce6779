"""Exercises of lesson 12: a row of the step trace, a pipeline, safe N, calls."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_12 as answers
from npu_lab.lab.lessons.questions_12 import QUESTIONS
from npu_lab.lab.lessons.texts_12 import (
    CALLS_MISTAKES,
    QUICK_MISTAKES,
    SAFE_MISTAKES,
    SHARE_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 46,
    "training_calls": 40,
    "device_iterations": 400,
    "batches_pulled": 400,
}
v1 = tf.compat.v1
# Of the row in the exercise: percent that the device waits, and near misses.
SHARE, SHARE_OF_ITERATION, COMPUTING, NEAR = 75.0, 300.0, 25.0, 0.5
STEPS, INTERVAL, ASKED = 800, 200, (10, 16, 40, 64, 100)
CALLS = {20: "", 80: "unchanged", 800: "steps", 40: "n"}

# --- a row of the step trace


def check_share(answer: Any) -> None:
    """`Wrong` unless the answer is the share of waiting, in percent."""
    if isinstance(answer, bool) or not isinstance(answer, Real):
        raise mistake(SHARE_MISTAKES, "no number", got=repr(answer))
    known = {
        "fraction": SHARE / 100,
        "of iteration": SHARE_OF_ITERATION,
        "computing": COMPUTING,
    }
    if abs(float(answer) - SHARE) < NEAR:
        return
    for key, value in known.items():
        if abs(float(answer) - value) < value / 100:
            raise mistake(SHARE_MISTAKES, key)
    raise mistake(SHARE_MISTAKES, "other")


# --- the pipeline

QUICK_SOLUTION = """\
def quick(paths, labels, decode):
    data = tf.data.Dataset.from_tensor_slices((paths, labels))
    data = data.map(decode, num_parallel_calls=2).cache()
    return data.repeat().batch(32, drop_remainder=True).prefetch(2)"""
PICTURES, BATCH, EPOCHS = 96, 32, 3


class _Decoder:
    """Stands in for `decode`: counts, and gives numbers that tell the picture."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, path: Any, label: Any) -> Any:
        def decoded(path: Any) -> Any:
            self.count += 1
            return np.full([4], float(path), np.float32)

        pixels = v1.py_func(decoded, [path], tf.float32)
        pixels.set_shape([4])
        return pixels, label


def check_quick(function: Any) -> None:
    """Pull three epochs; `Wrong` unless each picture is decoded once."""
    if not callable(function):
        raise mistake(QUICK_MISTAKES, "no function")
    counted, (paths, labels) = _Decoder(), _pictures()
    with tf.Graph().as_default(), v1.Session() as session:
        data = function(paths, labels, counted)
        refuse_placeholder(data)
        if not isinstance(data, tf.data.Dataset):
            raise mistake(QUICK_MISTAKES, "no data", got=type(data).__name__)
        wanted = v1.data.make_one_shot_iterator(
            answers.as_found(paths, labels, _Decoder())
        ).get_next()
        # One of each kind, as the training has it.
        iterator = v1.data.make_initializable_iterator(data)
        batch = iterator.get_next()
        _check_form(batch)
        session.run(iterator.initializer)
        for number in range(EPOCHS * PICTURES // BATCH):
            try:
                got = session.run(batch)
            except tf.errors.OutOfRangeError as error:
                raise mistake(QUICK_MISTAKES, "ends", got=number) from error
            if not np.array_equal(got[0], session.run(wanted)[0]):
                raise mistake(QUICK_MISTAKES, "order")
    if counted.count > PICTURES:
        key = "endless cache" if _caches_last(data) else "again"
        facts = {"got": counted.count, "pictures": PICTURES}
        raise mistake(QUICK_MISTAKES, key, **facts)


def _pictures() -> tuple[list[str], Any]:
    return [str(number) for number in range(PICTURES)], np.arange(PICTURES)


def _check_form(batch: Any) -> None:
    pixels = batch[0] if isinstance(batch, Sequence) else batch
    if pixels.dtype != tf.float32:
        raise mistake(QUICK_MISTAKES, "not decoded", got=pixels.dtype.name)
    shape = pixels.shape
    if shape.rank is None or shape.as_list()[0] is None:
        raise mistake(QUICK_MISTAKES, "shape", got=shape)


def _caches_last(data: Any) -> bool:
    """Whether a cache stands after a repeat."""
    seen = []
    while data is not None:
        seen.append(type(getattr(data, "_dataset", data)).__name__)
        data = next(iter(data._inputs()), None)
    kinds = [name for name in seen if name in ("CacheDataset", "_RepeatDataset")]
    return kinds[:2] == ["CacheDataset", "_RepeatDataset"]


# --- safe N, and calls


def check_safe(answer: Any) -> None:
    """`Wrong` unless the answer holds exactly the safe ones."""
    numbers = [*answer] if isinstance(answer, (list, tuple, set)) else None
    if numbers is None or not all(
        isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in numbers
    ):
        raise mistake(SAFE_MISTAKES, "no list", got=repr(answer))
    for n in numbers:
        if n not in ASKED:
            raise mistake(SAFE_MISTAKES, "unasked", got=n)
        for key, whole in (("steps", STEPS), ("interval", INTERVAL)):
            if whole % n:
                raise mistake(SAFE_MISTAKES, key, got=n)
    wanted = [n for n in ASKED if not STEPS % n and not INTERVAL % n]
    if set(numbers) != set(wanted):
        raise mistake(SAFE_MISTAKES, "missing", count=len(wanted))


def check_calls(answer: Any) -> None:
    """`Wrong` unless the answer is the number of calls."""
    if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)):
        raise mistake(CALLS_MISTAKES, "no number", got=repr(answer))
    if key := CALLS.get(int(answer), "other"):
        raise mistake(CALLS_MISTAKES, key)


_share = Exercise(
    name="12/share",
    title={"en": "the share of waiting", "zh": "等待所占的比例"},
    checker=check_share,
    praise={
        "en": "Three quarters of the time no operator of the training runs.",
        "zh": "四分之三的时间里，没有训练算子在执行。",
    },
    hints=(
        {
            "en": "From one iteration to the next: the gap, then the iteration.",
            "zh": "从一次迭代到下一次：先是间隔，然后是迭代。",
        },
        {
            "en": "1500 of 1500 + 500 microseconds.",
            "zh": "1500 + 500 微秒中的 1500 微秒。",
        },
    ),
    solution="share = 100 * 1500 / (1500 + 500)",
    explanation={
        "en": "Gap and iteration together are 2,000 us. If the pipeline cost nothing,"
        " the training would be four times as fast.",
        "zh": "间隔与迭代共 2000 us。如果流水线不花时间，训练可快四倍。",
    },
    mistakes=SHARE_MISTAKES,
    right=(75, 75.0, np.float32(75)),
    wrong=(
        ("no number", "75"),
        ("fraction", 0.75),
        ("of iteration", 300.0),
        ("computing", 25.0),
        ("other", 60),
    ),
)
_quick = Exercise(
    name="12/quick",
    title={"en": "a quick pipeline", "zh": "快速的数据流水线"},
    checker=check_quick,
    praise={
        "en": "Decoded once; from the second epoch on nothing is left to do.",
        "zh": "只解码一次；从第二个 epoch 起就没有要做的了。",
    },
    hints=(
        {
            "en": "First map, in parallel; then keep what came out.",
            "zh": "先用 map 并行处理，再保存结果。",
        },
        {
            "en": "data.map(decode, num_parallel_calls=2).cache()",
            "zh": "data.map(decode, num_parallel_calls=2).cache()",
        },
    ),
    solution=QUICK_SOLUTION,
    explanation={
        "en": "cache keeps what stands before it, so it stands after map and before"
        " repeat. It needs memory for all pictures; where that is short, decode in"
        " parallel and prefetch.",
        "zh": "cache 保存它之前的结果，所以放在 map 之后、repeat 之前。"
        "它需要能放下全部图片的内存；内存不够时，就并行解码并预取。",
    },
    mistakes=QUICK_MISTAKES,
    right=(answers.parallel, answers.cached_alone),
    wrong=(
        ("no function", 32),
        ("no data", answers.nothing),
        ("not decoded", answers.not_decoded),
        ("shape", answers.open_end),
        ("ends", answers.one_epoch),
        ("again", answers.as_found),
        ("again", answers.without_cache),
        ("again", answers.cached_too_early),
        ("endless cache", answers.cached_too_late),
        ("order", answers.shuffled),
    ),
)
_safe = Exercise(
    name="12/safe",
    title={"en": "the safe N", "zh": "安全的 N"},
    checker=check_safe,
    praise={
        "en": "Each of them divides 800 and 200.",
        "zh": "它们都能整除 800 和 200。",
    },
    hints=(
        {
            "en": "What divides 200 divides 800 as well.",
            "zh": "能整除 200 的也能整除 800。",
        },
        {"en": "200 / 16 is 12.5.", "zh": "200 / 16 等于 12.5。"},
    ),
    solution="safe = [10, 40, 100]",
    explanation={
        "en": "16 divides the steps, but not the interval; 64 divides neither. tune"
        " tries divisors of both only.",
        "zh": "16 能整除步数，但不能整除间隔；64 都不能。tune 只试两者的公约数。",
    },
    mistakes=SAFE_MISTAKES,
    right=([100, 40, 10], {10, 40, 100}),
    wrong=(
        ("no list", 10),
        ("steps", [10, 64]),
        ("interval", [10, 16, 40]),
        ("missing", [10, 40]),
        ("unasked", [10, 40, 100, 200]),
    ),
)
_calls = Exercise(
    name="12/calls",
    title={"en": "the number of calls", "zh": "调用次数"},
    checker=check_calls,
    praise={"en": "20 calls of 40 steps.", "zh": "20 次调用，每次 40 步。"},
    hints=(
        {"en": "The steps stay 800.", "zh": "步数仍是 800。"},
        {"en": "800 // 40", "zh": "800 // 40"},
    ),
    solution="calls = 800 // 40",
    explanation={
        "en": "Whoever forgets it trains four times as long, and nothing fails.",
        "zh": "忘记修改，训练就会多四倍的步数，而且不会报错。",
    },
    mistakes=CALLS_MISTAKES,
    right=(20, np.int64(20)),
    wrong=(
        ("no number", "20"),
        ("unchanged", 80),
        ("steps", 800),
        ("n", 40),
        ("other", 400),
    ),
)
EXERCISES = (_share, _quick, _safe, _calls)
