"""Exercises of lesson 06: where checkpoints land, and the largest N that fits."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_06 as answers
from npu_lab.lab.lessons.questions_06 import QUESTIONS
from npu_lab.lab.lessons.texts_06 import N_MISTAKES, STEPS_MISTAKES
from npu_lab.plan import TrainingPlan

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 968,
    "training_calls": 161,
    "device_iterations": 1420,
    "batches_pulled": 1640,
}

# --- the steps of the checkpoints

# (save, n, last): late by less than a loop, on time, below N, and late at the end.
TRAININGS = ((25, 10, 100), (20, 10, 100), (5, 10, 40), (30, 20, 200), (70, 20, 200))

STEPS_SOLUTION = """\
def checkpoint_steps(save, n, last):
    steps = [0]  # before the first call
    for step in range(n, last + 1, n):
        if step - steps[-1] >= save or step == last:
            steps.append(step)
    return steps"""


def check_checkpoint_steps(function: Callable[[int, int, int], Any]) -> None:
    """Ask for several trainings; `Wrong` unless all answers are right."""
    if not callable(function):
        raise mistake(STEPS_MISTAKES, "no function")
    got = [function(*training) for training in TRAININGS]
    refuse_placeholder(got)
    if not all(map(_are_steps, got)):
        raise mistake(STEPS_MISTAKES, "no steps")
    listed = [[int(step) for step in one] for one in got]
    wanted = [_planned(*training) for training in TRAININGS]
    if listed == wanted:
        return
    at = next(i for i, one in enumerate(listed) if one != wanted[i])
    taken = (
        key
        for key, rule in answers.RULES
        if listed == [rule(*training) for training in TRAININGS]
    )
    save, n, last = TRAININGS[at]
    facts: dict[str, object] = {"save": save, "n": n, "last": last}
    facts |= {"got": listed[at], "wanted": wanted[at]}
    raise mistake(STEPS_MISTAKES, next(taken, "other"), **facts)


def _planned(save: int, n: int, last: int) -> list[int]:
    plan = TrainingPlan(
        max_steps=last, iterations_per_loop=n, save_checkpoints_steps=save
    )
    return list(plan.checkpoints)


def _are_steps(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_is_whole, value))


def _is_whole(value: Any) -> bool:
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and float(value).is_integer()


# --- the largest N

# (max_steps, save); the first tells most wrong rules apart.
SETTINGS = ((1000, 80), (90, 60), (360, 100), (35, 14))

N_SOLUTION = """\
import math


def largest_n(max_steps, save):
    return math.gcd(max_steps, save)"""


def check_largest_n(function: Callable[[int, int], Any]) -> None:
    """Ask for several trainings; `Wrong` unless all answers are right."""
    if not callable(function):
        raise mistake(N_MISTAKES, "no function")
    for max_steps, save in SETTINGS:
        got = function(max_steps, save)
        refuse_placeholder(got)
        facts: dict[str, object] = {"max_steps": max_steps, "save": save, "got": got}
        if not _is_whole(got) or got < 1:
            raise mistake(N_MISTAKES, "no count", **facts)
        n = int(got)
        plan = TrainingPlan(
            max_steps=max_steps, iterations_per_loop=n, save_checkpoints_steps=save
        )
        facts |= {"final": plan.final_step, "interval": plan.checkpoint_interval}
        mistakes = {
            "longer": n > max_steps,
            "end": plan.final_step != max_steps,
            "checkpoints": plan.checkpoint_interval != save,
            "smaller works": n != answers.greatest(max_steps, save),
        }
        for key, made in mistakes.items():
            if made:
                raise mistake(N_MISTAKES, key, **facts)


_checkpoint_steps = Exercise(
    name="06/checkpoint_steps",
    title={"en": "the steps of the checkpoints", "zh": "checkpoint 的步数"},
    checker=check_checkpoint_steps,
    praise={
        "en": "So the hook counts: from its last checkpoint, at ends of loops.",
        "zh": "hook 正是这样计数的：从上一个 checkpoint 算起，在循环结束处判断。",
    },
    hints=(
        {
            "en": "First gap: from where does the hook count? Not from a multiple.",
            "zh": "第一处：hook 从哪里算起？不是从某个倍数算起。",
        },
        {
            "en": "Second gap: one step is always saved, however few have passed.",
            "zh": "第二处：有一个步数总会保存，不论过了多少步。",
        },
        {
            "en": "The step saved last is steps[-1]; the end of training is last.",
            "zh": "上一次保存的步数是 steps[-1]；训练结束处是 last。",
        },
    ),
    solution=STEPS_SOLUTION,
    explanation={
        "en": "Where save is a multiple of n, the hook is never late, and the list is"
        " what was configured. Otherwise every interval is rounded up to whole loops.",
        "zh": "如果 save 是 n 的整数倍，hook 就不会延迟，列表与配置一致；"
        "否则每个间隔都向上取整到完整的循环。",
    },
    mistakes=STEPS_MISTAKES,
    right=answers.RIGHT_STEPS,
    wrong=answers.WRONG_STEPS,
)

_largest_n = Exercise(
    name="06/largest_n",
    title={"en": "the largest N that fits", "zh": "满足要求的最大的 N"},
    checker=check_largest_n,
    praise={
        "en": "Training ends in time, and each checkpoint is where it was configured.",
        "zh": "训练准时结束，每个 checkpoint 都在配置的位置。",
    },
    hints=(
        {
            "en": "Which N ends in time? Those that divide max_steps. And which save in"
            " time?",
            "zh": "哪些 N 能准时结束？能整除 max_steps 的。哪些能准时保存？",
        },
        {
            "en": "The largest number that divides both: the math module has it.",
            "zh": "能整除两者的最大的数：math 模块中有现成的函数。",
        },
    ),
    solution=N_SOLUTION,
    explanation={
        "en": "Any divisor of both keeps the configuration; the greatest makes the"
        " fewest calls. If it is small, change save or max_steps, not the rule.",
        "zh": "两者的任何公约数都符合配置，最大公约数的调用次数最少。"
        "如果它太小，请修改 save 或 max_steps。",
    },
    mistakes=N_MISTAKES,
    right=answers.RIGHT_N,
    wrong=answers.WRONG_N,
)

EXERCISES = (_checkpoint_steps, _largest_n)
