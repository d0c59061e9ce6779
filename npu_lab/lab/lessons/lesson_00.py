"""Exercise of lesson 00: read a Dataset in graph mode.

Each known mistake has a message of its own; the answer is run in a graph made for it,
so a cell can be run again and again.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, Text, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_00 as answers
from npu_lab.lab.questions import Choice, Question

# What the exported script does.
LEDGER = {
    "session_runs": 118,
    "training_calls": 110,
    "device_iterations": 100,
    "batches_pulled": 100,
}
# No number is the square of another, and none comes twice.
NUMBERS = (3, 5, 8, 13, 21, 34)
COUNT = 3
PAIR = 2

MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
    },
    "nothing": {
        "en": "Your function returned nothing: is the return there?",
        "zh": "函数没有返回任何值：是否写了 return？",
    },
    "generator": {
        "en": "You returned a generator. It is only read once the session is closed:"
        " return a list.",
        "zh": "返回的是生成器。读取它时会话已经关闭：请返回列表。",
    },
    "feed_dict": {
        "en": "The second argument of sess.run is feed_dict. Put both in one list:"
        " sess.run([number, square]).",
        "zh": "sess.run 的第二个参数是 feed_dict。请把两者放进同一个列表："
        "sess.run([number, square])。",
    },
    "no initializer": {
        "en": "The iterator was not initialized. Run iterator.initializer once, in a"
        " sess.run of its own, before the first element is fetched.",
        "zh": "迭代器没有初始化。请在取第一个元素之前，用单独一次 sess.run 运行"
        " iterator.initializer。",
    },
    "one shot": {
        "en": "That is a one-shot iterator. It works on the CPU, but a sunk loop"
        " refuses it: use tf.data.make_initializable_iterator.",
        "zh": "这是 one-shot 迭代器。它在 CPU 上可以使用，但训练迭代循环下沉不支持："
        "请使用 tf.data.make_initializable_iterator。",
    },
    "node": {
        "en": "You returned nodes of the graph, not values. A value exists only after"
        " sess.run: return [sess.run(...) for ...].",
        "zh": "返回的是图中的节点，不是数值。只有 sess.run 之后才有数值："
        "请返回 [sess.run(...) for ...]。",
    },
    "operation": {
        "en": "sess.run of an operation gives None. Fetch the tensors, number and"
        " square.",
        "zh": "用 sess.run 运行算子得到 None。请取回张量 number 和 square。",
    },
    "get_next in loop": {
        "en": "The values are right, but get_next() ran in the loop and added a node"
        " each time: the graph grows with every step. Call it once, before the loop.",
        "zh": "数值正确，但 get_next() 在循环中被反复调用，每次都增加一个节点："
        "图会越来越大。请在循环之前只调用一次。",
    },
    "get_next twice": {
        "en": "get_next() was called twice or more: there are {nodes} of its nodes, and"
        " each pulls an element of its own. Call it once and use number.",
        "zh": "get_next() 被调用了两次或更多次：图中有 {nodes} 个这样的节点，"
        "每个都会取一个新元素。请只调用一次，并使用 number。",
    },
    "length": {
        "en": "{wanted} entries were asked for; you returned {got}.",
        "zh": "返回了 {got} 项，要求的是 {wanted} 项。",
    },
    "no pair": {
        "en": "Each entry must be a pair: fetch both in one call,"
        " sess.run([number, square]).",
        "zh": "每一项必须是一对数：请在一次调用中同时取回，"
        "sess.run([number, square])。",
    },
    "swapped": {
        "en": "They are swapped: number first, then its square.",
        "zh": "顺序反了：先是 number，后是它的平方。",
    },
    "no square": {
        "en": "{square} is not the square of {number}.",
        "zh": "{square} 不是 {number} 的平方。",
    },
    "two runs": {
        "en": "{square} is not the square of {number}: they came from two calls of"
        " sess.run, and each call pulls a new element. Fetch both in one call.",
        "zh": "{square} 不是 {number} 的平方：它们来自两次 sess.run，"
        "而每次调用都会取一个新元素。请在一次调用中同时取回。",
    },
    "restarted": {
        "en": "Every entry is the first element: the initializer ran again before each"
        " one. Run it once, before the loop.",
        "zh": "每一项都是第一个元素：每次取数之前都重新运行了初始化。"
        "请在循环之前只运行一次。",
    },
    "values": {
        "en": "The Dataset holds {wanted}; your numbers are {got}.",
        "zh": "数据集中是 {wanted}，而得到的是 {got}。",
    },
}

SOLUTION = """\
def number_and_square(dataset, count):
    iterator = tf.data.make_initializable_iterator(dataset)
    number = iterator.get_next()
    square = number * number
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return [sess.run([number, square]) for _ in range(count)]"""


def check_number_and_square(function: Callable[[Any, int], Any]) -> None:
    """Run the learner's function on a small Dataset; `Wrong` unless it is right."""
    if not callable(function):
        raise _wrong("no function")
    with tf.Graph().as_default() as graph:
        dataset = tf.compat.v1.data.Dataset.from_tensor_slices(list(NUMBERS))
        try:
            answer = function(dataset, COUNT)
        except tf.errors.FailedPreconditionError as error:
            raise _wrong("no initializer") from error
        except TypeError as error:
            if _fed_a_tensor(error):
                raise _wrong("feed_dict") from error
            raise
        kinds = [operation.type for operation in graph.get_operations()]
    refuse_placeholder(answer)
    _judge(_pairs(answer), kinds.count("IteratorGetNext"))
    if "OneShotIterator" in kinds:
        raise _wrong("one shot")


def _fed_a_tensor(error: TypeError) -> bool:
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any(isinstance(f.f_locals.get("feed_dict"), tf.Tensor) for f in frames)


def _pairs(answer: Any) -> list[list[float]]:
    """The answer as it must be, a pair of numbers for each entry."""
    plain = _plain(answer)
    entries = plain if isinstance(plain, list) else [plain]
    leaves = tf.nest.flatten(plain)
    mistakes = {
        "nothing": answer is None,
        "generator": isinstance(answer, Iterator),
        "node": any(isinstance(leaf, (tf.Tensor, tf.Operation)) for leaf in leaves),
        "operation": any(leaf is None for leaf in leaves),
        "length": len(entries) != COUNT,
        "no pair": not all(_is_pair(entry) for entry in entries),
    }
    _refuse(mistakes, got=len(entries), wanted=COUNT)
    return entries


def _judge(pairs: list[list[float]], nodes: int) -> None:
    """Refuse pairs that are not the wanted ones; `nodes` is how many get_next made."""
    wanted = list(NUMBERS[:COUNT])
    numbers = [number for number, _ in pairs]
    odd = [pair for pair in pairs if pair[1] != pair[0] * pair[0]]
    number, square = (odd or pairs)[0]
    mistakes = {
        "get_next in loop": nodes >= COUNT and not odd and numbers == wanted,
        "get_next twice": nodes > 1,
        "swapped": all(first == second * second for first, second in pairs),
        "two runs": odd and square in [other * other for other in NUMBERS],
        "no square": odd,
        "restarted": numbers == [NUMBERS[0]] * COUNT,
        "values": numbers != wanted,
    }
    _refuse(
        mistakes,
        nodes=nodes,
        number=number,
        square=square,
        wanted=", ".join(map(str, wanted)),
        got=", ".join(map(str, numbers)),
    )


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists, numbers of NumPy as those of Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _is_pair(entry: Any) -> bool:
    is_list = isinstance(entry, list) and len(entry) == PAIR
    return is_list and all(isinstance(each, (int, float)) for each in entry)


def _refuse(mistakes: Mapping[str, object], **facts: object) -> None:
    """Raise `Wrong` for the first mistake that was made."""
    for key, made in mistakes.items():
        if made:
            raise _wrong(key, **facts)


_wrong = functools.partial(mistake, MISTAKES)

EXERCISES = (
    Exercise(
        name="00/number_and_square",
        title={"en": "read a Dataset", "zh": "读取数据集"},
        checker=check_number_and_square,
        praise={
            "en": "One initializer, one get_next, one sess.run per element.",
            "zh": "一次初始化，一个 get_next，每个元素一次 sess.run。",
        },
        hints=(
            {
                "en": "The first gap is one call, made once: what must happen before an"
                " initializable iterator can deliver?",
                "zh": "第一处只需一次调用：可初始化的迭代器在取数之前必须做什么？",
            },
            {
                "en": "The second gap is one sess.run. A list of fetches comes back as"
                " a list of values, all from the same element.",
                "zh": "第二处是一次 sess.run。取回的列表对应一个数值列表，"
                "都来自同一个元素。",
            },
            {
                "en": "First gap: sess.run(iterator.initializer). Second gap:"
                " sess.run([..., ...]).",
                "zh": "第一处：sess.run(iterator.initializer)。第二处："
                "sess.run([..., ...])。",
            },
        ),
        solution=SOLUTION,
        explanation={
            "en": "The initializer is an operation: it is run, and gives no value."
            " Number and square are tensors of one graph: fetched together they come"
            " from the same element, fetched one by one each call pulls a new one.",
            "zh": "初始化是算子：运行它不返回数值。number 和 square 是同一个图中的"
            "张量：一起取回时来自同一个元素，分开取回时每次调用都会取一个新元素。",
        },
        mistakes=MISTAKES,
        right=answers.RIGHT,
        wrong=answers.WRONG,
    ),
)

QUESTIONS = (
    Question(
        name="00/loss",
        prompt={
            "en": "What is the loss that one call returns at N = 10?",
            "zh": "N = 10 时，一次调用返回的 loss 是什么？",
        },
        choices=(
            Choice(
                {"en": "the mean of ten steps", "zh": "十个 step 的平均值"},
                why={
                    "en": "Nothing is averaged: look at losses_1[9::10] above.",
                    "zh": "没有求平均：请看上文的 losses_1[9::10]。",
                },
            ),
            Choice(
                {"en": "that of the tenth step", "zh": "第十个 step 的 loss"},
                why={
                    "en": "The nine before it are not seen by the host.",
                    "zh": "前九个 step 的 loss 不会返回 Host 侧。",
                },
                right=True,
            ),
            Choice(
                {"en": "that of the first step", "zh": "第一个 step 的 loss"},
                why={
                    "en": "The loop goes on after it; the last value comes back.",
                    "zh": "之后循环仍在继续；返回的是最后一次的值。",
                },
            ),
        ),
    ),
    Question(
        name="00/keyword",
        prompt={
            "en": "The log says Insert op success. Is the loop built?",
            "zh": "日志中出现 Insert op success，循环是否已构建？",
        },
        choices=(
            Choice(
                {"en": "yes", "zh": "是"},
                why={
                    "en": "The keyword is in the log at N = 1, too.",
                    "zh": "N = 1 时日志中也有这个关键字。",
                },
            ),
            Choice(
                {"en": "no", "zh": "否"},
                why={
                    "en": "It may be: the keyword does not say.",
                    "zh": "有可能已构建：仅凭关键字无法判断。",
                },
            ),
            Choice(
                {
                    "en": "not proven: which operators were inserted?",
                    "zh": "不能证明：还要看插入了哪些算子",
                },
                why={
                    "en": "Markers such as Node_Output_IteratorCtrl_StreamSwitch"
                    " prove it.",
                    "zh": "标志行（例如 Node_Output_IteratorCtrl_StreamSwitch）"
                    "才是证据。",
                },
                right=True,
            ),
        ),
    ),
    Question(
        name="00/calls",
        prompt={
            "en": "You set N = 10 and keep 100 calls. What happens?",
            "zh": "设置 N = 10，但仍调用 100 次，会怎样？",
        },
        choices=(
            Choice(
                {"en": "1,000 steps are trained", "zh": "训练 1000 个 step"},
                why={
                    "en": "Ten times the training you meant.",
                    "zh": "是预期训练量的十倍。",
                },
                right=True,
            ),
            Choice(
                {
                    "en": "100 steps, each on a batch ten times as big",
                    "zh": "训练 100 个 step，每个 step 的 batch 大十倍",
                },
                why={
                    "en": "N is not the batch size: each step has a batch of its own.",
                    "zh": "N 不是 batch size：每个 step 各用一个 batch。",
                },
            ),
            Choice(
                {
                    "en": "100 steps, each ten times as fast",
                    "zh": "训练 100 个 step，每个 step 快十倍",
                },
                why={
                    "en": "N makes no step faster; it saves round trips.",
                    "zh": "N 不会让单个 step 变快，只减少交互次数。",
                },
            ),
        ),
    ),
)
