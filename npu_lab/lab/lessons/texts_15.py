"""The messages for the mistakes of lesson 15's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

EDITS_MISTAKES: dict[str, Text] = {
    "no dictionary": {
        "en": "Give a dictionary: pieces of train.py, and what each becomes.",
        "zh": "请给出字典：train.py 中的片段，以及各自的新内容。",
    },
    "piece": {
        "en": "The edits do not fit the script: {problem}",
        "zh": "这些修改与脚本不符：{problem}",
    },
    "stage": {
        "en": "With these edits the stage '{stage}' is not passed. {seen}",
        "zh": "按这些修改，阶段“{stage}”没有通过。{seen}",
    },
}
TRIPS_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "Give a whole number; this is {got}.",
        "zh": "请给出整数；这里是 {got}。",
    },
    "steps": {
        "en": "Those are the iterations. Ten of them are one call.",
        "zh": "这是迭代次数。十次迭代是一次调用。",
    },
    "n": {
        "en": "That is N. How often does it fit into 400?",
        "zh": "这是 N。400 里有多少个 N？",
    },
    "multiplied": {
        "en": "So many iterations would run if each of the 400 calls ran ten.",
        "zh": "如果 400 次调用各执行十次，就会有这么多次迭代。",
    },
    "other": {
        "en": "Calls x 10 = 400.",
        "zh": "调用次数 x 10 = 400。",
    },
}
LARGEST_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "Give a whole number; this is {got}.",
        "zh": "请给出整数；这里是 {got}。",
    },
    "steps": {
        "en": "{got} does not divide 400: the last call would train too many steps.",
        "zh": "{got} 不能整除 400：最后一次调用会多训练几步。",
    },
    "interval": {
        "en": "{got} divides 400, but not 125: at step 125 nothing could be saved.",
        "zh": "{got} 能整除 400，但不能整除 125：第 125 步无法保存。",
    },
    "smaller": {
        "en": "{got} is safe, but there is a larger one.",
        "zh": "{got} 是安全的，但还有更大的。",
    },
}
