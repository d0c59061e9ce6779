"""The quiz of lesson 08."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="08/status",
        prompt={
            "en": "The tool ends with exit status 0: no place needs a hand. What do"
            " you know?",
            "zh": "工具的退出码为 0：没有需人工处理的地方。由此可知什么？",
        },
        choices=(
            Choice(
                {
                    "en": "the training loop is sunk",
                    "zh": "训练循环已经下沉",
                },
                why={
                    "en": "Only with --iterations-per-loop, and the report has an L1.",
                    "zh": "只有使用 --iterations-per-loop、且报告中有 L1 时才如此。",
                },
            ),
            Choice(
                {
                    "en": "what the rules know has been rewritten, and N is still 1",
                    "zh": "规则所涉及之处均已改写，N 仍为 1",
                },
                why={
                    "en": "The rest is for the run, the loss and the checker to show.",
                    "zh": "其余的要由运行、loss 和检查工具来说明。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "the losses are those of the original",
                    "zh": "loss 与原脚本相同",
                },
                why={
                    "en": "Piece 2 changed the batches, and with them the loss.",
                    "zh": "改动 2 改变了 batch，loss 也随之改变。",
                },
            ),
        ),
    ),
    Question(
        name="08/batch",
        prompt={
            "en": "Why is .batch(96) in test_batches left as it is?",
            "zh": "为什么 test_batches 中的 .batch(96) 保持原样？",
        },
        choices=(
            Choice(
                {
                    "en": "drop_remainder=True is not allowed there",
                    "zh": "那里不允许使用 drop_remainder=True",
                },
                why={
                    "en": "It is, and that would be silent.",
                    "zh": "允许，而且不会有任何提示。",
                },
            ),
            Choice(
                {
                    "en": "evaluation never runs on the NPU",
                    "zh": "评估不会在 NPU 上执行",
                },
                why={
                    "en": "It may: then pad the last batch to the full size.",
                    "zh": "可以：此时请把最后一个 batch 补齐。",
                },
            ),
            Choice(
                {
                    "en": "the last digits would not be counted",
                    "zh": "最后几张图片将不被统计",
                },
                why={
                    "en": "A changed result is worse than a report line.",
                    "zh": "改变结果比多一行报告更糟。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="08/horovod",
        prompt={
            "en": "A script of yours calls hvd.join(), which has no counterpart. You"
            " give -d horovod. What becomes of its hvd.init()?",
            "zh": "脚本调用了没有对应写法的 hvd.join()，您指定了 -d horovod。"
            "其中的 hvd.init() 会怎样？",
        },
        choices=(
            Choice(
                {
                    "en": "it stays, and the report says why",
                    "zh": "保持原样，报告说明原因",
                },
                why={
                    "en": "All of its Horovod or nothing: no name is left without its"
                    " import.",
                    "zh": "Horovod 要么全部转换，要么都不转换：不留下没有导入的名称。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "it is converted, and hvd.join() is left",
                    "zh": "被转换，hvd.join() 保留",
                },
                why={
                    "en": "Then join would wait for what was never started.",
                    "zh": "那样 join 会等待从未启动的对象。",
                },
            ),
            Choice(
                {
                    "en": "the run ends, and no file is converted",
                    "zh": "运行终止，任何文件都不转换",
                },
                why={
                    "en": "Only Horovod stays; all else is migrated.",
                    "zh": "只有 Horovod 保持原样，其余照常迁移。",
                },
            ),
        ),
    ),
)
