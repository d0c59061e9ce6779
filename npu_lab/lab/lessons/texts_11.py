"""The messages for the mistakes of lesson 11's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

FIRST_MISTAKES: dict[str, Text] = {
    "no text": {
        "en": "A name is a text in quotes; this is {got}.",
        "zh": "名称是带引号的字符串；这里是 {got}。",
    },
    "tensor": {
        "en": "{got} is a tensor. Give the operator: the name without the colon.",
        "zh": "{got} 是张量。请给出算子：不含冒号的名称。",
    },
    "type": {
        "en": "{got} is a type; there are two operators of it. Give the op_name.",
        "zh": "{got} 是类型，这样的算子有两个。请给出 op_name。",
    },
    "later": {
        "en": "{got} overflowed as well, but something before it had already: its"
        " inputs are not clean. Which has the smallest sequence?",
        "zh": "{got} 也溢出了，但在它之前已有算子溢出：它的输入不正常。"
        "哪个 sequence 最小？",
    },
    "gradient": {
        "en": "{got} belongs to the gradients, which are computed after the loss.",
        "zh": "{got} 属于梯度计算，而梯度在 loss 之后计算。",
    },
    "other": {
        "en": "No operator called {got} is in the dump.",
        "zh": "dump 中没有名为 {got} 的算子。",
    },
}
ENERGY_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "no tensor": {
        "en": "The function gives no float32 tensor of the pixels' shape, but {got}.",
        "zh": "函数应返回与像素 shape 相同的 float32 张量，而这里是 {got}。",
    },
    "too large": {
        "en": "A white pixel has {largest}. A convolution adds 25 of them: that may be"
        " {total}, and float16 ends at 65504.",
        "zh": "白色像素的值为 {largest}。卷积把 25 个相加，可达 {total}，"
        "而 float16 的最大值是 65504。",
    },
    "no square": {
        "en": "Twice the brightness should have four times the energy; here it has"
        " {times} times.",
        "zh": "亮度加倍，能量应为四倍；这里是 {times} 倍。",
    },
    "too small": {
        "en": "Of the darkest pixels nothing is left: in float16 {smallest} is 0.",
        "zh": "最暗的像素什么也不剩：{smallest} 在 float16 中为 0。",
    },
}
MIXLIST_MISTAKES: dict[str, Text] = {
    "no dictionary": {
        "en": "The file holds a dictionary, which has one for each list it changes.",
        "zh": "文件内容是一个字典，其中每个要修改的名单又是一个字典。",
    },
    "no list": {
        "en": "to-add takes a list of texts, also for a single type; this is {got}.",
        "zh": "to-add 需要字符串列表，只有一个类型也一样；这里是 {got}。",
    },
    "name": {
        "en": "{got} is the name of one operator. The lists hold types.",
        "zh": "{got} 是某一个算子的名称。名单中是类型。",
    },
    "unknown": {
        "en": "The device knows no operator type {got}; names are case-sensitive.",
        "zh": "没有名为 {got} 的算子类型；名称区分大小写。",
    },
    "white": {
        "en": "On the white list convolutions are already: they may be reduced. Which"
        " list says never?",
        "zh": "卷积本来就在白名单中：可以降低精度。哪个名单表示永不降低？",
    },
    "not there": {
        "en": "With this file Conv2D is on the {got} list still.",
        "zh": "按这个文件，Conv2D 仍在 {got} 名单中。",
    },
}
SKIPPED_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "Give a whole number; this is {got}.",
        "zh": "请给出整数；这里是 {got}。",
    },
    "halvings": {
        "en": "S was halved 15 times. How many skipped steps does one halving take?",
        "zh": "S 减半了 15 次。每次减半需要跳过几步？",
    },
    "good": {
        "en": "Those are the steps that were done. Asked are the others.",
        "zh": "这是完成的步数。问的是其余的步数。",
    },
    "all": {
        "en": "If all had been skipped, S would have been halved 50 times.",
        "zh": "如果全部跳过，S 应减半 50 次。",
    },
    "other": {
        "en": "From 2**32 to 2**17: count the halvings, and two skipped steps for"
        " each.",
        "zh": "从 2**32 到 2**17：先数减半的次数，每次对应跳过两步。",
    },
}
