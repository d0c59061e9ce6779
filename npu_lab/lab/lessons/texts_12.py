"""The messages for the mistakes of lesson 12's exercises."""

from __future__ import annotations

from npu_lab.lab.exercises import Text

SHARE_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "Give a number; this is {got}.",
        "zh": "请给出一个数；这里是 {got}。",
    },
    "fraction": {
        "en": "That is the fraction. The question asks for percent.",
        "zh": "这是小数形式。题目要的是百分数。",
    },
    "of iteration": {
        "en": "That is the gap by the Iteration Time, which does not contain it. The"
        " whole is gap and iteration together.",
        "zh": "这是间隔与 Iteration Time 之比，而后者不包含间隔。"
        "整体是间隔与迭代之和。",
    },
    "computing": {
        "en": "That is the share in which the device computes, not the one it waits.",
        "zh": "这是 Device 计算所占的比例，不是等待所占的比例。",
    },
    "other": {
        "en": "Divide Data Aug Bound by all that passes from one iteration to the"
        " next.",
        "zh": "用 Data Aug Bound 除以从一次迭代到下一次迭代经过的全部时间。",
    },
}
QUICK_MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "no data": {
        "en": "The function returns no Dataset, but {got}.",
        "zh": "函数返回的不是 Dataset，而是 {got}。",
    },
    "not decoded": {
        "en": "An element is {got}: the pictures were not decoded. map(decode) does"
        " it.",
        "zh": "元素为 {got}：图片没有解码。用 map(decode) 解码。",
    },
    "shape": {
        "en": "A batch has the shape {got}: its first dimension must be known, or"
        " GetNext does not sink.",
        "zh": "batch 的 shape 为 {got}：第一维必须已知，否则 GetNext 不会下沉。",
    },
    "ends": {
        "en": "The data ended after {got} batches; a training goes over it again and"
        " again.",
        "zh": "{got} 个 batch 之后数据就结束了；训练要反复使用这些数据。",
    },
    "again": {
        "en": "In three epochs {pictures} pictures were decoded {got} times. What keeps"
        " the result, and where must it stand?",
        "zh": "三个 epoch 中，{pictures} 张图片解码了 {got} 次。"
        "用什么保存结果？它应放在哪里？",
    },
    "endless cache": {
        "en": "The cache stands after repeat: it would grow for ever, and its result is"
        " never used.",
        "zh": "cache 在 repeat 之后：缓存会一直增长，结果永远用不上。",
    },
    "order": {
        "en": "The batches differ from those of as_found: keep the order.",
        "zh": "batch 与 as_found 的不同：请保持顺序。",
    },
}
SAFE_MISTAKES: dict[str, Text] = {
    "no list": {
        "en": "Give a list of whole numbers; this is {got}.",
        "zh": "请给出整数列表；这里是 {got}。",
    },
    "steps": {
        "en": "{got} does not divide 800 steps: the last call would train too many.",
        "zh": "{got} 不能整除 800 步：最后一次调用会多训练几步。",
    },
    "interval": {
        "en": "{got} divides 800, but not 200: at step 200 a loop would be under way,"
        " and nothing can be saved.",
        "zh": "{got} 能整除 800，但不能整除 200：第 200 步时循环尚未结束，无法保存。",
    },
    "unasked": {
        "en": "{got} was not among the numbers asked about.",
        "zh": "题目中没有 {got}。",
    },
    "missing": {
        "en": "One that is safe is missing: {count} are.",
        "zh": "还缺少安全的 N：共有 {count} 个。",
    },
}
CALLS_MISTAKES: dict[str, Text] = {
    "no number": {
        "en": "Give a whole number; this is {got}.",
        "zh": "请给出整数；这里是 {got}。",
    },
    "unchanged": {
        "en": "80 calls of 40 iterations are 3,200 steps: four times the training.",
        "zh": "80 次调用、每次 40 次迭代，共 3200 步：是原来训练的四倍。",
    },
    "steps": {
        "en": "Those are steps. Each call now runs 40 of them.",
        "zh": "这是步数。现在每次调用执行 40 步。",
    },
    "n": {
        "en": "That is N. How often does it fit into 800?",
        "zh": "这是 N。800 里有多少个 N？",
    },
    "other": {
        "en": "Calls times N is the number of steps, and that stays 800.",
        "zh": "调用次数乘以 N 等于步数，而步数仍是 800。",
    },
}
