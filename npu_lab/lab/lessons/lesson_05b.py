"""Exercises and questions of lesson 05b: eight more loops, and what ails them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_lab.lab.exercises import Exercise, Text
from npu_lab.lab.lessons import answers_05 as answers
from npu_lab.lab.lessons import answers_05b as more_answers
from npu_lab.lab.lessons import checks_05 as checks
from npu_lab.lab.lessons import checks_05b as more_checks
from npu_lab.lab.lessons.questions_05b import QUESTIONS

# What the exported script does: the healthy training at N = 1 and at N = 10.
LEDGER = {
    "session_runs": 76,
    "training_calls": 66,
    "device_iterations": 60,
    "batches_pulled": 120,
}

COMPARE: Text = {
    "en": "First the rows that differ from the healthy run; then the script's line"
    " that belongs to them.",
    "zh": "先看与正常运行不同的行，再找脚本中对应的语句。",
}
TRAIN = """\
from npu_bridge.npu_init import *


def mended_{case}(sess, train_op, loss, n, steps):
    {first}train_op = util.set_iteration_per_loop(sess, train_op, n)
    return [sess.run([train_op, loss])[1] for _ in range(steps // n)]"""


def _cause(case: int, code: str, hint: Text, explanation: Text) -> Exercise:
    """What ails this case, by its code."""
    mistakes = more_checks.signs_without(code)
    return Exercise(
        name=f"05b/cause_{case}",
        title={"en": f"case {case}, the cause", "zh": f"病例 {case}，原因"},
        checker=more_checks.check_code(code),
        praise={"en": f"Right, {code}.", "zh": f"正确，{code}。"},
        hints=(COMPARE, hint),
        solution=f'cause_{case} = "{code}"',
        explanation=explanation,
        mistakes=mistakes,
        right=(code, code.lower()),
        wrong=tuple((key, 7 if key == "other" else key) for key in mistakes),
    )


def _mend(
    case: int,
    checker: Callable[[Any], None],
    solution: str,
    hints: tuple[Text, Text],
    mistakes: dict[str, Text],
    right: tuple[Any, ...],
    wrong: tuple[tuple[str, Any], ...],
) -> Exercise:
    """The mend of this case; what counts is verdict, ledger and losses."""
    return Exercise(
        name=f"05b/mended_{case}",
        title={"en": f"case {case}, the mend", "zh": f"病例 {case}，改正"},
        checker=checker,
        praise={
            "en": "Each call runs its N steps, each on a batch of its own.",
            "zh": "每次调用执行 N 步，每个 step 各用一个 batch。",
        },
        hints=hints,
        solution=solution,
        explanation=hints[-1],
        mistakes=mistakes,
        right=right,
        wrong=wrong,
    )


def _training(
    case: int, hints: tuple[Text, Text], *wrong: tuple[str, Any], first: str = ""
) -> Exercise:
    """The mend of a training function; `wrong` are its own known-wrong answers."""
    every = (
        ("no function", 1),
        *wrong,
        ("not divided", answers.not_divided),
        ("nothing", answers.no_return),
        ("raised", answers.broken),
    )
    mistakes = {key: checks.TRAINING[key] for key, _ in every if key != "raised"}
    return _mend(
        case,
        checks.check_losses,
        TRAIN.format(case=case, first=first),
        hints,
        mistakes,
        (answers.kept, more_answers.initialized_before),
        every,
    )


EXERCISES = (
    _cause(
        5,
        "SINK006",
        {
            "en": "No loop variable was loaded. Who loads them?",
            "zh": "没有加载循环变量。由谁来加载？",
        },
        {
            "en": "The option only permits the loop. The setter marks the training"
            " operation and loads the count; without it nothing is sunk.",
            "zh": "参数只是允许循环。由设置接口标记训练算子并加载次数；"
            "没有它，什么都不会下沉。",
        },
    ),
    _training(
        5,
        (
            {"en": "One line is missing.", "zh": "少了一行。"},
            {
                "en": "The setter, once, before the calls: keep what it returns.",
                "zh": "在调用之前运行一次设置接口，并保存它的返回值。",
            },
        ),
        ("not sunk", answers.no_setter),
        ("not sunk", answers.discarded),
        ("hard-coded", answers.ten),
    ),
    _cause(
        6,
        "SINK018",
        {
            "en": "24 loads where 4 are enough: how often was the setter called?",
            "zh": "4 次加载就够了，这里是 24 次：设置接口被调用了几次？",
        },
        {
            "en": "A graph gives each name once. The second operation is called"
            " IterationOp_1, and only IterationOp is sunk.",
            "zh": "同一个图中每个名称只能用一次。第二个算子名为 IterationOp_1，"
            "而只有 IterationOp 会下沉。",
        },
    ),
    _training(
        6,
        (
            {
                "en": "What changes the graph must not be repeated.",
                "zh": "修改图的操作不能重复。",
            },
            {
                "en": "Move the setter's line in front of the loop.",
                "zh": "把设置接口那一行移到循环之前。",
            },
        ),
        ("setter again", answers.setter_in_the_loop),
        ("not sunk", answers.discarded),
    ),
    _cause(
        7,
        "SINK007",
        {
            "en": "5 steps a call: which number in the script is a 5?",
            "zh": "每次调用 5 步：脚本中哪个数是 5？",
        },
        {
            "en": "The option is not compared with the loaded count. The count rules.",
            "zh": "参数不会与加载的次数比较，以加载的次数为准。",
        },
    ),
    _training(
        7,
        (
            {
                "en": "The same number stands in three places.",
                "zh": "同一个数用在三个地方。",
            },
            {
                "en": "Write it once: n, in the configuration, the setter and the"
                " division.",
                "zh": "只写一次：配置、设置接口和除法都用 n。",
            },
        ),
        ("hard-coded", more_answers.five),
        ("not sunk", answers.no_setter),
    ),
    _cause(
        8,
        "SINK021",
        {
            "en": "The markers are there, and the count was loaded. What came after?",
            "zh": "有标志行，次数也加载了。之后又发生了什么？",
        },
        {
            "en": "The loop variables are local variables. Initializing those sets the"
            " count back to 0, and a count of 0 is a loop of one.",
            "zh": "循环变量属于局部变量。初始化局部变量会把次数置为 0，"
            "而 0 就是只循环一次。",
        },
    ),
    _training(
        8,
        (
            {
                "en": "Both lines are needed, in another order.",
                "zh": "两行都需要，只是顺序不同。",
            },
            {
                "en": "All initializers first, then the setter.",
                "zh": "先运行所有初始化，再调用设置接口。",
            },
        ),
        ("reset", more_answers.reset),
        ("not sunk", answers.discarded),
        first="sess.run(tf.local_variables_initializer())\n    ",
    ),
    _cause(
        9,
        "SINK019",
        {
            "en": "What is the full name of an operation made under a scope?",
            "zh": "在 scope 内创建的算子，全名是什么？",
        },
        {
            "en": "It is called train/IterationOp. Only an operation named exactly"
            " IterationOp is sunk.",
            "zh": "它名为 train/IterationOp。"
            "只有名称恰好为 IterationOp 的算子才会下沉。",
        },
    ),
    _training(
        9,
        (
            {
                "en": "A scope puts its name in front of all that is made in it.",
                "zh": "scope 会给其中创建的所有算子加上前缀。",
            },
            {
                "en": "Call the setter outside of any scope.",
                "zh": "请在所有 scope 之外调用设置接口。",
            },
        ),
        ("scope", more_answers.scoped),
        ("not sunk", answers.discarded),
    ),
    _cause(
        10,
        "SINK040",
        {
            "en": "Wrong at N = 1 as well: what comes before any training?",
            "zh": "N = 1 时也不对：训练之前有什么？",
        },
        {
            "en": "A graph that holds an iterator's initializer stays on the host. What"
            " it initializes beside that never reaches the device.",
            "zh": "包含迭代器初始化的图留在 Host 侧，其中一起初始化的变量不会到达"
            " Device 侧。",
        },
    ),
    _mend(
        10,
        more_checks.check_initializing,
        """\
def mended_10(sess, iterator):
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)""",
        (
            {"en": "One run is one graph.", "zh": "一次 run 就是一个图。"},
            {
                "en": "A sess.run for the variables, another for the iterator.",
                "zh": "变量用一次 sess.run，迭代器再用一次。",
            },
        ),
        more_checks.INITIALIZING,
        more_answers.INITIALIZING_RIGHT,
        more_answers.INITIALIZING_WRONG,
    ),
    _cause(
        11,
        "SINK022",
        {
            "en": "The findings are those of a switch that is off. Is it really on?",
            "zh": "检查结果与开关关闭时相同。它真的打开了吗？",
        },
        {
            "en": "Each option is read from one field. A switch in the field i reads as"
            " False, and nothing is said.",
            "zh": "每个参数只从一个字段读取。开关写在字段 i 中会被读作 False，"
            "而且没有任何提示。",
        },
    ),
    _mend(
        11,
        more_checks.check_field,
        """\
def mended_11(custom_op):
    custom_op.parameter_map["enable_data_pre_proc"].b = True""",
        (
            {
                "en": "Look at the field of use_off_line, a switch as well.",
                "zh": "看看同为开关的 use_off_line 用的是哪个字段。",
            },
            {
                "en": "Switches are read from b, whole numbers from i, texts from s.",
                "zh": "开关从 b 读取，整数从 i 读取，字符串从 s 读取。",
            },
        ),
        checks.CONFIG,
        answers.CONFIG_RIGHT,
        more_answers.FIELD_WRONG,
    ),
    _cause(
        12,
        "SINK013",
        {
            "en": "The setter is right and the count is loaded. What about the shapes?",
            "zh": "设置接口正确，次数也已加载。shape 呢？",
        },
        {
            "en": "The last batch may be smaller, so the size is unknown, and a loop is"
            " built for known shapes only.",
            "zh": "最后一个 batch 可能较小，因此大小未知，"
            "而循环只能按已知的 shape 构建。",
        },
    ),
    _mend(
        12,
        more_checks.check_dataset,
        """\
def mended_12(images, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    return dataset.repeat().batch(batch_size, drop_remainder=True)""",
        (
            {
                "en": "With repeat() no batch is ever short, but batch does not know.",
                "zh": "有 repeat() 时不会出现不足的 batch，但 batch 并不知道。",
            },
            {
                "en": "drop_remainder=True makes the size part of the shape.",
                "zh": "drop_remainder=True 让 batch 大小成为 shape 的一部分。",
            },
        ),
        more_checks.DATASET,
        more_answers.DATASET_RIGHT,
        more_answers.DATASET_WRONG,
    ),
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]
