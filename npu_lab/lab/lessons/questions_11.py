"""The quiz of lesson 11."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="11/first",
        prompt={
            "en": "Forty operators are in the overflow dump. Which one is looked at?",
            "zh": "溢出 dump 中有四十个算子。看哪一个？",
        },
        choices=(
            Choice(
                {"en": "the one with the largest value", "zh": "数值最大的"},
                why={
                    "en": "Infinite is infinite: what came later is no smaller.",
                    "zh": "无穷大就是无穷大：后面的并不更小。",
                },
            ),
            Choice(
                {
                    "en": "the first one executed, if its inputs are clean",
                    "zh": "最先执行的，并且输入正常",
                },
                why={
                    "en": "There it began; the others computed with its result.",
                    "zh": "问题从那里开始；其他算子只是用它的结果继续计算。",
                },
                right=True,
            ),
            Choice(
                {"en": "the loss", "zh": "loss"},
                why={
                    "en": "It is where one notices, not where it begins.",
                    "zh": "在那里被发现，但不是从那里开始。",
                },
            ),
        ),
    ),
    Question(
        name="11/scale",
        prompt={
            "en": "The loss scale is 1 and the global step stands still. What helps?",
            "zh": "loss scale 为 1，global step 不动。怎么办？",
        },
        choices=(
            Choice(
                {"en": "a larger first loss scale", "zh": "更大的初始 loss scale"},
                why={
                    "en": "It falls to 1 again, only later.",
                    "zh": "它会再次降到 1，只是晚一些。",
                },
            ),
            Choice(
                {"en": "more patience: it recovers", "zh": "耐心等待，会恢复的"},
                why={
                    "en": "It rises after good steps, and there are none.",
                    "zh": "只有正常的步之后才会上升，而现在一步也没有。",
                },
            ),
            Choice(
                {
                    "en": "finding the overflow in the forward pass",
                    "zh": "找出前向计算中的溢出",
                },
                why={
                    "en": "The scale only acts on gradients; the forward pass does not"
                    " see it.",
                    "zh": "loss scale 只作用于梯度，与前向计算无关。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="11/saturation",
        prompt={
            "en": "In saturation mode a convolution gives 65504 in many places. Is that"
            " an overflow?",
            "zh": "在饱和模式下，卷积的许多输出是 65504。这是溢出吗？",
        },
        choices=(
            Choice(
                {"en": "no, all values are finite", "zh": "不是，所有值都是有限数"},
                why={
                    "en": "They are finite and wrong: the true values are larger.",
                    "zh": "是有限数，但不对：真实值更大。",
                },
            ),
            Choice(
                {
                    "en": "yes: what was too large was cut, and the status flag is set",
                    "zh": "是：过大的值被截断，并设置了状态标志",
                },
                why={
                    "en": "The loss scale optimizers read that flag.",
                    "zh": "loss scale 优化器读取的就是这个标志。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "only if NaN comes out somewhere later",
                    "zh": "只有后面出现 NaN 才是",
                },
                why={
                    "en": "In this mode no NaN ever warns you: it becomes 0.",
                    "zh": "在这种模式下不会有 NaN 提醒您：NaN 变为 0。",
                },
            ),
        ),
    ),
)
