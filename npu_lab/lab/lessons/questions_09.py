"""The quiz of lesson 09."""

from __future__ import annotations

from npu_lab.lab.questions import Choice, Question

QUESTIONS = (
    Question(
        name="09/import",
        prompt={
            "en": "A script has a module of its own called util and sinks its loop."
            " Where does the star import go?",
            "zh": "某脚本有自己的 util 模块，并要使能训练迭代循环下沉。"
            "星号导入放在哪里？",
        },
        choices=(
            Choice(
                {"en": "first; that is enough", "zh": "放在最前面，这就够了"},
                why={
                    "en": "Then its util hides the one that has the setter.",
                    "zh": "这样它的 util 会遮住带有设置接口的模块。",
                },
            ),
            Choice(
                {"en": "last; that is enough", "zh": "放在最后面，这就够了"},
                why={
                    "en": "Then the script's own util is gone.",
                    "zh": "这样脚本自己的 util 就没有了。",
                },
            ),
            Choice(
                {
                    "en": "first, and the script's util gets another name",
                    "zh": "放在最前面，并给脚本的 util 改名",
                },
                why={
                    "en": "Both modules can be reached, whatever the order.",
                    "zh": "这样两个模块都能使用，与顺序无关。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="09/memory",
        prompt={
            "en": "You add NpuOptimizer yourself and leave out remapping, XLA and"
            " memory_optimization. What does the session have?",
            "zh": "您自己添加了 NpuOptimizer，但没有配置 remapping、XLA 和"
            " memory_optimization。会话中的取值是什么？",
        },
        choices=(
            Choice(
                {"en": "all three off", "zh": "三项都关闭"},
                why={
                    "en": "The import turns memory_optimization off only where it adds"
                    " NpuOptimizer itself.",
                    "zh": "只有导入自己添加 NpuOptimizer 时，"
                    "才会关闭 memory_optimization。",
                },
            ),
            Choice(
                {
                    "en": "remapping and XLA off, memory_optimization as TensorFlow has"
                    " it",
                    "zh": "remapping 和 XLA 关闭，memory_optimization 为 TensorFlow"
                    " 的默认值",
                },
                why={
                    "en": "So this line of the documented form must be written.",
                    "zh": "所以文档写法中的这一行必须写出。",
                },
                right=True,
            ),
            Choice(
                {"en": "all three as TensorFlow has them", "zh": "三项都是默认值"},
                why={
                    "en": "The import writes remapping and XLA into every session.",
                    "zh": "导入会把 remapping 和 XLA 写入每个会话。",
                },
            ),
        ),
    ),
    Question(
        name="09/half",
        prompt={
            "en": "An Estimator was migrated, the loss falls, and nothing complains."
            " What shows that N is in effect?",
            "zh": "Estimator 已迁移，loss 在下降，也没有报错。什么能证明 N 已生效？",
        },
        choices=(
            Choice(
                {
                    "en": "the ledger: as many training calls as steps divided by N",
                    "zh": "账本：训练调用次数等于步数除以 N",
                },
                why={
                    "en": "A half migrated one makes a call for each step.",
                    "zh": "只迁移了一半时，每一步都是一次调用。",
                },
                right=True,
            ),
            Choice(
                {"en": "the loss", "zh": "loss"},
                why={
                    "en": "It is the same with any N.",
                    "zh": "N 取任何值，loss 都相同。",
                },
            ),
            Choice(
                {
                    "en": "the configuration: it holds iterations_per_loop",
                    "zh": "配置：其中有 iterations_per_loop",
                },
                why={
                    "en": "It holds it in the half migrated script as well; there it is"
                    " never read.",
                    "zh": "只迁移了一半的脚本中也有，只是从未被读取。",
                },
            ),
        ),
    ),
)
