"""Exercises and questions of lesson 05: four loops that did not sink as meant."""

from __future__ import annotations

from npu_lab.lab.exercises import Exercise, Text
from npu_lab.lab.lessons import answers_05 as answers
from npu_lab.lab.lessons import checks_05 as checks
from npu_lab.lab.lessons.questions_05 import QUESTIONS

# What the exported script does: the healthy training at N = 1 and at N = 10.
LEDGER = {
    "session_runs": 76,
    "training_calls": 66,
    "device_iterations": 60,
    "batches_pulled": 120,
}

OTHER: Text = {
    "en": "{answer} is no number of a line here.",
    "zh": "{answer} 不是这里的行号。",
}
LINE_1: dict[str, Text] = {
    "2": {
        "en": "Line 2 divides as it should: 60 steps in 6 calls. It only trains too"
        " little because the calls are not sunk.",
        "zh": "第 2 行的除法是对的：60 步用 6 次调用。训练太少是因为调用没有下沉。",
    },
    "3": {
        "en": "Line 3 runs what train_op is. Which line should have changed that?",
        "zh": "第 3 行运行的是 train_op 所指的算子。哪一行本应改变它？",
    },
    "other": OTHER,
}
LINE_2: dict[str, Text] = {
    "1": {
        "en": "Line 1 is right: the result is kept, and the log shows the markers.",
        "zh": "第 1 行是对的：保存了返回值，日志中有标志行。",
    },
    "3": {
        "en": "Line 3 makes one call of N steps. How often is it reached?",
        "zh": "第 3 行进行一次 N 步的调用。它被执行了多少次？",
    },
    "4": {
        "en": "Line 4 notes a wrong step, but only because of another line.",
        "zh": "第 4 行记录的步数不对，但那是另一行造成的。",
    },
    "other": OTHER,
}
LINE_3: dict[str, Text] = {
    "1": {
        "en": "Close: line 1 makes the gap. What is put into it, once a call, is in"
        " another line.",
        "zh": "接近了：第 1 行只是留出空位。每次调用填入什么，在另一行。",
    },
    "2": {
        "en": "Line 2 is right: 60 steps ran in the loop.",
        "zh": "第 2 行是对的：60 步在循环中执行。",
    },
    "3": {
        "en": "Line 3 is right: 6 calls of 10 steps are 60.",
        "zh": "第 3 行是对的：6 次调用、每次 10 步就是 60 步。",
    },
    "4": {
        "en": "Line 4 picks new rows for each call. How do they get to the device?",
        "zh": "第 4 行为每次调用选取新的行。它们怎样送到 Device？",
    },
    "other": OTHER,
}
OPTION_4: dict[str, Text] = {
    "iterations_per_loop": {
        "en": "That option is there, and 60 steps ran in the loop.",
        "zh": "这个参数已经配置，60 步在循环中执行。",
    },
    "mix_compile_mode": {
        "en": "Off is right for it: with mixed compute there would be no loop.",
        "zh": "它应当关闭：使用混合计算就没有循环了。",
    },
    "use_off_line": {
        "en": "That option is there: without it the log would have no marker.",
        "zh": "这个参数已经配置：没有它，日志中就不会有标志行。",
    },
    "other": {
        "en": "{answer} is not it. Compare config_4 with sunk_config, line by line.",
        "zh": "不是 {answer}。请逐行比较 config_4 与 sunk_config。",
    },
}

_TRAIN = """\
from npu_bridge.npu_init import *


def mended_{case}(sess, train_op, loss, n, steps):
    train_op = util.set_iteration_per_loop(sess, train_op, n)
"""
SOLUTION_1 = (
    _TRAIN.format(case=1)
    + """\
    return [sess.run([train_op, loss])[1] for _ in range(steps // n)]"""
)
SOLUTION_2 = (
    _TRAIN.format(case=2)
    + """\
    steps_seen = range(n, steps + 1, n)
    return [(step, sess.run([train_op, loss])[1]) for step in steps_seen]"""
)
SOLUTION_3 = """\
def mended_3(images, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.repeat().batch(batch_size, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()"""
SOLUTION_4 = """\
def mended_4(custom_op):
    custom_op.parameter_map["enable_data_pre_proc"].b = True"""


def _some(*keys: str) -> dict[str, Text]:
    return {key: checks.TRAINING[key] for key in keys}


EXERCISES = (
    Exercise(
        name="05/line_1",
        title={"en": "case 1, the line", "zh": "病例 1，出错行"},
        checker=checks.check_word((1, "1", "SINK001"), LINE_1, "other"),
        praise={
            "en": "Line 1 throws the result away: SINK001.",
            "zh": "第 1 行丢弃了返回值：SINK001。",
        },
        hints=(
            {
                "en": "Without a marker no loop was built. Which operation was run?",
                "zh": "没有标志行就没有构建循环。运行的是哪个算子？",
            },
            {
                "en": "A setter that returns something wants it to be used.",
                "zh": "设置接口有返回值，就是要用的。",
            },
        ),
        solution="line_1 = 1",
        explanation={
            "en": "The setter changes the graph and returns a new operation, named"
            " IterationOp. Only that one is sunk; the old one is still in the graph and"
            " still trains one step.",
            "zh": "设置接口会修改图，并返回名为 IterationOp 的新算子。只有它会下沉；"
            "原来的算子还在图中，每次仍只训练一步。",
        },
        mistakes=LINE_1,
        right=(1, "SINK001"),
        wrong=(("2", 2), ("3", 3), ("other", 7)),
    ),
    Exercise(
        name="05/mended_1",
        title={"en": "case 1, the mend", "zh": "病例 1，改正"},
        checker=checks.check_losses,
        praise={
            "en": "In effect, on fresh data, at N = 10, 5 and 1; the losses are those"
            " of a plain training.",
            "zh": "N = 10、5、1 时循环均生效，数据更新；loss 与普通训练一致。",
        },
        hints=(
            {
                "en": "Only one line has to change: the call is right, its result is"
                " missing.",
                "zh": "只需改一行：调用是对的，缺的是它的返回值。",
            },
            {
                "en": "train_op = util.set_iteration_per_loop(...)",
                "zh": "train_op = util.set_iteration_per_loop(...)",
            },
        ),
        solution=SOLUTION_1,
        explanation={
            "en": "Under the same name the old operation cannot be run by mistake.",
            "zh": "沿用同一个变量名，就不会误用原来的算子。",
        },
        mistakes=_some(
            "no function",
            "not sunk",
            "hard-coded",
            "setter again",
            "not divided",
            "total",
            "nothing",
            "losses",
        ),
        right=answers.LOSSES_RIGHT,
        wrong=answers.LOSSES_WRONG,
    ),
    Exercise(
        name="05/line_2",
        title={"en": "case 2, the line", "zh": "病例 2，出错行"},
        checker=checks.check_word((2, "2"), LINE_2, "other"),
        praise={
            "en": "Line 2 counts steps, but each pass is a call of N steps.",
            "zh": "第 2 行按 step 计数，而每循环一次就是一次 N 步的调用。",
        },
        hints=(
            {
                "en": "60 calls, 600 steps: which of the two does a line decide?",
                "zh": "60 次调用，600 步：哪个数是这一行决定的？",
            },
            {"en": "Look for what should hold n.", "zh": "找出本应出现 n 的地方。"},
        ),
        solution="line_2 = 2",
        explanation={
            "en": "The device knows nothing of the steps you want. It runs N for each"
            " call, as often as it is called.",
            "zh": "Device 不知道您想训练多少步。每次调用都执行 N 步，"
            "调用几次就执行几次。",
        },
        mistakes=LINE_2,
        right=(2, "2"),
        wrong=(("1", 1), ("3", 3), ("4", 4), ("other", "SINK001")),
    ),
    Exercise(
        name="05/mended_2",
        title={"en": "case 2, the mend", "zh": "病例 2，改正"},
        checker=checks.check_history,
        praise={
            "en": "The calls are divided, and each loss stands at its own step.",
            "zh": "调用次数已除以 N，每个 loss 都对应自己的步数。",
        },
        hints=(
            {
                "en": "range can count in strides: which is the first step whose loss"
                " comes back, and how far is it to the next?",
                "zh": "range 可以按步长计数：第一个返回的 loss 属于哪一步，"
                "到下一个隔多少步？",
            },
            {
                "en": "range(first, steps + 1, stride)",
                "zh": "range(first, steps + 1, stride)",
            },
        ),
        solution=SOLUTION_2,
        explanation={
            "en": "The numbers n, 2 n, ... up to steps are as many as the calls, and"
            " each is the last step of its call.",
            "zh": "n、2 n……直到 steps，个数等于调用次数，"
            "每个数都是该次调用的最后一步。",
        },
        mistakes=_some(
            "no function",
            "not divided",
            "calls counted",
            "off by one",
            "total",
            "nothing",
            "losses",
        ),
        right=answers.HISTORY_RIGHT,
        wrong=answers.HISTORY_WRONG,
    ),
    Exercise(
        name="05/line_3",
        title={"en": "case 3, the line", "zh": "病例 3，出错行"},
        checker=checks.check_word((5, "5", "SINK004"), LINE_3, "other"),
        praise={
            "en": "What line 5 feeds stays the same for the whole call: SINK004.",
            "zh": "第 5 行送入的数据在整次调用中不变：SINK004。",
        },
        hints=(
            {
                "en": "How often can the host hand over data during one call?",
                "zh": "在一次调用期间，Host 能送几次数据？",
            },
            {
                "en": "A fed value is copied once a call.",
                "zh": "feed_dict 的数据每次调用只拷贝一次。",
            },
        ),
        solution="line_3 = 5",
        explanation={
            "en": "The host is not asked again until the call ends. So what it feeds"
            " serves all N steps.",
            "zh": "调用结束之前不会再与 Host 交互，所以送入的数据用于全部 N 步。",
        },
        mistakes=LINE_3,
        right=(5, "SINK004"),
        wrong=(("1", 1), ("2", 2), ("3", 3), ("4", 4), ("other", 0)),
    ),
    Exercise(
        name="05/mended_3",
        title={"en": "case 3, the mend", "zh": "病例 3，改正"},
        checker=checks.check_input,
        praise={
            "en": "20 steps, 20 batches pulled on the device.",
            "zh": "20 步，在 Device 侧取了 20 个 batch。",
        },
        hints=(
            {
                "en": "The Dataset must not end, and all its batches must have one"
                " shape.",
                "zh": "Dataset 不能用完，所有 batch 的 shape 必须相同。",
            },
            {
                "en": "repeat(), batch(..., drop_remainder=True), and the iterator of"
                " which the loop allows only one kind.",
                "zh": "repeat()、batch(..., drop_remainder=True)，以及循环唯一允许的"
                "那种迭代器。",
            },
        ),
        solution=SOLUTION_3,
        explanation={
            "en": "GetNext becomes part of the graph, so it can run inside the loop;"
            " preparing the batches stays on the host.",
            "zh": "GetNext 成为图的一部分，因此可以在循环内执行；"
            "准备 batch 仍在 Host 侧。",
        },
        mistakes=checks.INPUT,
        right=answers.INPUT_RIGHT,
        wrong=answers.INPUT_WRONG,
    ),
    Exercise(
        name="05/option_4",
        title={"en": "case 4, the option", "zh": "病例 4，参数"},
        checker=checks.check_word(
            ("enable_data_pre_proc", "SINK005"), OPTION_4, "other"
        ),
        praise={
            "en": "Without it GetNext stays on the host: SINK005.",
            "zh": "没有它，GetNext 就留在 Host 侧：SINK005。",
        },
        hints=(
            {
                "en": "It decides where GetNext runs.",
                "zh": "它决定 GetNext 在哪里执行。",
            },
            {
                "en": "sunk_config has one option that config_4 lacks.",
                "zh": "sunk_config 中有一个参数是 config_4 没有的。",
            },
        ),
        solution='option_4 = "enable_data_pre_proc"',
        explanation={
            "en": "With session.run it is False unless it is set; in NPURunConfig it is"
            " True unless it is set.",
            "zh": "session.run 模式下默认为 False，NPURunConfig 中默认为 True。",
        },
        mistakes=OPTION_4,
        right=("enable_data_pre_proc", "SINK005"),
        wrong=(
            ("iterations_per_loop", "iterations_per_loop"),
            ("mix_compile_mode", "mix_compile_mode"),
            ("use_off_line", "use_off_line"),
            ("other", "remapping"),
        ),
    ),
    Exercise(
        name="05/mended_4",
        title={"en": "case 4, the mend", "zh": "病例 4，改正"},
        checker=checks.check_config,
        praise={
            "en": "Loop in effect, data fresh: each step pulled a batch of its own.",
            "zh": "循环生效，数据更新：每个 step 各取一个 batch。",
        },
        hints=(
            {
                "en": "Options are entries of custom_op.parameter_map.",
                "zh": "参数是 custom_op.parameter_map 中的条目。",
            },
            {
                "en": "It is a switch: like use_off_line it goes into the field b.",
                "zh": "它是开关：与 use_off_line 一样写入字段 b。",
            },
        ),
        solution=SOLUTION_4,
        explanation={
            "en": "With it on, GetNext is compiled together with the training step and"
            " repeats with it.",
            "zh": "开启后，GetNext 与训练步骤一起编译，并随之重复执行。",
        },
        mistakes=checks.CONFIG,
        right=answers.CONFIG_RIGHT,
        wrong=answers.CONFIG_WRONG,
    ),
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]
