"""The quiz of lesson 05."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="05/markers",
        prompt={
            "en": "The log shows the markers. Which of the four faults is ruled out?",
            "zh": "日志中有标志行。四种错误中，哪一种可以排除？",
        },
        choices=(
            Choice(
                {
                    "en": "the setter's result was thrown away",
                    "zh": "丢弃了设置接口的返回值",
                },
                why={
                    "en": "Then nothing named IterationOp runs, and no loop is built.",
                    "zh": "那样就不会运行名为 IterationOp 的算子，也不会构建循环。",
                },
                right=True,
            ),
            Choice(
                {"en": "the calls were not divided", "zh": "调用次数没有除以 N"},
                why={
                    "en": "Its log is in perfect health; only the counts are not.",
                    "zh": "它的日志完全正常，只有计数不对。",
                },
            ),
            Choice(
                {"en": "the batches were fed", "zh": "用 feed_dict 送入 batch"},
                why={
                    "en": "The loop is built all the same, on repeated data.",
                    "zh": "循环照样构建，只是数据重复。",
                },
            ),
        ),
    ),
    Question(
        name="05/loss",
        prompt={
            "en": "Batches are fed at N = 10, and the loss falls faster than at N = 1."
            " Why?",
            "zh": "N = 10 时用 feed_dict 送入 batch，"
            "loss 比 N = 1 时下降更快。为什么？",
        },
        choices=(
            Choice(
                {"en": "the loop trains better", "zh": "循环训练效果更好"},
                why={
                    "en": "The test accuracy says the opposite.",
                    "zh": "测试精度说明恰恰相反。",
                },
            ),
            Choice(
                {
                    "en": "it is the loss of a batch in its tenth training in a row",
                    "zh": "那是同一个 batch 连续第十次训练时的 loss",
                },
                why={
                    "en": "It tells how well that batch is remembered.",
                    "zh": "它只说明这个 batch 被记住的程度。",
                },
                right=True,
            ),
            Choice(
                {"en": "it is a mean of ten losses", "zh": "它是十个 loss 的平均值"},
                why={
                    "en": "Nothing is averaged: the last step's loss comes back.",
                    "zh": "没有求平均：返回的是最后一个 step 的 loss。",
                },
            ),
        ),
    ),
    Question(
        name="05/first",
        prompt={
            "en": "A sunk training does not converge. What is your first move?",
            "zh": "循环下沉后训练不收敛。您的第一步是什么？",
        },
        choices=(
            Choice(
                {"en": "a smaller learning rate", "zh": "减小学习率"},
                why={
                    "en": "You do not know yet whether the loop is to blame.",
                    "zh": "还不知道问题是否与循环有关。",
                },
            ),
            Choice(
                {"en": "search the log for the keyword", "zh": "在日志中查找关键字"},
                why={
                    "en": "The keyword is there at every N.",
                    "zh": "任何 N 都有这个关键字。",
                },
            ),
            Choice(
                {"en": "run it at N = 1", "zh": "用 N = 1 运行"},
                why={
                    "en": "It parts the faults of the loop from all others.",
                    "zh": "它把循环的问题与其他问题分开。",
                },
                right=True,
            ),
        ),
    ),
)
