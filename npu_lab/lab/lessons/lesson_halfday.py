"""Five questions, asked before and after the half-day path: what it is about."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="halfday/time",
        prompt={
            "en": "1. A step takes 1 ms on the device; each call costs 2 ms beside its"
            " steps. How long is a step on average at N = 10?",
            "zh": "1. Device 侧每个 step 需要 1 ms，每次调用另有 2 ms 的开销。"
            "N = 10 时，平均每个 step 多长？",
        },
        choices=(
            Choice(
                {"en": "0.3 ms", "zh": "0.3 ms"},
                why={
                    "en": "N shares the cost of the call among the steps; the step"
                    " itself gets no faster.",
                    "zh": "N 只把调用开销分摊到各个 step，step 本身不会变快。",
                },
            ),
            Choice(
                {"en": "1.2 ms", "zh": "1.2 ms"},
                why={
                    "en": "The step, and its share of the call.",
                    "zh": "step 本身，加上分摊到的调用开销。",
                },
                right=True,
            ),
            Choice(
                {"en": "3 ms", "zh": "3 ms"},
                why={
                    "en": "That is a step that pays for a whole call: N = 1.",
                    "zh": "这是一个 step 承担整次调用开销的情况，即 N = 1。",
                },
            ),
        ),
    ),
    Question(
        name="halfday/proof",
        prompt={
            "en": "2. Which line of the host log proves that the loop was built?",
            "zh": "2. Host 日志中的哪一行证明循环已构建？",
        },
        choices=(
            Choice(
                {
                    "en": "iteration_per_loop: 10",
                    "zh": "iteration_per_loop: 10",
                },
                why={
                    "en": "That is what was asked for. It is logged when nothing is"
                    " built, too.",
                    "zh": "这只是所要求的配置。没有构建循环时也会出现。",
                },
            ),
            Choice(
                {
                    "en": "Insert op success, name:ge_global_step",
                    "zh": "Insert op success, name:ge_global_step",
                },
                why={
                    "en": "The keyword with a plain variable: every training graph has"
                    " it.",
                    "zh": "只是带普通变量的关键字行：每个训练图都有。",
                },
            ),
            Choice(
                {
                    "en": "Insert op success, name:FlowCtrl_LoopCond_ASSIGNADD",
                    "zh": "Insert op success, name:FlowCtrl_LoopCond_ASSIGNADD",
                },
                why={
                    "en": "A marker: the keyword, and an operator that counts the"
                    " loop.",
                    "zh": "这是标志行：既有关键字，又是循环计数的算子。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="halfday/loss",
        prompt={
            "en": "3. 100 steps are trained at N = 10, and each call returns the loss."
            " How many of the losses does the host see?",
            "zh": "3. N = 10，训练 100 个 step，每次调用返回 loss。Host 侧能看到多少个"
            " loss？",
        },
        choices=(
            Choice(
                {"en": "10: the last of each call", "zh": "10：每次调用的最后一个"},
                why={
                    "en": "One call, one value: so log, checkpoint and stopping follow"
                    " the calls as well.",
                    "zh": "一次调用返回一个值：日志、checkpoint 和停止也都以调用为"
                    "单位。",
                },
                right=True,
            ),
            Choice(
                {"en": "10: the mean of each call", "zh": "10：每次调用的平均值"},
                why={
                    "en": "Nothing is averaged on the way.",
                    "zh": "途中没有求平均。",
                },
            ),
            Choice(
                {"en": "100: one of each step", "zh": "100：每个 step 一个"},
                why={
                    "en": "What happens inside the loop stays on the device.",
                    "zh": "循环内部的值留在 Device 侧。",
                },
            ),
        ),
    ),
    Question(
        name="halfday/calls",
        prompt={
            "en": "4. A script makes 600 calls and saves every 60 calls. With N = 20,"
            " what keeps training and checkpoints as they were?",
            "zh": "4. 脚本调用 600 次，每 60 次调用保存一次。N = 20 时，"
            "怎样使训练量和 checkpoint 与原来相同？",
        },
        choices=(
            Choice(
                {
                    "en": "600 calls, saved every 60 calls",
                    "zh": "调用 600 次，每 60 次调用保存一次",
                },
                why={
                    "en": "That trains twenty times as many steps.",
                    "zh": "训练步数会是原来的二十倍。",
                },
            ),
            Choice(
                {
                    "en": "30 calls, saved every 3 calls",
                    "zh": "调用 30 次，每 3 次调用保存一次",
                },
                why={
                    "en": "Both counted calls, so both are divided by N.",
                    "zh": "两者都按调用计数，因此都除以 N。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "30 calls, saved every 60 calls",
                    "zh": "调用 30 次，每 60 次调用保存一次",
                },
                why={
                    "en": "There are no 60 calls any more: nothing would be saved.",
                    "zh": "已经不足 60 次调用：不会保存任何 checkpoint。",
                },
            ),
        ),
    ),
    Question(
        name="halfday/data",
        prompt={
            "en": "5. The loop is in effect at N = 10, and the batches come through"
            " feed_dict. What does one call train on?",
            "zh": "5. N = 10 时循环已生效，batch 通过 feed_dict 送入。一次调用用什么"
            "数据训练？",
        },
        choices=(
            Choice(
                {
                    "en": "ten batches, one for each step",
                    "zh": "十个 batch，每个 step 一个",
                },
                why={
                    "en": "Only a Dataset whose GetNext is sunk gives that.",
                    "zh": "只有 GetNext算子下沉的 Dataset 才能做到。",
                },
            ),
            Choice(
                {"en": "one batch of ten times the size", "zh": "一个十倍大小的 batch"},
                why={
                    "en": "N is not the batch size.",
                    "zh": "N 不是 batch size。",
                },
            ),
            Choice(
                {"en": "one batch, ten times", "zh": "同一个 batch，重复十次"},
                why={
                    "en": "What is fed is copied once per call and stays for the whole"
                    " loop. No error tells of it: look at the verdict.",
                    "zh": "送入的数据每次调用只拷贝一次，在整个循环中不变。"
                    "不会报错：请看判定。",
                },
                right=True,
            ),
        ),
    ),
)
