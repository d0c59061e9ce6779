"""The quiz of lesson 03."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="03/fed",
        prompt={
            "en": "Batches come in feed_dict, N = 10, 8 calls. How many different"
            " batches are trained?",
            "zh": "用 feed_dict 送 batch，N = 10，调用 8 次。"
            "训练了多少个不同的 batch？",
        },
        choices=(
            Choice(
                {"en": "8", "zh": "8"},
                why={
                    "en": "One crosses with each call, and is trained ten times.",
                    "zh": "每次调用只送入一个，训练十次。",
                },
                right=True,
            ),
            Choice(
                {"en": "80", "zh": "80"},
                why={
                    "en": "That many steps run, but nothing new arrives in the loop.",
                    "zh": "这是 step 数，但循环内没有新数据到达。",
                },
            ),
            Choice(
                {"en": "1", "zh": "1"},
                why={
                    "en": "Each call brings its own.",
                    "zh": "每次调用各送入一个。",
                },
            ),
        ),
    ),
    Question(
        name="03/every",
        prompt={
            "en": "N = 10, after each call: if step % 25 == 0: save(). How often is"
            " a checkpoint saved?",
            "zh": "N = 10，每次调用后执行 if step % 25 == 0: save()。"
            "多久保存一次 checkpoint？",
        },
        choices=(
            Choice(
                {"en": "every 25 steps", "zh": "每 25 个 step"},
                why={
                    "en": "No call ends at step 25 or 75.",
                    "zh": "没有调用恰好在第 25 或 75 个 step 结束。",
                },
            ),
            Choice(
                {"en": "every 50 steps", "zh": "每 50 个 step"},
                why={
                    "en": "Calls end at multiples of 10; of them, those that 25"
                    " divides.",
                    "zh": "调用在 10 的倍数处结束，其中能被 25 整除的才保存。",
                },
                right=True,
            ),
            Choice(
                {"en": "every 30 steps", "zh": "每 30 个 step"},
                why={
                    "en": "The condition asks for equality; it does not round up.",
                    "zh": "条件要求相等，不会向上取整。",
                },
            ),
        ),
    ),
    Question(
        name="03/time",
        prompt={
            "en": "N = 10: call 1 takes 900 ms, calls 2 to 10 take 12 ms each. Time per"
            " step?",
            "zh": "N = 10：第 1 次调用 900 ms，第 2 到 10 次各 12 ms。单步耗时是多少？",
        },
        choices=(
            Choice(
                {"en": "12 ms", "zh": "12 ms"},
                why={
                    "en": "That is a call: ten steps.",
                    "zh": "那是一次调用，即十个 step。",
                },
            ),
            Choice(
                {"en": "10 ms", "zh": "10 ms"},
                why={
                    "en": "The compiling of call 1 is in it.",
                    "zh": "其中包含第 1 次调用的编译。",
                },
            ),
            Choice(
                {"en": "1.2 ms", "zh": "1.2 ms"},
                why={
                    "en": "Call 1 left out, the call divided by N.",
                    "zh": "去掉第 1 次调用，再除以 N。",
                },
                right=True,
            ),
        ),
    ),
)
