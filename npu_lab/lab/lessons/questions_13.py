"""The quiz of lesson 13."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="13/meta",
        prompt={
            "en": "Which graph is in the .meta file beside a checkpoint?",
            "zh": "checkpoint 旁边的 .meta 文件中是哪个图？",
        },
        choices=(
            Choice(
                {"en": "one for inference", "zh": "推理图"},
                why={
                    "en": "Nobody has built one yet when the training saves.",
                    "zh": "训练保存时，还没有人构建推理图。",
                },
            ),
            Choice(
                {
                    "en": "the one in which the Saver was: that of the training",
                    "zh": "Saver 所在的图，即训练时的图",
                },
                why={
                    "en": "With its iterator, its dropout and its optimizer.",
                    "zh": "带有迭代器、dropout 和优化器。",
                },
                right=True,
            ),
            Choice(
                {"en": "a frozen one", "zh": "固化后的图"},
                why={
                    "en": "A frozen graph has the weights; here they are in files of"
                    " their own.",
                    "zh": "固化后的图包含权重；而这里权重在单独的文件中。",
                },
            ),
        ),
    ),
    Question(
        name="13/changes",
        prompt={
            "en": "A frozen graph gives a digit one class, and at the next call"
            " another. What is in it?",
            "zh": "固化后的图对同一张图片，两次调用给出不同的类别。图中有什么？",
        },
        choices=(
            Choice(
                {"en": "variables that go on learning", "zh": "仍在学习的变量"},
                why={
                    "en": "It has no variables: they became constants.",
                    "zh": "其中没有变量：变量已变为常量。",
                },
            ),
            Choice(
                {"en": "a checkpoint of another model", "zh": "其他模型的 checkpoint"},
                why={
                    "en": "That would be wrong in the same way each time.",
                    "zh": "那样每次都会以同样的方式出错。",
                },
            ),
            Choice(
                {"en": "dropout of the training", "zh": "训练时的 dropout"},
                why={
                    "en": "It draws anew at each call; build the inference graph"
                    " without it.",
                    "zh": "每次调用都重新随机丢弃；构建推理图时应去掉它。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="13/filled",
        prompt={
            "en": "Why is the last batch filled up in online inference?",
            "zh": "在线推理时为什么要补齐最后一个 batch？",
        },
        choices=(
            Choice(
                {
                    "en": "each new shape is compiled as a graph of its own",
                    "zh": "每种新的 shape 都要另外编译一个图",
                },
                why={
                    "en": "That takes long on hardware, for a few digits.",
                    "zh": "在硬件上很耗时，却只为了几张图片。",
                },
                right=True,
            ),
            Choice(
                {"en": "a short batch is refused", "zh": "不足的 batch 会被拒绝"},
                why={
                    "en": "Not where the placeholder's first dimension is open.",
                    "zh": "placeholder 的第一维任意时不会。",
                },
            ),
            Choice(
                {"en": "the accuracy would suffer", "zh": "否则精度会下降"},
                why={
                    "en": "In an inference graph each row stands for itself.",
                    "zh": "推理图中各行互不影响。",
                },
            ),
        ),
    ),
)
