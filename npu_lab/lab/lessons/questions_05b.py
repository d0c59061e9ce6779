"""The quiz of lesson 05b."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="05b/built",
        prompt={
            "en": "The log shows the markers, and each call runs one step. What is to"
            " be looked for?",
            "zh": "日志中有标志行，但每次调用只执行一步。应当查找什么？",
        },
        choices=(
            Choice(
                {"en": "a setter that was never called", "zh": "没有调用设置接口"},
                why={
                    "en": "Without it no loop is built, and there are no markers.",
                    "zh": "没有它就不会构建循环，也没有标志行。",
                },
            ),
            Choice(
                {
                    "en": "an initializer that ran after the setter",
                    "zh": "在设置接口之后运行的初始化",
                },
                why={
                    "en": "The loop is built, but its count is 0 again: SINK021.",
                    "zh": "循环已构建，但次数又变为 0：SINK021。",
                },
                right=True,
            ),
            Choice(
                {"en": "a batch of unknown size", "zh": "大小未知的 batch"},
                why={
                    "en": "Then no loop is built at all.",
                    "zh": "那样根本不会构建循环。",
                },
            ),
        ),
    ),
    Question(
        name="05b/first",
        prompt={
            "en": "Which of these faults shows at N = 1 as well?",
            "zh": "下列错误中，哪一个在 N = 1 时也会出现？",
        },
        choices=(
            Choice(
                {
                    "en": "variables and iterator initialized in one run",
                    "zh": "变量与迭代器在同一次 run 中初始化",
                },
                why={
                    "en": "It has nothing to do with the loop, so N = 1 finds it.",
                    "zh": "它与循环无关，所以用 N = 1 就能发现。",
                },
                right=True,
            ),
            Choice(
                {"en": "the setter under a scope", "zh": "在 scope 内调用设置接口"},
                why={
                    "en": "At N = 1 there is no loop to be missed.",
                    "zh": "N = 1 时本来就没有循环。",
                },
            ),
            Choice(
                {"en": "two different N", "zh": "两处的 N 不相等"},
                why={
                    "en": "The script used the second one only above N = 1.",
                    "zh": "脚本只在 N 大于 1 时才使用另一个数。",
                },
            ),
        ),
    ),
    Question(
        name="05b/mixed",
        prompt={
            "en": "A model needs mixed compute. What of N = 10?",
            "zh": "某个模型需要混合计算。N = 10 会怎样？",
        },
        choices=(
            Choice(
                {
                    "en": "it sinks what is on the device",
                    "zh": "Device 侧的部分会下沉",
                },
                why={
                    "en": "A loop cannot go back to the host in each iteration.",
                    "zh": "循环无法在每次迭代中返回 Host 侧。",
                },
            ),
            Choice(
                {"en": "it works, but more slowly", "zh": "可以工作，但较慢"},
                why={
                    "en": "Here each call would run one step: SINK010.",
                    "zh": "在这里每次调用只执行一步：SINK010。",
                },
            ),
            Choice(
                {"en": "N has to be 1", "zh": "N 必须为 1"},
                why={
                    "en": "Mixed compute allows no loop. The scan found nobody who"
                    " tried.",
                    "zh": "混合计算不支持循环。扫描中也没有发现有人这样用。",
                },
                right=True,
            ),
        ),
    ),
)
