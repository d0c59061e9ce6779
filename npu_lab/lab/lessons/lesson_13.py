"""Exercises of lesson 13: a node's name, an inference graph, and the last batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_13 as answers
from npu_lab.lab.lessons.questions_13 import QUESTIONS
from npu_lab.lab.lessons.texts_13 import (
    GRAPH_MISTAKES,
    NODE_MISTAKES,
    PADDED_MISTAKES,
)

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 128,
    "training_calls": 80,
    "device_iterations": 800,
    "batches_pulled": 800,
}
NODE = "logits"
PIXELS = 784

# --- the name of the output


def check_output_node(answer: Any) -> None:
    """`Wrong` unless the answer is the name of the node."""
    if not isinstance(answer, str):
        raise mistake(NODE_MISTAKES, "no text", got=repr(answer))
    bare = answer.partition(":")[0]
    if answer == NODE:
        return
    if bare == NODE:
        raise mistake(NODE_MISTAKES, "tensor", got=answer)
    for key, part in (("data", "IteratorGetNext"), ("loss", "loss")):
        if part in answer:
            raise mistake(NODE_MISTAKES, key, got=answer)
    raise mistake(NODE_MISTAKES, "other", got=answer)


# --- the graph for inference

GRAPH_SOLUTION = """\
def inference(network):
    x = tf.placeholder(tf.uint8, [None, 784], name="input")
    return network(x, False)"""
TRAINING = ("SquaredDifference", "RandomUniform", "AssignMovingAvg")


def check_inference(function: Callable[[Any], Any]) -> None:
    """Build the learner's graph; `Wrong` unless it can be frozen."""
    if not callable(function):
        raise mistake(GRAPH_MISTAKES, "no function")
    with tf.Graph().as_default() as graph:
        refuse_placeholder(function(answers.network))
    operations = graph.get_operations()
    inputs = [one for one in operations if one.type == "Placeholder"]
    for one in operations:
        if one.type.startswith("IteratorGetNext"):
            raise mistake(GRAPH_MISTAKES, "iterator", got=one.name)
    others = [one.name for one in inputs if one.outputs[0].dtype.is_bool]
    if others:
        raise mistake(GRAPH_MISTAKES, "switch", got=others[0])
    if [one.name for one in inputs] != ["input"]:
        shown = ", ".join(one.name for one in inputs) or "-"
        raise mistake(GRAPH_MISTAKES, "name", got=shown)
    shape = inputs[0].outputs[0].shape
    if shape.rank is None or shape.as_list() != [None, PIXELS]:
        raise mistake(GRAPH_MISTAKES, "shape", got=shape)
    for one in operations:
        if one.type in TRAINING and "Initializer" not in one.name:
            raise mistake(GRAPH_MISTAKES, "training", got=one.name)
    if NODE not in {one.name for one in operations}:
        raise mistake(GRAPH_MISTAKES, "no scores")


# --- the last batch

PADDED_SOLUTION = """\
import numpy as np


def padded(batch, size):
    missing = size - len(batch)
    return np.concatenate([batch, np.repeat(batch[-1:], missing, axis=0)])"""
CASES = ((40, 64), (64, 64), (1, 3))


def check_padded(function: Callable[[Any, int], Any]) -> None:
    """Ask for several batches; `Wrong` unless all of them are filled up."""
    if not callable(function):
        raise mistake(PADDED_MISTAKES, "no function")
    for count, size in CASES:
        batch = np.random.default_rng(count).random([count, PIXELS], "float32")
        result = function(batch.copy(), size)
        refuse_placeholder(result)
        if not isinstance(result, np.ndarray) or result.shape[1:] != (PIXELS,):
            raise mistake(PADDED_MISTAKES, "no array", got=type(result).__name__)
        facts = {"count": count, "size": size, "got": len(result)}
        if len(result) != size:
            key = "short" if len(result) < size else "long"
            raise mistake(PADDED_MISTAKES, key, **facts)
        if not np.array_equal(result[:count], batch):
            raise mistake(PADDED_MISTAKES, "moved")
        if not np.isfinite(result).all():
            raise mistake(PADDED_MISTAKES, "nan")


_output_node = Exercise(
    name="13/output_node",
    title={"en": "the name of the output node", "zh": "输出节点的名称"},
    checker=check_output_node,
    praise={
        "en": "A node's name, and the one you gave it.",
        "zh": "这是节点的名称，并且是自己起的名称。",
    },
    hints=(
        {
            "en": "Ten scores for each digit: look for the shape.",
            "zh": "每张图片有十个得分：请看 shape。",
        },
        {
            "en": "It is the name in the last line of network.",
            "zh": "就是 network 最后一行中的 name。",
        },
    ),
    solution='output_node = "logits"',
    explanation={
        "en": "The list shows nodes. logits has a score for each of the ten classes;"
        " the loss is what training made of it.",
        "zh": "列表中是节点。logits 给出十个类别各自的得分；loss 是训练时由它计算的。",
    },
    mistakes=NODE_MISTAKES,
    right=("logits",),
    wrong=(
        ("tensor", "logits:0"),
        ("data", "IteratorGetNext"),
        ("data", "IteratorGetNext:1"),
        ("loss", "sparse_softmax_cross_entropy_loss/value"),
        ("other", "scores"),
        ("no text", 10),
    ),
)
_inference = Exercise(
    name="13/inference",
    title={"en": "the graph for inference", "zh": "推理图"},
    checker=check_inference,
    praise={
        "en": "One input, by a name you know, and nothing of the training.",
        "zh": "只有一个输入，名称已知，不含训练专用的部分。",
    },
    hints=(
        {
            "en": "The name is a text; the feed will use it later.",
            "zh": "名称是字符串，之后送入数据时要用。",
        },
        {
            "en": "The second argument of network turns batch statistics and dropout"
            " on or off.",
            "zh": "network 的第二个参数决定是否使用 batch 统计量和 dropout。",
        },
    ),
    solution=GRAPH_SOLUTION,
    explanation={
        "en": "training=False: batch normalization takes the averages that were"
        " learned, and dropout is not built at all.",
        "zh": "training=False：批归一化使用训练得到的平均值，dropout 则完全不构建。",
    },
    mistakes=GRAPH_MISTAKES,
    right=(answers.right_graph, answers.right_without_returning),
    wrong=(
        ("no function", "input"),
        ("name", answers.another_name),
        ("training", answers.in_training),
        ("switch", answers.decided_later),
        ("iterator", answers.with_an_iterator),
        ("shape", answers.one_digit),
        ("no scores", answers.without_scores),
    ),
)
_padded = Exercise(
    name="13/padded",
    title={"en": "the last batch, filled up", "zh": "补齐最后一个 batch"},
    checker=check_padded,
    praise={
        "en": "Always the same shape, and the digits come first.",
        "zh": "shape 始终相同，图片在最前面。",
    },
    hints=(
        {
            "en": "How many rows are missing? For a full batch, none.",
            "zh": "缺少多少行？batch 满时一行也不缺。",
        },
        {
            "en": "np.repeat(batch[-1:], missing, axis=0) repeats the last digit.",
            "zh": "np.repeat(batch[-1:], missing, axis=0) 重复最后一张图片。",
        },
    ),
    solution=PADDED_SOLUTION,
    explanation={
        "en": "What is filled in is computed, too, and thrown away. The price is at"
        " most one batch; another graph would cost a compilation.",
        "zh": "补齐的部分也会计算，然后丢弃。代价最多是一个 batch；"
        "而再编译一个图要付出编译的时间。",
    },
    mistakes=PADDED_MISTAKES,
    right=(answers.repeated, answers.zeros, answers.from_the_start),
    wrong=(
        ("no function", 64),
        ("short", answers.unchanged),
        ("short", answers.one_row),
        ("long", answers.doubled),
        ("moved", answers.in_front),
        ("nan", answers.empty),
        ("no array", answers.a_list),
    ),
)
EXERCISES = (_output_node, _inference, _padded)
