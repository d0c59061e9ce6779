"""Texts of lesson 01: the message for each mistake, and the quiz."""

from __future__ import annotations

from npu_lab.lab.exercises import Text
from npu_lab.lab.questions import Choice, Question

MISTAKES: dict[str, Text] = {
    "no pair": {
        "en": "A pair of numbers is wanted: (overhead, step), both in ms.",
        "zh": "需要一对数：(开销, step)，单位都是 ms。",
    },
    "seconds": {
        "en": "These are seconds. Give both in ms.",
        "zh": "这是以秒为单位的值。请用 ms。",
    },
    "swapped": {
        "en": "They are swapped: overhead first, then the step.",
        "zh": "顺序反了：先是开销，后是 step。",
    },
    "time at 10": {
        "en": "{step} ms is the time per step at N = 10. A tenth of the overhead is"
        " still in it, so the step alone is shorter.",
        "zh": "{step} ms 是 N = 10 时每个 step 的时间，其中还含有开销的十分之一，"
        "所以 step 本身更短。",
    },
    "difference": {
        "en": "{overhead} ms is the difference of the two times. It is not the whole"
        " overhead, only overhead / 2 - overhead / 10 of it.",
        "zh": "{overhead} ms 是两个时间之差，不是全部开销，"
        "而只是 开销 / 2 - 开销 / 10。",
    },
    "per step": {
        "en": "{overhead} ms is what falls on each step at N = 2. A call has two"
        " steps, and the overhead is that of the whole call.",
        "zh": "{overhead} ms 是 N = 2 时分摊到每个 step 的开销。一次调用有两个 step，"
        "而所求的是整个调用的开销。",
    },
    "does not fit": {
        "en": "With these a step would take {got} ms at N = {n}; measured were"
        " {wanted} ms.",
        "zh": "按这两个值，N = {n} 时每个 step 为 {got} ms；实测是 {wanted} ms。",
    },
}

MISTAKES_SMALLEST: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "nothing": {
        "en": "Your function returned nothing: is the return there?",
        "zh": "函数没有返回任何值：是否写了 return？",
    },
    "no whole number": {
        "en": "N counts steps, so it is a whole number; you returned {got}.",
        "zh": "N 是 step 的个数，必须是整数；返回的是 {got}。",
    },
    "below one": {
        "en": "{got} is no N: a call trains at least one step.",
        "zh": "{got} 不能作为 N：一次调用至少训练一个 step。",
    },
    "rounded down": {
        "en": "One too small: at N = {got} the overhead is still {part} of the"
        " time. Round up.",
        "zh": "小了一：N = {got} 时开销仍占总时间的 {part}。请向上取整。",
    },
    "share of steps": {
        "en": "You compared the overhead with the steps alone. The share is of the"
        " whole call, overhead included: overhead / (overhead + N * step).",
        "zh": "您把开销与各 step 的时间相比。占比是相对整个调用而言的，包括开销："
        "开销 / (开销 + N * step)。",
    },
    "too small": {
        "en": "With overhead {overhead}, step {step} and share {share} you"
        " returned {got}; there the overhead is {part} of the time.",
        "zh": "开销 {overhead}、step {step}、share {share} 时返回了 {got}；"
        "此时开销占总时间的 {part}。",
    },
    "too large": {
        "en": "With overhead {overhead}, step {step} and share {share} you"
        " returned {got}; {wanted} is enough.",
        "zh": "开销 {overhead}、step {step}、share {share} 时返回了 {got}；"
        "{wanted} 就够了。",
    },
}

MISTAKES_CHOSEN: dict[str, Text] = {
    "no whole number": {
        "en": "N counts steps: a whole number of 1 or more, not {n}.",
        "zh": "N 是 step 的个数：应为不小于 1 的整数，不是 {n}。",
    },
    "overhead": {
        "en": "At N = {n} the overhead is {part} of the time: too much.",
        "zh": "N = {n} 时开销占总时间的 {part}：太多。",
    },
    "log": {
        "en": "At N = {n} a loss comes back every {n} steps only: one call, one loss.",
        "zh": "N = {n} 时每 {n} 个 step 才返回一个 loss：一次调用，一个 loss。",
    },
    "checkpoint": {
        "en": "N = {n} does not divide 1,000: after {calls} calls {below} steps are"
        " done, after one more {above}. No call ends at the checkpoint.",
        "zh": "N = {n} 不能整除 1000：{calls} 次调用后是 {below} 个 step，"
        "再调用一次是 {above} 个。没有一次调用恰好在 checkpoint 处结束。",
    },
}

QUESTIONS = (
    Question(
        name="01/where",
        prompt={
            "en": "Where does a larger N help most?",
            "zh": "增大 N 在哪里收益最大？",
        },
        choices=(
            Choice(
                {
                    "en": "a large model whose step takes 200 ms",
                    "zh": "一个 step 需要 200 ms 的大模型",
                },
                why={
                    "en": "Against such a step no usual overhead counts. Tune the"
                    " step itself.",
                    "zh": "与这样的 step 相比，通常的开销微不足道。应优化 step 本身。",
                },
            ),
            Choice(
                {
                    "en": "a small model on a device behind a long link",
                    "zh": "Device 在较长链路另一端的小模型",
                },
                why={
                    "en": "A short step and a long way: nearly all the time is"
                    " overhead, and N divides it.",
                    "zh": "step 短而链路长：时间几乎都是开销，N 正好分摊它。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "a script whose data preprocessing is too slow",
                    "zh": "数据预处理太慢的脚本",
                },
                why={
                    "en": "Each step still needs its batch. N takes nothing off the"
                    " pipeline, which stays on the host.",
                    "zh": "每个 step 仍然需要一个 batch。数据预处理在 Host 侧，"
                    "N 不会让它变快。",
                },
            ),
        ),
    ),
    Question(
        name="01/faster",
        prompt={
            "en": "N goes from 10 to 100. What gets shorter?",
            "zh": "N 从 10 增大到 100，什么变短？",
        },
        choices=(
            Choice(
                {
                    "en": "the time the device computes a step",
                    "zh": "Device 计算一个 step 的时间",
                },
                why={
                    "en": "Look at the timeline: compute takes as long as before.",
                    "zh": "请看时间线：计算时间与之前一样长。",
                },
            ),
            Choice(
                {"en": "the overhead of a call", "zh": "一次调用的开销"},
                why={
                    "en": "A call costs the same; there are fewer of them.",
                    "zh": "一次调用的开销不变，只是调用次数少了。",
                },
            ),
            Choice(
                {
                    "en": "the part of the overhead that falls on each step",
                    "zh": "分摊到每个 step 的开销",
                },
                why={
                    "en": "It is overhead / N: a tenth of what it was.",
                    "zh": "它等于 开销 / N：是原来的十分之一。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="01/price",
        prompt={
            "en": "What does a larger N cost?",
            "zh": "增大 N 的代价是什么？",
        },
        choices=(
            Choice(
                {
                    "en": "the host sees fewer losses, and stops or saves less often",
                    "zh": "Host 侧得到的 loss 更少，停止和保存的时机也更少",
                },
                why={
                    "en": "During a call it can do none of these.",
                    "zh": "一次调用期间，这些都做不了。",
                },
                right=True,
            ),
            Choice(
                {"en": "accuracy: the batches get larger", "zh": "精度：batch 变大"},
                why={
                    "en": "N is not the batch size: no number changes.",
                    "zh": "N 不是 batch size：任何数值都不变。",
                },
            ),
            Choice(
                {
                    "en": "nothing: always take the largest",
                    "zh": "没有代价：总是取最大的 N",
                },
                why={
                    "en": "Look at the stop above: at N = 50 it trained on for up to"
                    " 49 steps.",
                    "zh": "请看上文的停止：N = 50 时最多多训练 49 个 step。",
                },
            ),
        ),
    ),
)
