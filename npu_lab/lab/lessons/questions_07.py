"""The quiz of lesson 07."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="07/fit",
        prompt={
            "en": "model.fit runs 100 steps in a session with iterations_per_loop = 50."
            " How many training calls are there?",
            "zh": "会话配置了 iterations_per_loop = 50，model.fit 训练 100 个 step。"
            "有多少次训练调用？",
        },
        choices=(
            Choice(
                {"en": "2", "zh": "2"},
                why={
                    "en": "So it would be after conversion.",
                    "zh": "转换之后才是这样。",
                },
            ),
            Choice(
                {"en": "100", "zh": "100"},
                why={
                    "en": "Native Keras is fixed at one iteration a call.",
                    "zh": "Keras 原生 API 每次调用固定执行一次迭代。",
                },
                right=True,
            ),
            Choice(
                {"en": "5000", "zh": "5000"},
                why={
                    "en": "Steps are not multiplied: no loop is built at all.",
                    "zh": "step 不会翻倍：根本没有构建循环。",
                },
            ),
        ),
    ),
    Question(
        name="07/copy",
        prompt={
            "en": "After est.train you call keras_model.predict. With which weights?",
            "zh": "est.train 之后调用 keras_model.predict，使用的是哪些权重？",
        },
        choices=(
            Choice(
                {
                    "en": "those the model had when it was converted",
                    "zh": "转换时模型的权重",
                },
                why={
                    "en": "A copy was trained. set_weights brings its values back.",
                    "zh": "训练的是副本，用 set_weights 可以取回。",
                },
                right=True,
            ),
            Choice(
                {"en": "the trained ones", "zh": "训练之后的权重"},
                why={
                    "en": "Those are in the checkpoints of model_dir.",
                    "zh": "它们在 model_dir 的 checkpoint 中。",
                },
            ),
            Choice(
                {"en": "none, the model was used up", "zh": "没有，模型已不可用"},
                why={
                    "en": "The model stays what it was, and may even be trained on.",
                    "zh": "模型保持原样，还可以继续训练。",
                },
            ),
        ),
    ),
    Question(
        name="07/slow",
        prompt={
            "en": "A step takes 2 ms, a call 2 ms, but a batch is decoded in 5 ms. What"
            " does N = 100 bring?",
            "zh": "一个 step 2 ms，一次调用 2 ms，但解码一个 batch 要 5 ms。"
            "N = 100 能带来什么？",
        },
        choices=(
            Choice(
                {"en": "about twice the speed", "zh": "速度约为两倍"},
                why={
                    "en": "So it would be, if batches were there in time.",
                    "zh": "batch 供应及时的话才是这样。",
                },
            ),
            Choice(
                {"en": "five times the speed", "zh": "速度为五倍"},
                why={
                    "en": "N has no part in decoding: that stays on the host.",
                    "zh": "N 与解码无关：解码留在 Host 侧。",
                },
            ),
            Choice(
                {"en": "nothing", "zh": "没有变化"},
                why={
                    "en": "Each step waits 5 ms for its batch, at N = 1 and at 100.",
                    "zh": "无论 N = 1 还是 100，每个 step 都要等 5 ms 才有 batch。",
                },
                right=True,
            ),
        ),
    ),
)
