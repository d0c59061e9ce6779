"""Exercises of lesson 08: a loop that the tool can sink, and one to mend."""

from __future__ import annotations

import importlib
import textwrap
from typing import Any

from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_08 as answers
from npu_lab.lab.lessons.questions_08 import QUESTIONS
from npu_lab.lab.lessons.replay import run
from npu_lab.lab.lessons.scripts_08 import FAST, ONLY_TRAINS, with_loop
from npu_lab.lab.lessons.texts_08 import LINES_MISTAKES, LOOP_MISTAKES

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 13,
    "training_calls": 6,
    "device_iterations": 60,
    "batches_pulled": 61,
}
STEPS = 60
MARKS = 3


def _asking() -> Any:
    """The extra that this lesson is about, found when it is asked for."""
    return importlib.import_module("npu_lab.extras.asking")


def check_loop(lines: Any) -> None:
    """Migrate train.py with these lines for N = 10, and run it; `Wrong` if it fails."""
    if not isinstance(lines, str):
        raise mistake(LOOP_MISTAKES, "no text")
    if "set_iteration_per_loop" in lines:
        raise mistake(LOOP_MISTAKES, "by hand")
    source = with_loop(lines)
    if not _asking().is_python(source):
        raise mistake(LOOP_MISTAKES, "syntax")
    text, found = _asking().sunk(source, 10)
    for level, reason in found:
        if level == "hand":
            raise mistake(LOOP_MISTAKES, "refused", reason=reason)
    if not found:
        raise mistake(LOOP_MISTAKES, "no training")
    ran = run(text)
    if ran.sunk != STEPS:
        raise mistake(LOOP_MISTAKES, "steps", steps=ran.sunk)


def mended(lines: Any) -> str:
    """fast.py with `lines` in place of the marked ones."""
    made = []
    for line in FAST.splitlines():
        body, _, mark = line.partition("  # ")
        if mark in {"1", "2", "3"}:
            indent = " " * (len(body) - len(body.lstrip()))
            new = textwrap.dedent(lines[int(mark) - 1]).strip()
            made.append(textwrap.indent(new, indent))
        else:
            made.append(line)
    return "\n".join(made) + "\n"


def check_lines(lines: Any) -> None:
    """Check and run fast.py with these lines; `Wrong` if it fails."""
    refuse_placeholder(lines)
    few = not isinstance(lines, (list, tuple)) or len(lines) != MARKS
    if few or not all(isinstance(one, str) for one in lines):
        raise mistake(LINES_MISTAKES, "no lines")
    source = mended(lines)
    if not _asking().is_python(source):
        raise mistake(LINES_MISTAKES, "syntax")
    codes = _asking().checked(source, "fast.py").codes
    if codes:
        raise mistake(LINES_MISTAKES, "found", codes=", ".join(codes))
    ran = run(source)
    if not ran.sunk:
        raise mistake(LINES_MISTAKES, "not sunk", calls=ran.training)
    if ran.sunk != STEPS:
        raise mistake(LINES_MISTAKES, "steps", steps=ran.sunk)


_loop = Exercise(
    name="08/loop",
    title={"en": "a loop that only trains", "zh": "只做训练的循环"},
    checker=check_loop,
    praise={
        "en": "The tool proves it safe: 60 steps in 6 calls.",
        "zh": "工具证明它是安全的：6 次调用训练 60 步。",
    },
    hints=(
        {
            "en": "What in the loop is not training? It needs step, and the loss of"
            " each call.",
            "zh": "循环中哪些不是训练？它用到 step，以及每次调用的 loss。",
        },
        {
            "en": "One statement is left: the call that runs train_op.",
            "zh": "只剩一条语句：运行 train_op 的调用。",
        },
    ),
    solution=f'loop = """\\\n{ONLY_TRAINS}"""',
    explanation={
        "en": "The host cannot print between steps that run in one call. The line after"
        " the loop still prints a loss; at N = 10, print every so many calls.",
        "zh": "一次调用中的各步之间，Host 无法打印。循环之后的一行仍会打印 loss；"
        "N = 10 时，可每隔若干次调用打印一次。",
    },
    mistakes=LOOP_MISTAKES,
    right=answers.RIGHT_LOOPS,
    wrong=answers.WRONG_LOOPS,
)

_lines = Exercise(
    name="08/lines",
    title={"en": "fast.py, mended", "zh": "改正 fast.py"},
    checker=check_lines,
    praise={
        "en": "The checker is silent, and the run agrees: 60 steps in 6 calls.",
        "zh": "检查工具没有发现问题，运行结果也一致：6 次调用训练 60 步。",
    },
    hints=(
        {
            "en": "Each finding of the checker comes with a mend. In place of a marked"
            " line two may stand, in one string.",
            "zh": "检查工具的每处发现都附有处理方法。"
            "一个带标记的行可以换成两行，写在同一个字符串中。",
        },
        {
            "en": "Mend 1 and 2, and ask the checker again: only then can it see 3.",
            "zh": "先改正 1 和 2，再检查一次：这时才能看到 3。",
        },
        {
            "en": "2 keeps what the setter returns, under the name that the loop runs.",
            "zh": "2 要保存设置接口的返回值，名称就是循环所运行的名称。",
        },
    ),
    solution="""\
lines = [
    'custom_op.parameter_map["iterations_per_loop"].i = 10\\n'
    'custom_op.parameter_map["enable_data_pre_proc"].b = True',
    "train_op = util.set_iteration_per_loop(sess, train_op, 10)",
    "for _ in range(STEPS // 10):",
]""",
    explanation={
        "en": "One fault hides another: as long as the sunk operation is not run, the"
        " undivided loop trains the right number of steps.",
        "zh": "一个错误会掩盖另一个：只要没有运行下沉的算子，未除以 N 的循环"
        "训练的步数就是对的。",
    },
    mistakes=LINES_MISTAKES,
    right=answers.RIGHT_LINES,
    wrong=answers.WRONG_LINES,
)

EXERCISES = (_loop, _lines)
