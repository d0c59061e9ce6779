"""The quiz of lesson 14."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="14/default",
        prompt={
            "en": "A script has the documented loop with tf.range(100), returns"
            " nothing, and never sets the loop size. How many steps does a call run?",
            "zh": "脚本按文档写了 tf.range(100) 循环，没有返回值，"
            "也从未设置 loop size。一次调用执行多少个 step？",
        },
        choices=(
            Choice(
                {"en": "100", "zh": "100"},
                why={
                    "en": "So it is without a device. In NPU_LOOP mode the number in"
                    " tf.range is not looked at.",
                    "zh": "没有 Device 时是这样。NPU_LOOP 模式下不看 tf.range 中的数。",
                },
            ),
            Choice(
                {"en": "1", "zh": "1"},
                why={
                    "en": "The loop size is 1 unless NPU_LOOP_SIZE or"
                    " set_npu_loop_size says otherwise, and it alone rules.",
                    "zh": "未设置 NPU_LOOP_SIZE 或 set_npu_loop_size 时 loop size 为"
                    " 1，循环次数只由它决定。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "none: it waits for batches",
                    "zh": "一个也不执行：它会等待 batch",
                },
                why={
                    "en": "That is BUILTIN_LOOP, the mode of a function that returns"
                    " something; and its first step runs, too.",
                    "zh": "那是 BUILTIN_LOOP，即函数有返回值时的模式；"
                    "而且它的第一个 step 也会执行。",
                },
            ),
        ),
    ),
    Question(
        name="14/returned",
        prompt={
            "en": "A colleague adds return loss to a loop that sinks well. What has to"
            " be true from now on?",
            "zh": "同事在正常下沉的循环函数中加了 return loss。此后必须满足什么？",
        },
        choices=(
            Choice(
                {
                    "en": "the loop size equals the steps of the call",
                    "zh": "loop size 等于本次调用的 step 数",
                },
                why={
                    "en": "In BUILTIN_LOOP the While ends by its own condition, and the"
                    " host pushes as many batches as the loop size.",
                    "zh": "BUILTIN_LOOP 中 While 由自身的条件结束，而 Host"
                    " 侧推送的 batch 数等于 loop size。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "nothing: a returned value costs no more",
                    "zh": "没有要求：返回一个值没有影响",
                },
                why={
                    "en": "It changes the mode, and with it the number that rules.",
                    "zh": "它会改变模式，决定循环次数的数也随之改变。",
                },
            ),
            Choice(
                {
                    "en": "the loss is divided by the loop size",
                    "zh": "loss 要除以 loop size",
                },
                why={
                    "en": "What comes back is the loss of the last step, no sum.",
                    "zh": "返回的是最后一个 step 的 loss，不是总和。",
                },
            ),
        ),
    ),
    Question(
        name="14/keras",
        prompt={
            "en": "NPU_LOOP_SIZE is 100, and model.fit still crosses once a step. Why?",
            "zh": "NPU_LOOP_SIZE 为 100，model.fit 仍然每个 step 交互一次。为什么？",
        },
        choices=(
            Choice(
                {
                    "en": "fit cannot run on the device",
                    "zh": "fit 不能在 Device 侧执行",
                },
                why={
                    "en": "It does, step by step: its train function is a"
                    " tf.function already.",
                    "zh": "可以，只是逐个 step 执行：其训练函数本来就是 tf.function。",
                },
            ),
            Choice(
                {
                    "en": "iterations_per_loop is missing in global_options",
                    "zh": "global_options 中缺少 iterations_per_loop",
                },
                why={
                    "en": "There is no such option in TensorFlow 2; setting it is an"
                    " error.",
                    "zh": "TensorFlow 2 中没有这个选项，设置它会报错。",
                },
            ),
            Choice(
                {
                    "en": "the model was compiled without steps_per_execution",
                    "zh": "compile 时没有设置 steps_per_execution",
                },
                why={
                    "en": "Without it Keras builds no loop into the graph, and a loop"
                    " size can only rule a loop.",
                    "zh": "没有它，Keras 不会在图中生成循环；"
                    "loop size 只对循环起作用。",
                },
                right=True,
            ),
        ),
    ),
)
