"""Exercise of lesson 00: read a Dataset in graph mode.

Each known mistake has a message of its own; the answer is run in a graph made for it,
so a cell can be run again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, Text, Wrong, refuse_placeholder

# No number is the square of another, and none comes twice.
NUMBERS = (3, 5, 8, 13, 21, 34)
COUNT = 3
PAIR = 2

MISTAKES: dict[str, Text] = {
    "no function": {
        "en": "Hand over the function itself: its name, without brackets.",
        "zh": "请传入函数本身：只写函数名，不带括号。",
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
    "length": {
        "en": "You returned {got} entries, but {wanted} were asked for.",
        "zh": "返回了 {got} 项，要求的是 {wanted} 项。",
    },
    "no pair": {
        "en": "Each entry must be a pair: fetch both in one call,"
        " sess.run([number, square]).",
        "zh": "每一项必须是一对数：请在一次调用中同时取回，"
        "sess.run([number, square])。",
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
        kinds = [operation.type for operation in graph.get_operations()]
    refuse_placeholder(answer)
    _judge(answer)
    if "OneShotIterator" in kinds:
        raise _wrong("one shot")
    if kinds.count("IteratorGetNext") > 1:
        raise _wrong("get_next in loop")


def _judge(answer: Any) -> None:
    if _holds_nodes(answer):
        raise _wrong("node")
    entries = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if any(entry is None for entry in entries):
        raise _wrong("operation")
    if len(entries) != COUNT:
        raise _wrong("length", got=len(entries), wanted=COUNT)
    if not all(isinstance(e, (list, tuple)) and len(e) == PAIR for e in entries):
        raise _wrong("no pair")
    pairs = [(int(number), int(square)) for number, square in entries]
    for number, square in pairs:
        if square != number * number:
            raise _wrong("two runs", number=number, square=square)
    numbers = [number for number, _ in pairs]
    if numbers == [NUMBERS[0]] * COUNT:
        raise _wrong("restarted")
    if numbers != list(NUMBERS[:COUNT]):
        wanted = ", ".join(map(str, NUMBERS[:COUNT]))
        raise _wrong("values", wanted=wanted, got=", ".join(map(str, numbers)))


def _holds_nodes(answer: Any) -> bool:
    if isinstance(answer, (list, tuple)):
        return any(_holds_nodes(each) for each in answer)
    return isinstance(answer, (tf.Tensor, tf.Operation))


def _wrong(mistake: str, **facts: object) -> Wrong:
    texts = MISTAKES[mistake]
    return Wrong({one: text.format(**facts) for one, text in texts.items()})


EXERCISES = (
    Exercise(
        name="number_and_square",
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
    ),
)
