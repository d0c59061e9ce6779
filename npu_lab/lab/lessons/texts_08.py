"""The messages for the mistakes of lesson 08's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

LOOP_MISTAKES: dict[str, Text] = {
    "no text": {
        "en": "Give the new lines as one string, in triple quotes.",
        "zh": "请把新的几行写成一个字符串，使用三引号。",
    },
    "syntax": {
        "en": "With these lines train.py is not Python any more.",
        "zh": "换上这几行之后，train.py 不再是合法的 Python。",
    },
    "by hand": {
        "en": "Leave set_iteration_per_loop to the tool: it writes that line where the"
        " loop has been proved safe.",
        "zh": "set_iteration_per_loop 由工具来写：只有证明循环安全，它才写入这一行。",
    },
    "refused": {
        "en": "The tool says: {reason}.",
        "zh": "工具的说明：{reason}。",
    },
    "no training": {
        "en": "The tool finds no call in these lines that runs train_op.",
        "zh": "工具在这几行中没有找到运行 train_op 的调用。",
    },
    "steps": {
        "en": "It sinks, but {steps} steps are trained, and train.py asks for 60.",
        "zh": "循环下沉了，但训练了 {steps} 步，而 train.py 要求 60 步。",
    },
}

LINES_MISTAKES: dict[str, Text] = {
    "no lines": {
        "en": "Give three strings in a list: what stands in place of each marked line.",
        "zh": "请给出由三个字符串组成的列表：每个带标记的行各替换成什么。",
    },
    "syntax": {
        "en": "With these lines fast.py is not Python any more.",
        "zh": "换上这几行之后，fast.py 不再是合法的 Python。",
    },
    "found": {
        "en": "The checker still finds: {codes}.",
        "zh": "检查工具仍然发现：{codes}。",
    },
    "not sunk": {
        "en": "The checker is silent, but nothing sinks: {calls} calls train one step"
        " each. N is to stay 10.",
        "zh": "检查工具没有发现问题，但什么都没有下沉：{calls} 次调用各训练一步。"
        "N 应保持为 10。",
    },
    "steps": {
        "en": "It sinks, but {steps} steps are trained, and 60 were asked for.",
        "zh": "循环下沉了，但训练了 {steps} 步，而要求是 60 步。",
    },
}
