"""Exercises of lesson 07: a sample is read and mended; callbacks; what N can gain."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from npu_lab import datasets
from npu_lab._tensorflow import tf
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_07 as answers
from npu_lab.lab.lessons import texts_07 as texts
from npu_lab.lab.lessons.questions_07 import QUESTIONS

__all__ = ["EXERCISES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 223,
    "training_calls": 83,
    "device_iterations": 130,
    "batches_pulled": 176,
}

# --- the faults of the sample

LINES = frozenset(range(1, 15))


def check_faults(answer: Any) -> None:
    """`Wrong` for a line that is in order, or for a fault that is not there."""
    found = _lines(answer)
    if not found or not found <= LINES:
        raise mistake(texts.FAULTS, "no lines")
    accused = found - answers.WRONG_LINES - answers.DOUBTFUL
    if accused:
        raise mistake(texts.FAULTS, str(min(accused)))
    if missing := answers.WRONG_LINES - found:
        raise mistake(texts.FAULTS, "missing", count=len(missing))


def _lines(answer: Any) -> set[int]:
    """The numbers in a word, a number, or several of them; empty for others."""
    if isinstance(answer, str):
        answer = re.findall(r"\d+", answer)
    if isinstance(answer, Real):
        answer = [answer]
    if not isinstance(answer, Iterable):
        return set()
    with contextlib.suppress(TypeError, ValueError):
        return {int(one) for one in answer}
    return set()


# --- parse

SIZE = (28, 28, 3)
PICTURES = (7, 100, 255, 479)  # of several classes
NEAR = 1e-3
BYTES = 255.0

PARSE_SOLUTION = """\
def parse(filename, label):
    image = tf.image.decode_image(tf.read_file(filename), channels=3)
    image.set_shape([None, None, 3])
    image = tf.cast(image, tf.float32) / 255.0
    image = tf.image.resize_images(image, [28, 28])
    return tf.image.random_flip_left_right(image), label"""


def check_parse(function: Callable[[Any, Any], Any]) -> None:
    """Read some pictures with it; `Wrong` unless they are those of the generator."""
    if not callable(function):
        raise mistake(texts.PARSE, "no function")
    folder = datasets.fashion()
    for number in PICTURES:
        path, label = folder.paths[number], int(folder.labels[number])
        image, got = _parsed(function, path, label)
        if got != label:
            raise mistake(texts.PARSE, "label", label=label, got=got)
        grey = datasets.load_images([path])[0] / BYTES
        wanted = np.repeat(grey[..., None], 3, axis=2)
        largest = float(np.max(image))
        facts = {"largest": f"{largest:.3g}"}
        if _near(image, wanted * BYTES):
            raise mistake(texts.PARSE, "not divided", **facts)
        if _near(image * BYTES, wanted, NEAR * BYTES):
            raise mistake(texts.PARSE, "divided twice", **facts)
        if not _near(image, wanted):
            raise mistake(texts.PARSE, "other pixels")


def _parsed(function: Callable[[Any, Any], Any], path: str, label: int) -> Any:
    """Picture and label of a file, after what can be told without reading it."""
    with tf.Graph().as_default():
        answer = function(tf.constant(path), tf.constant(label))
        refuse_placeholder(answer)
        if not (isinstance(answer, (tuple, list)) and len(answer) == len("il")):
            raise mistake(texts.PARSE, "no pair")
        image, got = answer
        if not (tf.is_tensor(image) and tf.is_tensor(got)):
            raise mistake(texts.PARSE, "no pair")
        if image.dtype != tf.float32:
            raise mistake(texts.PARSE, "type", type=image.dtype.name)
        if not image.shape.is_fully_defined():
            raise mistake(texts.PARSE, "no shape", shape=image.shape)
        if (shape := tuple(image.shape.as_list())) != SIZE:
            raise mistake(texts.PARSE, "shape", shape=shape)
        with tf.compat.v1.Session() as session:
            return session.run((image, got))


def _near(image: Any, wanted: Any, far: float = NEAR) -> bool:
    """Whether they are alike, the one flipped or not."""
    return any(np.allclose(image, w, atol=far) for w in (wanted, wanted[:, ::-1]))


# --- callbacks


def check_replaced(answer: Any) -> None:
    """`Wrong` for the first callback with another letter."""
    if not isinstance(answer, Mapping) or answer.keys() != answers.REPLACED.keys():
        raise mistake(texts.REPLACED, "no match")
    for letter in answer.values():
        if str(letter).strip().lower() not in set("abcde"):
            raise mistake(texts.REPLACED, "no letter", answer=letter)
    for name, letter in answers.REPLACED.items():
        if str(answer[name]).strip().lower() != letter:
            raise mistake(texts.REPLACED, name, answer=answer[name])


# --- the largest speedup

# (step, overhead) in seconds: a heavy step, a light one, even, and no overhead.
FIGURES = ((18.4e-3, 0.1e-3), (1e-3, 2e-3), (2e-3, 2e-3), (3e-3, 0.0))
MISTAKEN: dict[str, Callable[[float, float], float]] = {
    "inverse": lambda step, overhead: step / (step + overhead),
    "gain": lambda step, overhead: overhead / step,
    "other way": lambda step, overhead: step / (overhead or 1),
}
TRIED = (2, 5, 10, 20, 50, 100, 1000)


def check_largest_speedup(function: Callable[[float, float], Any]) -> None:
    """Ask for several figures; `Wrong` unless all answers are right."""
    if not callable(function):
        raise mistake(texts.LIMIT, "no function")
    for step, overhead in FIGURES:
        got = function(step, overhead)
        refuse_placeholder(got)
        if isinstance(got, bool) or not isinstance(got, (int, float)):
            raise mistake(texts.LIMIT, "no number", got=got)
        wanted = answers.limit(step, overhead)
        if _same(got, wanted):
            continue
        for key, rule in MISTAKEN.items():
            if _same(got, rule(step, overhead)):
                raise mistake(texts.LIMIT, key)
        for n in TRIED:
            if _same(got, (step + overhead) / (step + overhead / n)):
                raise mistake(texts.LIMIT, "some n", n=n)
        facts = {"step": step, "overhead": overhead}
        told = {"got": f"{float(got):.4g}", "wanted": f"{wanted:.4g}"}
        raise mistake(texts.LIMIT, "other", **facts, **told)


def _same(one: Any, other: float) -> bool:
    return abs(float(one) - other) <= 1e-6 * max(1.0, abs(other))


EXERCISES = (
    Exercise(
        name="07/faults",
        title={"en": "the faults of the sample", "zh": "示例中的错误"},
        checker=check_faults,
        praise={
            "en": "All of them: shapes in 2, 5 and 7, the type in 6, sizes in 11 and"
            " 12, the interval in 13. Line 10 is doubtful: it counts as you like.",
            "zh": "全部找到：第 2、5、7 行的 shape，第 6 行的类型，第 11、12 行的大小，"
            "第 13 行的间隔。第 10 行值得怀疑，填不填都可以。",
        },
        hints=(
            {
                "en": "Seven lines. Three are about shapes, one about a type, two about"
                " sizes of a Dataset, one about steps.",
                "zh": "共七行：三行与 shape 有关，一行与类型有关，"
                "两行与 Dataset 的大小有关，一行与步数有关。",
            },
            {
                "en": "A target size is height and width. What does decode_image know"
                " of a file it has not read? What is uint8 divided by a float?",
                "zh": "目标尺寸只有高和宽。decode_image 对还没有读的文件知道什么？"
                "uint8 除以浮点数会怎样？",
            },
            {
                "en": "In 11 and 12 an argument is missing. 13 does not fit N = 10.",
                "zh": "第 11、12 行各缺一个参数；第 13 行与 N = 10 不匹配。",
            },
        ),
        solution="faults = 2, 5, 6, 7, 11, 12, 13",
        explanation={
            "en": "Four stop the script with an error. 2, 12 and 13 do not: of these"
            " only 12 keeps the loop from sinking.",
            "zh": "其中四行会报错。第 2、12、13 行不报错，"
            "而只有第 12 行会使循环不下沉。",
        },
        mistakes=texts.FAULTS,
        right=answers.RIGHT_FAULTS,
        wrong=answers.WRONG_FAULTS,
    ),
    Exercise(
        name="07/parse",
        title={"en": "parse, mended", "zh": "改正 parse"},
        checker=check_parse,
        praise={
            "en": "float32, 0..1, (28, 28, 3): what the generator gave.",
            "zh": "float32、0..1、(28, 28, 3)：与 generator 给出的一致。",
        },
        hints=(
            {
                "en": "Three things: a shape with three known channels, a float type"
                " before the division, a size of two numbers.",
                "zh": "三件事：通道数已知的 shape，除法之前转为浮点类型，"
                "尺寸只用两个数。",
            },
            {
                "en": "image.set_shape([None, None, 3]), then tf.cast and / 255.0, then"
                " tf.image.resize_images(image, [28, 28]).",
                "zh": "image.set_shape([None, None, 3])，然后 tf.cast 和 / 255.0，"
                "再用 tf.image.resize_images(image, [28, 28])。",
            },
        ),
        solution=PARSE_SOLUTION,
        explanation={
            "en": "set_shape says what you know and TensorFlow cannot: that no file is"
            " a GIF. Height and width follow from the resizing.",
            "zh": "set_shape 说明 TensorFlow 无法得知而您知道的事：没有 GIF 文件。"
            "高和宽由 resize 确定。",
        },
        mistakes=texts.PARSE,
        right=answers.RIGHT_PARSE,
        wrong=answers.WRONG_PARSE,
    ),
    Exercise(
        name="07/replaced",
        title={"en": "hooks for callbacks", "zh": "用 hook 代替 callback"},
        checker=check_replaced,
        praise={
            "en": "Two need nothing but a setting, and one is no hook at all.",
            "zh": "有的只需一项配置，有的始终存在，还有一个根本不是 hook。",
        },
        hints=(
            {
                "en": "SINK059, on the card of the conversion, names them.",
                "zh": "转换时卡片上的 SINK059 列出了它们。",
            },
            {
                "en": "Which one must act at every step, even inside a loop?",
                "zh": "哪一个必须在每一步都起作用，包括在循环内部？",
            },
        ),
        solution='replaced = {"ModelCheckpoint": "a", "EarlyStopping": "b",\n'
        '            "LearningRateScheduler": "d", "TerminateOnNaN": "c",\n'
        '            "History": "e"}',
        explanation={
            "en": "Hooks act at ends of loops. What must change at each step belongs"
            " into the graph.",
            "zh": "hook 在循环结束处起作用。每一步都要变化的，应放在图中。",
        },
        mistakes=texts.REPLACED,
        right=answers.RIGHT_REPLACED,
        wrong=answers.WRONG_REPLACED,
    ),
    Exercise(
        name="07/largest_speedup",
        title={"en": "the largest speedup", "zh": "加速比上限"},
        checker=check_largest_speedup,
        praise={
            "en": "For the assumed ResNet50 that is 1.005; for a step of 1 ms with a"
            " call of 2 ms it is 3.",
            "zh": "对于假定的 ResNet50，结果是 1.005；step 为 1 ms、"
            "调用为 2 ms 时是 3。",
        },
        hints=(
            {
                "en": "At N = 1 a step costs both. What is left when N grows?",
                "zh": "N = 1 时一个 step 包含两部分。N 增大后还剩什么？",
            },
            {
                "en": "time at N = 1 / time at a very large N",
                "zh": "N = 1 的耗时 / N 很大时的耗时",
            },
        ),
        solution="def largest_speedup(step, overhead):\n"
        "    return (step + overhead) / step",
        explanation={
            "en": "The time per step is step + overhead / N. It comes as near to step"
            " as you like, and never below.",
            "zh": "单步耗时为 step + overhead / N，可以任意接近 step，但不会更小。",
        },
        mistakes=texts.LIMIT,
        right=answers.RIGHT_LIMIT,
        wrong=answers.WRONG_LIMIT,
    ),
)
