"""Exercises of lesson 11: the first overflow, two mends, and the steps skipped."""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_11 as answers
from npu_lab.lab.lessons.questions_11 import QUESTIONS
from npu_lab.lab.lessons.texts_11 import (
    ENERGY_MISTAKES,
    FIRST_MISTAKES,
    MIXLIST_MISTAKES,
    SKIPPED_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 82,
    "training_calls": 50,
    "device_iterations": 500,
    "batches_pulled": 500,
}
FIRST = "conv1/Conv2D"
LARGEST, TAPS = 65504.0, 25  # of float16; the weights of conv1 for one output
SKIPPED, HALVINGS, STEPS = 30, 15, 100

# --- the first operator


def check_first(answer: Any) -> None:
    """`Wrong` unless the answer is the name of the first operator that overflowed."""
    if not isinstance(answer, str):
        raise mistake(FIRST_MISTAKES, "no text", got=repr(answer))
    if answer == FIRST:
        return
    if answer.partition(":")[0] == FIRST:
        raise mistake(FIRST_MISTAKES, "tensor", got=answer)
    if answer == "Conv2D":
        raise mistake(FIRST_MISTAKES, "type", got=answer)
    for key, parts in (
        ("gradient", ("gradients", "Grad", "Backprop")),
        ("later", ("conv", "batch_norm", "scores", "Relu", "softmax", "mul", "loss")),
    ):
        if any(part in answer for part in parts):
            raise mistake(FIRST_MISTAKES, key, got=answer)
    raise mistake(FIRST_MISTAKES, "other", got=answer)


# --- the energy of a pixel

ENERGY_SOLUTION = """\
def scaled_energy(pixels):
    return tf.square(pixels / 255)"""


def check_energy(function: Any) -> None:
    """Ask for the energy of all pixels; `Wrong` unless it fits into float16."""
    if not callable(function):
        raise mistake(ENERGY_MISTAKES, "no function")
    pixels = np.arange(256, dtype="float32").reshape(1, 16, 16, 1)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        given = tf.compat.v1.placeholder(tf.float32, [None, 16, 16, 1])
        made = function(given)
        refuse_placeholder(made)
        if not tf.is_tensor(made):
            raise mistake(ENERGY_MISTAKES, "no tensor", got=type(made).__name__)
        value = session.run(made, {given: pixels})
    if value.dtype != np.float32 or value.shape != pixels.shape:
        got = f"{value.dtype} {list(value.shape)}"
        raise mistake(ENERGY_MISTAKES, "no tensor", got=got)
    energy = value.ravel()
    times = float(energy[240] / energy[120]) if energy[120] else 0.0
    proportional = np.allclose(energy, energy[128] * (pixels.ravel() / 128) ** 2)
    if not proportional:
        raise mistake(ENERGY_MISTAKES, "no square", times=f"{times:.3g}")
    largest = float(energy[255])
    if TAPS * largest > LARGEST:
        facts = {"largest": f"{largest:,.0f}", "total": f"{TAPS * largest:,.0f}"}
        raise mistake(ENERGY_MISTAKES, "too large", **facts)
    if not np.float16(energy[1]):
        raise mistake(ENERGY_MISTAKES, "too small", smallest=f"{energy[1]:.1g}")


# --- the lists


def _precision(module: str) -> Any:
    """A module of the extra, which is loaded only where it is needed."""
    return importlib.import_module(f"npu_lab.extras.tuning.precision.{module}")


def check_mixlist(answer: Any) -> None:
    """Read the file as the device does; `Wrong` unless Conv2D is never reduced."""
    if not isinstance(answer, dict):
        raise mistake(MIXLIST_MISTAKES, "no dictionary")
    for listed, changes in answer.items():
        refuse_placeholder(changes)
        for names in changes.values() if isinstance(changes, dict) else (changes,):
            _check_names(names, listed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixlist.json"
        path.write_text(json.dumps(answer), "utf-8")
        lists = _precision("lists").Lists()
        lists.read_mixlist(str(path))
    found = lists.list_of("Conv2D")
    if found != "black":
        raise mistake(MIXLIST_MISTAKES, "not there", got=found)


def _check_names(names: Any, listed: str) -> None:
    refuse_placeholder(names)
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise mistake(MIXLIST_MISTAKES, "no list", got=repr(names))
    if listed == "white-list" and "Conv2D" in names:
        raise mistake(MIXLIST_MISTAKES, "white")
    for name in names:
        if "/" in name:
            raise mistake(MIXLIST_MISTAKES, "name", got=name)
        if name not in _precision("table").VENDORS:
            raise mistake(MIXLIST_MISTAKES, "unknown", got=name)


# --- steps that were skipped


def check_skipped(answer: Any) -> None:
    """`Wrong` unless it is the number of skipped steps."""
    if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)):
        raise mistake(SKIPPED_MISTAKES, "no number", got=repr(answer))
    if answer == SKIPPED:
        return
    known = {HALVINGS: "halvings", STEPS - SKIPPED: "good", STEPS: "all"}
    raise mistake(SKIPPED_MISTAKES, known.get(int(answer), "other"))


_first = Exercise(
    name="11/first_operator",
    title={"en": "the first operator that overflowed", "zh": "第一个溢出的算子"},
    checker=check_first,
    praise={
        "en": "Its inputs are clean, its output is not.",
        "zh": "它的输入正常，输出不正常。",
    },
    hints=(
        {
            "en": "dump.first_overflow takes the folder and gives one Dump.",
            "zh": "dump.first_overflow 的参数是目录，返回一个 Dump。",
        },
        {
            "en": 'dump.first_overflow(work / "overflow").op_name',
            "zh": 'dump.first_overflow(work / "overflow").op_name',
        },
    ),
    solution='first_operator = "conv1/Conv2D"',
    explanation={
        "en": "conv1/Conv2D was executed before all others that overflowed; they only"
        " computed with its infinities.",
        "zh": "conv1/Conv2D 在其他溢出的算子之前执行；后者只是用它的无穷大继续计算。",
    },
    mistakes=FIRST_MISTAKES,
    right=(FIRST,),
    wrong=(
        ("tensor", f"{FIRST}:0"),
        ("type", "Conv2D"),
        ("later", "conv1/BiasAdd"),
        ("later", "conv2/Conv2D"),
        ("gradient", "gradients/conv2/Conv2D_grad/Conv2DBackpropFilter"),
        ("other", "first"),
        ("no text", 0),
    ),
)
_energy = Exercise(
    name="11/scaled_energy",
    title={"en": "an energy that fits", "zh": "放得下的能量"},
    checker=check_energy,
    praise={
        "en": "The same information, in numbers that float16 holds.",
        "zh": "信息相同，而数值 float16 放得下。",
    },
    hints=(
        {
            "en": "Which numbers do pixels become when the largest is to be 1?",
            "zh": "如果要让最大值为 1，像素应除以多少？",
        },
        {
            "en": "Divide by 255, then square.",
            "zh": "先除以 255，再平方。",
        },
    ),
    solution=ENERGY_SOLUTION,
    explanation={
        "en": "From 0 to 1: 25 of them add up to 25 at most. Where one divides matters"
        " little here, for 65025 itself still fits; the sum did not.",
        "zh": "范围为 0 到 1：25 个相加最多为 25。先除还是后除在这里影响不大，"
        "因为 65025 本身还放得下；放不下的是它们的和。",
    },
    mistakes=ENERGY_MISTAKES,
    right=(answers.normalized, answers.divided_after, answers.smaller),
    wrong=(
        ("no function", 255),
        ("too large", answers.unchanged),
        ("too large", answers.halved),
        ("no square", answers.not_squared),
        ("no square", answers.clipped),
        ("too small", answers.vanishing),
        ("no tensor", answers.nothing),
        ("no tensor", answers.one_number),
        ("no tensor", answers.in_float16),
    ),
)
_mixlist = Exercise(
    name="11/mixlist",
    title={"en": "a list of mixed precision", "zh": "混合精度名单"},
    checker=check_mixlist,
    praise={
        "en": "Convolutions stay in float32, all of them.",
        "zh": "所有卷积都保持 float32。",
    },
    hints=(
        {"en": "The lists hold operator types.", "zh": "名单中是算子类型。"},
        {
            "en": "Ask the first Dump for its op_type.",
            "zh": "查看第一个 Dump 的 op_type。",
        },
    ),
    solution='mixlist = {"black-list": {"to-add": ["Conv2D"]}}',
    explanation={
        "en": "Their gradients are types of their own, Conv2DBackpropInput and"
        " Conv2DBackpropFilter: they stay in float16 unless they are added, too.",
        "zh": "卷积的梯度是另外的类型：Conv2DBackpropInput 和 Conv2DBackpropFilter，"
        "不加入名单就仍用 float16。",
    },
    mistakes=MIXLIST_MISTAKES,
    right=(
        {"black-list": {"to-add": ["Conv2D", "Conv2DBackpropFilter"]}},
        {
            "black-list": {"to-add": ["Conv2D"]},
            "white-list": {"to-remove": ["MatMul"]},
        },
    ),
    wrong=(
        ("no dictionary", "Conv2D"),
        ("no list", {"black-list": {"to-add": "Conv2D"}}),
        ("name", {"black-list": {"to-add": [FIRST]}}),
        ("unknown", {"black-list": {"to-add": ["conv2d"]}}),
        ("white", {"white-list": {"to-add": ["Conv2D"]}}),
        ("not there", {"black-list": {"to-add": ["MatMul"]}}),
        ("not there", {"black-list": {"to-remove": ["Conv2D"]}}),
    ),
)
_skipped = Exercise(
    name="11/skipped",
    title={"en": "the steps that were skipped", "zh": "被跳过的步数"},
    checker=check_skipped,
    praise={
        "en": "Two for each halving; the global step is the rest.",
        "zh": "每次减半对应两步；其余就是 global step。",
    },
    hints=(
        {
            "en": "How often is 2**32 halved until it is 2**17?",
            "zh": "2**32 减半多少次得到 2**17？",
        },
        {
            "en": "Every halving takes decr_every_n_nan_or_inf skipped steps.",
            "zh": "每次减半需要跳过 decr_every_n_nan_or_inf 步。",
        },
    ),
    solution="skipped = 2 * (32 - 17)",
    explanation={
        "en": "15 halvings, two skipped steps each: 30. The other 70 moved weights and"
        " global step. A better start saves them: 2**15 skipped none.",
        "zh": "减半 15 次，每次跳过两步：30 步。其余 70 步更新了权重和 global step。"
        "选好起始值就能省下：从 2**15 开始一步也没有跳过。",
    },
    mistakes=SKIPPED_MISTAKES,
    right=(np.int64(SKIPPED),),
    wrong=(
        ("no number", "30"),
        ("halvings", HALVINGS),
        ("good", 70),
        ("all", STEPS),
        ("other", 17),
    ),
)
EXERCISES = (_first, _energy, _mixlist, _skipped)
