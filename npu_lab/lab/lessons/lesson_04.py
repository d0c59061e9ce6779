"""Exercises and questions of lesson 04: the way of a batch to a sunk GetNext."""

from __future__ import annotations

from npu_lab.lab.exercises import Exercise
from npu_lab.lab.lessons import answers_04 as answers
from npu_lab.lab.lessons import checks_04 as checks
from npu_lab.lab.questions import Choice, Question

# What the exported script does.
LEDGER = {
    "session_runs": 12,
    "training_calls": 3,
    "device_iterations": 9,
    "batches_pulled": 9,
}

LONG_RUN = """\
def long_run(step, pipeline):
    return max(step, pipeline), pipeline > step"""

INPUT_PIPELINE = """\
def input_pipeline(numbers, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices(numbers).repeat().batch(
        batch_size, drop_remainder=True
    )
    return tf.data.make_initializable_iterator(dataset)"""

BEGIN = """\
from npu_bridge.npu_init import *


def begin(sess, iterator, train_op, n):
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(iterator.initializer)
    return util.set_iteration_per_loop(sess, train_op, n)"""

EXERCISES = (
    Exercise(
        name="04/long_run",
        title={"en": "does the device starve?", "zh": "Device 是否缺数据"},
        checker=checks.check_long_run,
        praise={
            "en": "The slower of the two sets the pace, and only a slower pipeline"
            " starves the device.",
            "zh": "较慢的一方决定节奏；只有数据预处理较慢时，Device 才缺数据。",
        },
        hints=(
            {
                "en": "Host and device work at the same time, as on an assembly line."
                " How often does a line with two stations deliver?",
                "zh": "Host 和 Device 同时工作，如同流水线。"
                "两个工位的流水线多久产出一件？",
            },
            {
                "en": "Python has a function for the larger of two numbers, and a sign"
                " that compares them.",
                "zh": "Python 有取两数中较大者的函数，也有比较符号。",
            },
        ),
        solution=LONG_RUN,
        explanation={
            "en": "Preparing the next batch overlaps with the step, so times are not"
            " added. The queue bridges single late batches; in the long run the slower"
            " side rules. Where both take the same, each batch is just ready.",
            "zh": "准备下一个 batch 与 step 重叠，所以时间不相加。队列可以缓冲个别"
            "较慢的 batch；长时间运行时由较慢的一方决定。两者相同时，batch 恰好就绪。",
        },
        mistakes=checks.LONG_RUN_MISTAKES,
        right=answers.LONG_RUN_RIGHT,
        wrong=answers.LONG_RUN_WRONG,
    ),
    Exercise(
        name="04/input_pipeline",
        title={"en": "a pipeline that sinks", "zh": "能够下沉的数据预处理"},
        checker=checks.check_input_pipeline,
        praise={
            "en": "The verdict says in effect, data fresh, and the ledger counts one"
            " batch for each step.",
            "zh": "判定为循环生效、数据每次迭代更新；账本中每个 step 对应一个 batch。",
        },
        hints=(
            {
                "en": "Two lines are at fault: how the batches are cut, and which"
                " iterator walks through them.",
                "zh": "有两处错误：batch 的划分方式，以及使用的迭代器。",
            },
            {
                "en": "The first gap is an argument of batch() that leaves out the"
                " short last batch.",
                "zh": "第一处是 batch() 的参数，用来丢弃最后不足的 batch。",
            },
            {
                "en": "The second gap is an iterator that has an initializer:"
                " tf.data.make_..._iterator(dataset).",
                "zh": "第二处是带有初始化算子的迭代器："
                "tf.data.make_..._iterator(dataset)。",
            },
        ),
        solution=INPUT_PIPELINE,
        explanation={
            "en": "With drop_remainder each batch has the same known shape, which the"
            " loop is compiled for. An initializable iterator gets its queue when"
            " iterator.initializer is run; a one-shot iterator has no such moment.",
            "zh": "设置 drop_remainder 后，每个 batch 的 shape 相同且确定，"
            "循环才能编译。运行 iterator.initializer 时建立队列；"
            "one-shot 迭代器没有这一步。",
        },
        mistakes=checks.PIPELINE_MISTAKES,
        right=answers.PIPELINE_RIGHT,
        wrong=answers.PIPELINE_WRONG,
    ),
    Exercise(
        name="04/begin",
        title={"en": "the order of the runs", "zh": "初始化的顺序"},
        checker=checks.check_begin,
        praise={
            "en": "Two runs, then the setter: the variable has its value, the queue is"
            " filled, and a call runs all n steps.",
            "zh": "两次 run，然后是设置接口：变量有值，队列已填充，"
            "一次调用执行全部 n 个 step。",
        },
        hints=(
            {
                "en": "Three things have to happen. Which two are initializers, and may"
                " they share a run?",
                "zh": "要做三件事。其中哪两件是初始化？它们能放在同一次 run 中吗？",
            },
            {
                "en": "The setter creates local variables and loads them. An"
                " initializer of local variables that is run later puts them back.",
                "zh": "设置接口创建并加载局部变量。之后再运行局部变量的初始化，"
                "会将其复位。",
            },
            {
                "en": "A list of the two initializers of variables, then"
                " iterator.initializer, then"
                " util.set_iteration_per_loop(sess, train_op, n).",
                "zh": "先是两个变量初始化组成的列表，再 iterator.initializer，"
                "最后 util.set_iteration_per_loop(sess, train_op, n)。",
            },
        ),
        solution=BEGIN,
        explanation={
            "en": "A run with an iterator's initializer stays on the host, so variables"
            " need a run of their own. The loaded count is a local variable: whoever"
            " initialises the local variables after the setter gets a loop of one.",
            "zh": "包含迭代器初始化的 run 留在 Host 侧，所以变量需要单独一次 run。"
            "加载的循环次数是局部变量：在设置接口之后再初始化局部变量，"
            "循环就只剩一个 step。",
        },
        mistakes=checks.BEGIN_MISTAKES,
        right=answers.BEGIN_RIGHT,
        wrong=answers.BEGIN_WRONG,
    ),
)

QUESTIONS = (
    Question(
        name="04/map",
        prompt={
            "en": "enable_data_pre_proc is True. Where does the map function run?",
            "zh": "enable_data_pre_proc 为 True 时，map 函数在哪里执行？",
        },
        choices=(
            Choice(
                {"en": "on the device, in each step", "zh": "Device 侧，每个 step"},
                why={
                    "en": "The switch is named after pre-processing, but only GetNext"
                    " moves: your list in Python saw every number.",
                    "zh": "开关名为数据预处理，但下沉的只有 GetNext："
                    "上文 Python 列表中记录了每一个数。",
                },
            ),
            Choice(
                {
                    "en": "on the host, ahead of the device",
                    "zh": "Host 侧，先于 Device",
                },
                why={
                    "en": "A thread there keeps the queue full.",
                    "zh": "Host 侧的线程保持队列填满。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "on the host, when sess.run returns",
                    "zh": "Host 侧，在 sess.run 返回之后",
                },
                why={
                    "en": "The host prepares while the device computes, within a call.",
                    "zh": "在一次调用之中，Device 计算的同时 Host 就在准备。",
                },
            ),
        ),
    ),
    Question(
        name="04/repeated",
        prompt={
            "en": "N = 10, GetNext not sunk, 5 calls. How many different batches does"
            " the training use?",
            "zh": "N = 10，GetNext 未下沉，调用 5 次，训练用到多少个不同的 batch？",
        },
        choices=(
            Choice(
                {"en": "5", "zh": "5"},
                why={
                    "en": "One for each call, and each is trained 10 times.",
                    "zh": "每次调用一个，每个训练 10 次。",
                },
                right=True,
            ),
            Choice(
                {"en": "10", "zh": "10"},
                why={
                    "en": "10 is N: how often each batch is trained.",
                    "zh": "10 是 N，即每个 batch 被训练的次数。",
                },
            ),
            Choice(
                {"en": "50", "zh": "50"},
                why={
                    "en": "50 steps are trained; it takes a sunk GetNext to give each"
                    " a batch of its own.",
                    "zh": "训练了 50 个 step；只有 GetNext算子下沉，"
                    "每个 step 才各用一个 batch。",
                },
            ),
        ),
    ),
    Question(
        name="04/deeper",
        prompt={
            "en": "A batch takes 5 ms, a step 3 ms. You make the queue 100 deep. What"
            " does a step take in a long run?",
            "zh": "一个 batch 需要 5 ms，一个 step 需要 3 ms。把队列深度改为 100，"
            "长时间运行时每个 step 需要多久？",
        },
        choices=(
            Choice(
                {"en": "3 ms", "zh": "3 ms"},
                why={
                    "en": "The queue runs empty: more is taken out than put in.",
                    "zh": "队列会被取空：取得比放得快。",
                },
            ),
            Choice(
                {"en": "8 ms", "zh": "8 ms"},
                why={
                    "en": "They overlap; they are not added.",
                    "zh": "两者重叠，不相加。",
                },
            ),
            Choice(
                {"en": "5 ms", "zh": "5 ms"},
                why={
                    "en": "A deep queue bridges a late batch, not a slow pipeline.",
                    "zh": "较深的队列能缓冲个别较慢的 batch，"
                    "但不能弥补整体过慢的数据预处理。",
                },
                right=True,
            ),
        ),
    ),
)
