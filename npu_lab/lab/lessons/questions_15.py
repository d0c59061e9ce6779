"""The quiz of lesson 15."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="15/proof",
        prompt={
            "en": "A colleague shows the keyword line of the loop in the log. What is"
            " still open?",
            "zh": "同事展示了日志中循环的关键字行。还有什么没有确定？",
        },
        choices=(
            Choice(
                {"en": "whether a loop was built", "zh": "循环是否已构建"},
                why={
                    "en": "That is what a marker does show.",
                    "zh": "标志行说明的正是这一点。",
                },
            ),
            Choice(
                {
                    "en": "whether it ran N times, on fresh data",
                    "zh": "是否执行了 N 次，数据是否每次更新",
                },
                why={
                    "en": "The ledger counts iterations and batches; the log does not.",
                    "zh": "账本统计迭代和 batch，日志不统计。",
                },
                right=True,
            ),
            Choice(
                {"en": "nothing", "zh": "没有了"},
                why={
                    "en": "With a loaded count of 0 the log says the same.",
                    "zh": "加载的次数为 0 时，日志也一样。",
                },
            ),
        ),
    ),
    Question(
        name="15/order",
        prompt={
            "en": "Why does the accuracy come after the proof, and not before it?",
            "zh": "为什么先证明，再看精度？",
        },
        choices=(
            Choice(
                {
                    "en": "a training of ten times the steps may look accurate",
                    "zh": "训练步数多十倍时，精度可能看起来很好",
                },
                why={
                    "en": "And one batch for ten steps may, too: first it has to be the"
                    " same training.",
                    "zh": "十步使用同一个 batch 也可能如此：首先必须是同样的训练。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "the loop changes the numbers, so it has to be on",
                    "zh": "循环会改变数值，所以要先打开",
                },
                why={
                    "en": "Sinking never changes numbers.",
                    "zh": "循环下沉不会改变数值。",
                },
            ),
            Choice(
                {"en": "freezing needs the log", "zh": "固化需要日志"},
                why={
                    "en": "It needs a checkpoint and a graph for inference.",
                    "zh": "固化需要 checkpoint 和推理图。",
                },
            ),
        ),
    ),
    Question(
        name="15/lost",
        prompt={
            "en": "The loop sinks, the ledger is right, and 0.098 of the digits are"
            " right. Where do you look first?",
            "zh": "循环已下沉，账本也对，但图片正确率只有 0.098。先看哪里？",
        },
        choices=(
            Choice(
                {"en": "iterations_per_loop", "zh": "iterations_per_loop"},
                why={
                    "en": "N changes no number.",
                    "zh": "N 不改变数值。",
                },
            ),
            Choice(
                {
                    "en": "the precision mode, and an overflow",
                    "zh": "精度模式，以及是否溢出",
                },
                why={
                    "en": "The precision mode is what changes numbers here.",
                    "zh": "这里会改变数值的是精度模式。",
                },
                right=True,
            ),
            Choice(
                {"en": "the queue of the pipeline", "zh": "数据流水线的队列"},
                why={
                    "en": "It decides on time, not on values.",
                    "zh": "它只影响时间，不影响数值。",
                },
            ),
        ),
    ),
)
