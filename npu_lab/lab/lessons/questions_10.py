"""The quiz of lesson 10."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="10/differ",
        prompt={
            "en": "Two ranks begin with different weights, and the gradients are"
            " averaged. What becomes of the difference?",
            "zh": "两个 rank 的初始权重不同，梯度取平均。差异会怎样？",
        },
        choices=(
            Choice(
                {"en": "training takes it away", "zh": "训练会消除它"},
                why={
                    "en": "Both make the same update; nothing compares the weights.",
                    "zh": "两者的更新相同；没有任何步骤比较权重。",
                },
            ),
            Choice(
                {"en": "it stays as it was", "zh": "保持不变"},
                why={
                    "en": "Both subtract the same mean in each step.",
                    "zh": "每一步两者减去同一个平均值。",
                },
                right=True,
            ),
            Choice(
                {"en": "the first all-reduce fails", "zh": "第一次 AllReduce 会失败"},
                why={
                    "en": "It carries gradients; their shapes are equal, so it works.",
                    "zh": "它传输的是梯度；形状相同，所以能正常执行。",
                },
            ),
        ),
    ),
    Question(
        name="10/straggler",
        prompt={
            "en": "Rank 1 reads its data slowly. Where does the time of rank 0 go?",
            "zh": "rank 1 读取数据很慢。rank 0 的时间花在哪里？",
        },
        choices=(
            Choice(
                {"en": "into its own GetNext", "zh": "自己的 GetNext"},
                why={
                    "en": "Its own data are there in time.",
                    "zh": "它自己的数据按时到达。",
                },
            ),
            Choice(
                {
                    "en": "nowhere: each rank goes on at its own pace",
                    "zh": "没有影响：每个 rank 按自己的速度执行",
                },
                why={
                    "en": "No rank can update before it has the mean of all.",
                    "zh": "得到所有 rank 的平均值之前，谁都不能更新。",
                },
            ),
            Choice(
                {"en": "into waiting in the all-reduce", "zh": "在 AllReduce 中等待"},
                why={
                    "en": "So look at the rank that does not wait: it is the slow one.",
                    "zh": "所以要查的是不等待的那个 rank：慢的是它。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="10/sunk",
        prompt={
            "en": "A loop of N = 10 steps holds an all-reduce. How often do the ranks"
            " meet in one host call?",
            "zh": "N = 10 的循环中有一个 AllReduce。一次 Host 调用中各 rank 会合几次？",
        },
        choices=(
            Choice(
                {
                    "en": "10 times, without a round trip in between",
                    "zh": "10 次，中间没有交互",
                },
                why={
                    "en": "The collective is a part of the loop on the device.",
                    "zh": "集合通信是 Device 侧循环的一部分。",
                },
                right=True,
            ),
            Choice(
                {"en": "once, at the end", "zh": "一次，在最后"},
                why={
                    "en": "Each step needs the mean of its own gradients.",
                    "zh": "每一步都需要该步梯度的平均值。",
                },
            ),
            Choice(
                {
                    "en": "never: collectives cannot be sunk",
                    "zh": "从不：集合通信不能下沉",
                },
                why={
                    "en": "The ledger has shown 100 steps in loops, all of them"
                    " averaged.",
                    "zh": "账本显示循环中执行了 100 步，每一步都取了平均。",
                },
            ),
        ),
    ),
)
