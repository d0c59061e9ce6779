"""The quiz of lesson 06."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="06/lines",
        prompt={
            "en": "log_step_count_steps = 100, N = 10. How many steps lie between two"
            " lines with the loss?",
            "zh": "log_step_count_steps = 100，N = 10。"
            "两行 loss 日志之间相隔多少个 step？",
        },
        choices=(
            Choice(
                {"en": "100", "zh": "100"},
                why={
                    "en": "So it is at N = 1, where a call is a step.",
                    "zh": "N = 1 时是这样，那时一次调用就是一个 step。",
                },
            ),
            Choice(
                {"en": "10", "zh": "10"},
                why={
                    "en": "That is a call; the hook prints at every 100th.",
                    "zh": "那是一次调用；hook 每 100 次调用打印一次。",
                },
            ),
            Choice(
                {"en": "1000", "zh": "1000"},
                why={
                    "en": "The hook counts calls: 100 of them, 10 steps each.",
                    "zh": "hook 数的是调用次数：100 次，每次 10 个 step。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="06/save",
        prompt={
            "en": "save_checkpoints_steps = 2, N = 10, as in one of the guide's"
            " samples. After which steps is a checkpoint written?",
            "zh": "save_checkpoints_steps = 2，N = 10，文档的某个示例就是这样配置的。"
            "在哪些步数写入 checkpoint？",
        },
        choices=(
            Choice(
                {"en": "2, 4, 6, ...", "zh": "2、4、6……"},
                why={
                    "en": "These steps end inside a call.",
                    "zh": "这些 step 在调用内部结束。",
                },
            ),
            Choice(
                {"en": "10, 20, 30, ...", "zh": "10、20、30……"},
                why={
                    "en": "At least 2 steps have passed after every call; and one is"
                    " written before the first.",
                    "zh": "每次调用之后都已至少过了 2 步；第一次调用之前也写入一个。",
                },
                right=True,
            ),
            Choice(
                {"en": "20, 40, 60, ...", "zh": "20、40、60……"},
                why={
                    "en": "The setting counts steps, not calls.",
                    "zh": "该配置数的是 step，不是调用次数。",
                },
            ),
        ),
    ),
    Question(
        name="06/resumed",
        prompt={
            "en": "Training is killed at step 90; the newest checkpoint is of step 80."
            " The script is started again. What comes first?",
            "zh": "训练在第 90 步被终止，最新的 checkpoint 是第 80 步的。"
            "重新启动脚本后，最先发生什么？",
        },
        choices=(
            Choice(
                {
                    "en": "step 81, with the first batch of the data",
                    "zh": "第 81 步，使用数据的第一个 batch",
                },
                why={
                    "en": "Weights and step are restored; the reader starts over.",
                    "zh": "权重和步数被恢复，数据则从头读取。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "step 81, with the batch after the eightieth",
                    "zh": "第 81 步，使用第八十个之后的 batch",
                },
                why={
                    "en": "The reader's position is in no checkpoint.",
                    "zh": "读取位置不在 checkpoint 中。",
                },
            ),
            Choice(
                {
                    "en": "step 1, with the first batch of the data",
                    "zh": "第 1 步，使用数据的第一个 batch",
                },
                why={
                    "en": "Only in a new model_dir.",
                    "zh": "只有使用新的 model_dir 时才如此。",
                },
            ),
        ),
    ),
)
