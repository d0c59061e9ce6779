"""Exercises of lesson 14: a loop mended, steps foretold, two numbers that match."""

from __future__ import annotations

from npu_lab.lab.exercises import Exercise
from npu_lab.lab.lessons import answers_14 as answers
from npu_lab.lab.lessons.checks_14 import (
    MENDED_SOLUTION,
    check_matched,
    check_mended,
    check_steps_run,
)
from npu_lab.lab.lessons.questions_14 import QUESTIONS
from npu_lab.lab.lessons.texts_14 import (
    MATCHED_MISTAKES,
    MENDED_MISTAKES,
    STEPS_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "MODE", "QUESTIONS"]

MODE = "tf2"

# What the exported script does: 20 single steps, twice 2 calls of 100 steps, an epoch
# of 80 calls, one of 4.
LEDGER = {
    "training_calls": 108,
    "device_iterations": 480,
    "batches_pulled": 580,
}

_mended = Exercise(
    name="14/mended",
    title={"en": "a loss without a return", "zh": "不用返回值得到 loss"},
    checker=check_mended,
    praise={
        "en": "NPU_LOOP, and last_loss holds the loss of the last step.",
        "zh": "是 NPU_LOOP，并且 last_loss 中是最后一个 step 的 loss。",
    },
    hints=(
        {
            "en": "A tf.Variable keeps what is assigned to it, from step to step, and"
            " after the call.",
            "zh": "tf.Variable 会保留赋给它的值，在各个 step 之间，以及调用之后。",
        },
        {
            "en": "last_loss.assign(loss) in the loop. And look at the last line of"
            " loop_train.",
            "zh": "在循环内写 last_loss.assign(loss)。再看 loop_train 的最后一行。",
        },
    ),
    solution=MENDED_SOLUTION,
    explanation={
        "en": "The assignment belongs to the body, so it is lifted out with it. With"
        " the return gone there is nothing in the graph but the loop.",
        "zh": "赋值属于循环体，随循环体一起提出。去掉 return 之后，"
        "图中除循环外没有其他内容。",
    },
    mistakes=MENDED_MISTAKES,
    right=(answers.right, answers.in_one_line, answers.while_loop),
    wrong=(
        ("no function", 0.5),
        ("no graph", answers.nothing),
        ("no graph", answers.no_tf_function),
        ("returns", answers.still_returned),
        ("returns", answers.variable_returned),
        ("outside", answers.after_the_loop),
        ("outside", answers.counted_beside),
        ("whiles", answers.twice),
        ("host", answers.printed),
        ("no loop", answers.unrolled),
        ("no loop", answers.one_step),
        ("steps", answers.not_trained),
        ("kept", answers.summed),
        ("kept", answers.not_kept),
    ),
)
_steps_run = Exercise(
    name="14/steps_run",
    title={"en": "steps of one call in each mode", "zh": "各模式下一次调用的 step 数"},
    checker=check_steps_run,
    praise={
        "en": "The loop size wherever there is a loop; 1 where there is none.",
        "zh": "有循环时都是 loop size；没有循环时是 1。",
    },
    hints=(
        {
            "en": "Who decides when the loop ends? And who decides how many batches"
            " there are?",
            "zh": "谁决定循环何时结束？谁决定有多少个 batch？",
        },
        {
            "en": "A loop never gets more batches than the loop size; in BUILTIN_LOOP"
            " the 21st step waits.",
            "zh": "循环取到的 batch 不会多于 loop size；BUILTIN_LOOP 中第 21 个"
            " step 会等待。",
        },
    ),
    solution="steps_run = [20, 20, 20, 1]",
    explanation={
        "en": "NPU_LOOP and HOST_LOOP run as often as the loop size says. BUILTIN_LOOP"
        " would run 50 times, gets 20 batches, and then fails. NO_LOOP is one step.",
        "zh": "NPU_LOOP 与 HOST_LOOP 按 loop size 执行。BUILTIN_LOOP 要执行 50 次，"
        "但只有 20 个 batch，随后报错。NO_LOOP 是一个 step。",
    },
    mistakes=STEPS_MISTAKES,
    right=([20, 20, 20, 1], (20, 20, 20, 1)),
    wrong=(
        ("no list", 20),
        ("no list", [20, 1]),
        ("NPU_LOOP", [50, 20, 20, 1]),
        ("HOST_LOOP", [20, 50, 20, 1]),
        ("HOST_LOOP", [20, 1, 20, 1]),
        ("waits", [20, 20, 50, 1]),
        ("BUILTIN_LOOP", [20, 20, 0, 1]),
        ("NO_LOOP", [20, 20, 20, 20]),
        ("NO_LOOP", [20, 20, 20, 50]),
    ),
)
_matched = Exercise(
    name="14/matched",
    title={
        "en": "loop size and steps_per_execution",
        "zh": "loop size 与 steps_per_execution",
    },
    checker=check_matched,
    praise={
        "en": "16 and 16: five calls, each takes just what was pushed.",
        "zh": "16 与 16：五次调用，每次恰好取走推送的 batch。",
    },
    hints=(
        {
            "en": "How many steps has each of the five calls?",
            "zh": "五次调用，每次多少个 step？",
        },
        {
            "en": "What Keras's loop takes and what the host pushes must be the same"
            " number.",
            "zh": "Keras 的循环取走的 batch 数与 Host 侧推送的 batch 数必须相等。",
        },
    ),
    solution="matched = 16, 16",
    explanation={
        "en": "80 steps in 5 calls are 16 a call. steps_per_execution=16 makes Keras's"
        " loop take 16 batches, and the loop size lets the host push as many.",
        "zh": "80 个 step 分 5 次调用，每次 16 个。steps_per_execution=16 使 Keras"
        " 的循环取 16 个 batch，loop size 使 Host 侧推送同样多。",
    },
    mistakes=MATCHED_MISTAKES,
    right=((16, 16), [16, 16]),
    wrong=(
        ("no pair", 16),
        ("no pair", (16, 0)),
        ("no pair", (16.0, 16)),
        ("no loop", (16, 1)),
        ("waits", (1, 16)),
        ("unread", (80, 16)),
        ("remainder", (17, 17)),
        ("calls", (5, 5)),
        ("calls", (20, 20)),
    ),
)
EXERCISES = (_mended, _steps_run, _matched)
