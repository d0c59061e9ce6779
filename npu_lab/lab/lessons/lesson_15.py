"""Exercises of lesson 15: the edits that sink the script, its calls, a safe N."""

from __future__ import annotations

import functools
import importlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab.lab.exercises import Exercise, mistake
from npu_lab.lab.lessons import answers_15 as answers
from npu_lab.lab.lessons.questions_15 import QUESTIONS
from npu_lab.lab.lessons.texts_15 import (
    EDITS_MISTAKES,
    LARGEST_MISTAKES,
    TRIPS_MISTAKES,
)

__all__ = ["EXERCISES", "QUESTIONS"]

SCRIPT = "one_shot"
ASKED = ("migrated", "sinks", "proved")
STEPS, INTERVAL, N = 400, 125, 10
TRIPS = {40: "", 400: "steps", 10: "n", 4000: "multiplied"}
LARGEST = 25

# --- the edits


def _capstone() -> Any:
    """The extra, which is loaded only where it is needed."""
    return importlib.import_module("npu_lab.extras.capstone")


@functools.cache
def _runs() -> Any:
    """A folder for the runs of all answers: who tries again does not wait again."""
    return tempfile.TemporaryDirectory(prefix="npu_lab_capstone_")


def check_edits(answer: Any) -> None:
    """Apply the edits to a script that the tool has moved, run it, and count."""
    if not isinstance(answer, Mapping) or not all(
        isinstance(one, str) for pair in answer.items() for one in pair
    ):
        raise mistake(EDITS_MISTAKES, "no dictionary")
    capstone = _capstone()
    with tempfile.TemporaryDirectory() as folder:
        project = capstone.begin(SCRIPT, folder)
        project.runs = Path(_runs().name)
        project.migrate()
        try:
            project.edit(answer)
        except ValueError as problem:
            told = " ".join(str(problem).split())
            raise mistake(EDITS_MISTAKES, "piece", problem=told) from problem
        standing = capstone.standing(project, ASKED)
        missing = standing.next
    if missing is not None:
        facts = {"stage": missing.title, "seen": missing.seen}
        raise mistake(EDITS_MISTAKES, "stage", **facts)


# --- numbers


def _whole(answer: Any) -> bool:
    return isinstance(answer, (int, np.integer)) and not isinstance(answer, bool)


def check_trips(answer: Any) -> None:
    """`Wrong` unless the answer is the number of training calls."""
    if not _whole(answer):
        raise mistake(TRIPS_MISTAKES, "no number", got=repr(answer))
    if key := TRIPS.get(int(answer), "other"):
        raise mistake(TRIPS_MISTAKES, key)


def check_largest(answer: Any) -> None:
    """`Wrong` unless the answer is the largest safe N."""
    if not _whole(answer) or answer < 1:
        raise mistake(LARGEST_MISTAKES, "no number", got=repr(answer))
    for key, whole in (("steps", STEPS), ("interval", INTERVAL)):
        if whole % answer:
            raise mistake(LARGEST_MISTAKES, key, got=answer)
    if answer != LARGEST:
        raise mistake(LARGEST_MISTAKES, "smaller", got=answer)


def _as_code(edits: Mapping[str, str]) -> str:
    pairs = "".join(f"    {piece!r}: {mended!r},\n" for piece, mended in edits.items())
    return f"edits = {{\n{pairs}}}"


_edits = Exercise(
    name="15/edits",
    title={"en": "the edits that sink it", "zh": "使循环下沉的修改"},
    checker=check_edits,
    praise={
        "en": "In effect, on fresh data, and 400 steps as before.",
        "zh": "已生效，数据每次迭代更新，仍是 400 步。",
    },
    hints=(
        {
            "en": "Three places: the iterator, the session's configuration, the loop.",
            "zh": "三处：迭代器、会话配置、循环。",
        },
        {
            "en": "npu_config_proto() has made the optimizer: take"
            " custom_optimizers[0], and set enable_data_pre_proc and"
            " iterations_per_loop in its parameter_map.",
            "zh": "npu_config_proto() 已添加优化器：取 custom_optimizers[0]，在其"
            " parameter_map 中设置 enable_data_pre_proc 和 iterations_per_loop。",
        },
        {
            "en": "In the session: sess.run(iterator.initializer), then train_op ="
            " util.set_iteration_per_loop(sess, train_op, 10), then STEPS // 10 turns.",
            "zh": "在会话中：先 sess.run(iterator.initializer)，再 train_op ="
            " util.set_iteration_per_loop(sess, train_op, 10)，循环 STEPS // 10 次。",
        },
    ),
    solution=_as_code(answers.RIGHT),
    explanation={
        "en": "A one-shot iterator cannot be sunk. The option permits the loop, the"
        " setter marks the operation and loads the count, enable_data_pre_proc takes"
        " GetNext along, and the turns are divided.",
        "zh": "OneShotIterator 迭代器不能下沉。配置项允许循环，"
        "设置接口标记算子并加载次数，"
        "enable_data_pre_proc 使 GetNext 一同下沉，循环次数则相应减少。",
    },
    mistakes=EDITS_MISTAKES,
    right=(answers.ANOTHER_N,),
    wrong=(
        ("no dictionary", "sess.run(iterator.initializer)"),
        ("piece", answers.NO_SUCH_PIECE),
        ("stage", {}),
        ("stage", answers.BROKEN),
        ("stage", answers.ONE_SHOT_LEFT),
        ("stage", answers.UNDIVIDED),
        ("stage", answers.NOT_ON_THE_DEVICE),
    ),
)
_trips = Exercise(
    name="15/trips",
    title={"en": "the training calls", "zh": "训练调用次数"},
    checker=check_trips,
    praise={"en": "40 calls of 10 steps.", "zh": "40 次调用，每次 10 步。"},
    hints=(
        {"en": "The steps stay 400.", "zh": "步数仍是 400。"},
        {"en": "400 // 10", "zh": "400 // 10"},
    ),
    solution="trips = 400 // 10",
    explanation={
        "en": "A ledger that counts 400 calls of ten has trained ten times as long.",
        "zh": "如果账本计数 400 次、每次十步，训练就多了十倍。",
    },
    mistakes=TRIPS_MISTAKES,
    right=(40, np.int64(40)),
    wrong=(
        ("no number", "40"),
        ("steps", 400),
        ("n", 10),
        ("multiplied", 4000),
        ("other", 44),
    ),
)
_largest = Exercise(
    name="15/largest",
    title={"en": "the largest safe N", "zh": "安全的最大 N"},
    checker=check_largest,
    praise={
        "en": "25 divides 400 and 125, and nothing larger does.",
        "zh": "25 能整除 400 和 125，没有更大的了。",
    },
    hints=(
        {
            "en": "It is the greatest common divisor of two numbers.",
            "zh": "是两个数的最大公约数。",
        },
        {"en": "125 = 5 x 25, 400 = 16 x 25.", "zh": "125 = 5 x 25，400 = 16 x 25。"},
    ),
    solution="largest = 25",
    explanation={
        "en": "Or the interval is changed: with saves every 200 steps, N may be 200.",
        "zh": "也可以改保存间隔：每 200 步保存一次时，N 可以是 200。",
    },
    mistakes=LARGEST_MISTAKES,
    right=(25, np.int32(25)),
    wrong=(
        ("no number", 0),
        ("steps", 125),
        ("interval", 50),
        ("smaller", 5),
    ),
)
EXERCISES = (_edits, _trips, _largest)
