"""Exercises and quiz of lesson 01: what a host call costs, and the N to choose."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from npu_lab.lab.exercises import Exercise, Text, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_01 as answers
from npu_lab.lab.lessons.texts_01 import (
    MISTAKES,
    MISTAKES_CHOSEN,
    MISTAKES_SMALLEST,
    QUESTIONS,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 165,
    "training_calls": 143,
    "device_iterations": 190,
    "batches_pulled": 318,
}

# The machine of the exercises: milliseconds a call, milliseconds a step.
OVERHEAD, STEP = 4.0, 1.2
TIMES = {n: STEP + OVERHEAD / n for n in (2, 10)}
PAIR = 2
CLOSE = 0.005
# Overhead, step, share.  None gives a whole number: rounding decides nothing.
CASES = ((OVERHEAD, STEP, 0.05), (0.3, 0.2, 0.05), (2.0, 1.0, 0.03), (0.1, 18.4, 0.05))
SHARE = 0.05
LOG_STEPS, SAVE_STEPS = 100, 1000


def check_overhead_and_step(answer: Any) -> None:
    """`Wrong` unless it is (overhead, step) of the exercise's machine, in ms."""
    wrong = functools.partial(mistake, MISTAKES)
    try:
        overhead, step = map(float, answer)
    except (TypeError, ValueError) as error:
        raise wrong("no pair") from error
    if not (math.isfinite(overhead) and math.isfinite(step)):
        raise wrong("no pair")
    if _near(overhead, OVERHEAD) and _near(step, STEP):
        return
    _refuse(
        MISTAKES,
        {
            "seconds": _near(overhead * 1000, OVERHEAD) and _near(step * 1000, STEP),
            "swapped": _near(overhead, STEP) and _near(step, OVERHEAD),
            "time at 10": _near(step, TIMES[10]),
            "difference": _near(overhead, TIMES[2] - TIMES[10]),
            "per step": _near(overhead, OVERHEAD / 2),
        },
        overhead=f"{overhead:g}",
        step=f"{step:g}",
    )
    # Two lines cross once: it misses at least one of the two times.
    n = next(n for n, time in TIMES.items() if not _near(step + overhead / n, time))
    got = step + overhead / n
    raise wrong("does not fit", n=n, got=f"{got:.3g}", wanted=f"{TIMES[n]:.3g}")


def check_smallest_n(function: Callable[[float, float, float], Any]) -> None:
    """Call the learner's function for a few machines; `Wrong` unless all are right."""
    if not callable(function):
        raise mistake(MISTAKES_SMALLEST, "no function")
    found = []
    for case in CASES:
        answer = function(*case)
        refuse_placeholder(answer)
        found.append(answer)
    for case, answer in zip(CASES, found, strict=True):
        _judge(case, answer)


def _judge(case: tuple[float, float, float], answer: Any) -> None:
    overhead, step, share = case
    if answer is None:
        raise mistake(MISTAKES_SMALLEST, "nothing")
    got = _whole(answer)
    if got is None:
        raise mistake(MISTAKES_SMALLEST, "no whole number", got=repr(answer))
    wanted = smallest(*case)
    _refuse(
        MISTAKES_SMALLEST,
        {
            "below one": got < 1,
            "rounded down": got == wanted - 1,
            "share of steps": got != wanted
            and got == math.ceil(overhead / step / share),
            "too small": got < wanted,
            "too large": got > wanted,
        },
        overhead=overhead,
        step=step,
        share=share,
        got=got,
        wanted=wanted,
        part=_part(overhead, step, got),
    )


def smallest(overhead: float, step: float, share: float) -> int:
    """The smallest N for which the overhead is at most `share` of a call's time."""
    return max(1, math.ceil(overhead * (1 - share) / (share * step)))


def check_chosen_n(answer: Any) -> None:
    """`Wrong` unless it keeps overhead, log and checkpoints as the exercise asks."""
    n = _whole(answer)
    if n is None or n < 1:
        raise mistake(MISTAKES_CHOSEN, "no whole number", n=repr(answer))
    calls = SAVE_STEPS // n
    _refuse(
        MISTAKES_CHOSEN,
        {
            "overhead": n < smallest(OVERHEAD, STEP, SHARE),
            "log": n > LOG_STEPS,
            "checkpoint": SAVE_STEPS % n,
        },
        n=n,
        part=_part(OVERHEAD, STEP, n),
        calls=calls,
        below=calls * n,
        above=(calls + 1) * n,
    )


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=CLOSE)


def _part(overhead: float, step: float, n: int) -> str:
    """The overhead's share of a call, in percent."""
    part = overhead / (overhead + n * step) if n > 0 else 1.0
    return f"{100 * part:.3g} %"


def _whole(answer: Any) -> int | None:
    """A whole number, also one of NumPy's; None if it is none, or is a bool."""
    if isinstance(answer, bool) or not hasattr(type(answer), "__index__"):
        return None
    return operator.index(answer)


def _refuse(
    texts: Mapping[str, Text], mistakes: Mapping[str, object], **facts: object
) -> None:
    """Raise `Wrong` for the first mistake that was made."""
    for key, made in mistakes.items():
        if made:
            raise mistake(texts, key, **facts)


EXERCISES = (
    Exercise(
        name="01/overhead_and_step",
        title={"en": "overhead and step", "zh": "开销与 step"},
        checker=check_overhead_and_step,
        praise={
            "en": "A call costs 4 ms and a step takes 1.2 ms: two times are enough.",
            "zh": "一次调用的开销 4 ms，一个 step 1.2 ms：两个实测时间就够了。",
        },
        hints=(
            {
                "en": "Write the formula down twice, once for each N: two equations,"
                " two unknowns.",
                "zh": "对两个 N 各写一次公式：两个方程，两个未知数。",
            },
            {
                "en": "Subtract the second from the first: the step drops out, and"
                " 3.2 - 1.6 = overhead * (1/2 - 1/10) is left.",
                "zh": "第一式减第二式：step 消去，"
                "剩下 3.2 - 1.6 = 开销 * (1/2 - 1/10)。",
            },
            {
                "en": "With the overhead known: step = 1.6 - overhead / 10.",
                "zh": "求出开销后：step = 1.6 - 开销 / 10。",
            },
        ),
        solution="overhead = (3.2 - 1.6) / (1 / 2 - 1 / 10)\n"
        "overhead_and_step = (overhead, 1.6 - overhead / 10)",
        explanation={
            "en": "The step is in both times alike, so their difference holds only"
            " overhead: 0.4 of it. More than two times would also tell the error;"
            " that is what the fit below does.",
            "zh": "两个时间中的 step 相同，所以差值只含开销，是它的 0.4 倍。"
            "多于两个时间还能给出误差，下文的拟合就是这样做的。",
        },
        mistakes=MISTAKES,
        right=answers.RIGHT,
        wrong=answers.WRONG,
    ),
    Exercise(
        name="01/smallest_n",
        title={"en": "the smallest N that is enough", "zh": "够用的最小 N"},
        checker=check_smallest_n,
        praise={
            "en": "For 4 ms, 1.2 ms and 5 % it is 64; for the heavy step it is 1.",
            "zh": "4 ms、1.2 ms、5 % 时为 64；计算量大的 step 为 1。",
        },
        hints=(
            {
                "en": "A call takes overhead + N * step. Which part of it is overhead?",
                "zh": "一次调用的时间是 开销 + N * step。其中开销占多少？",
            },
            {
                "en": "Solve overhead / (overhead + N * step) = share for N.",
                "zh": "由 开销 / (开销 + N * step) = share 解出 N。",
            },
            {
                "en": "N = overhead * (1 - share) / (share * step), rounded up by"
                " math.ceil.",
                "zh": "N = 开销 * (1 - share) / (share * step)，"
                "再用 math.ceil 向上取整。",
            },
        ),
        solution="import math\n\n\ndef smallest_n(overhead, step, share):\n"
        "    return math.ceil(overhead * (1 - share) / (share * step))",
        explanation={
            "en": "The share falls as N grows, so the equation gives the border, and"
            " rounding up the first N beyond it. Only the ratio of overhead to step"
            " counts: a step ten times as long needs a tenth of the N.",
            "zh": "N 越大占比越小，所以方程给出边界，向上取整就是越过边界的第一个 N。"
            "起作用的只是开销与 step 之比：step 长到十倍，所需的 N 就是十分之一。",
        },
        mistakes=MISTAKES_SMALLEST,
        right=answers.RIGHT_SMALLEST,
        wrong=answers.WRONG_SMALLEST,
    ),
    Exercise(
        name="01/chosen_n",
        title={"en": "choose N", "zh": "选择 N"},
        checker=check_chosen_n,
        praise={
            "en": "120 calls, 3.2 % overhead, and every tenth call a checkpoint.",
            "zh": "120 次调用，开销占 3.2 %，每 10 次调用保存一次 checkpoint。",
        },
        hints=(
            {
                "en": "The first wish is the exercise above: it gives the smallest N.",
                "zh": "第一个要求就是前面的练习：它给出最小的 N。",
            },
            {
                "en": "The second gives the largest N. Which numbers between the two"
                " divide 1,000?",
                "zh": "第二个要求给出最大的 N。两者之间哪些数能整除 1000？",
            },
        ),
        solution="chosen_n = 100",
        explanation={
            "en": "N must be at least 64 and at most 100, and of the divisors of 1,000"
            " only one lies there. Where none does, move the checkpoint: its interval"
            " must be a multiple of N.",
            "zh": "N 至少 64，至多 100，而 1000 的约数中只有一个在这个范围内。"
            "如果一个也没有，就调整 checkpoint 的间隔：它必须是 N 的整数倍。",
        },
        mistakes=MISTAKES_CHOSEN,
        right=answers.RIGHT_CHOSEN,
        wrong=answers.WRONG_CHOSEN,
    ),
)
