"""Answers to the exercises of lesson 07: right ones, and the known wrong ones."""
# ruff: noqa: D103 (names that tell)

from __future__ import annotations

from typing import Any

import npu_lab.tf1 as tf

WRONG_LINES = frozenset({2, 5, 6, 7, 11, 12, 13})
DOUBTFUL = frozenset({10})


# --- the faults of the sample

RIGHT_FAULTS = (
    (2, 5, 6, 7, 11, 12, 13),
    {2, 5, 6, 7, 10, 11, 12, 13},
    ["2", 13, 12, 11, 7, 6, 5],
    "2, 5, 6, 7, 11, 12, 13",
)
WRONG_FAULTS = (
    ("1", (1, *WRONG_LINES)),
    ("3", (2, 3)),
    ("4", [4]),
    ("8", (2, 5, 6, 7, 8, 11, 12, 13)),
    ("9", [2, 9]),
    ("14", (13, 14)),
    ("missing", (2, 7, 11)),
    ("missing", "2, 5, 6, 7, 11, 12"),
    ("missing", 2),
    ("no lines", "the shapes"),
    ("no lines", None),
    ("no lines", (2, 99)),
    ("no lines", ()),
)


# --- parse


def right(filename: Any, label: Any) -> Any:
    image = tf.image.decode_image(tf.read_file(filename), channels=3)
    image.set_shape([None, None, 3])
    image = tf.image.resize_images(tf.cast(image, tf.float32) / 255.0, [28, 28])
    return tf.image.random_flip_left_right(image), label


def right_by_another_decoder(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.image.resize_images(image, [28, 28]), label


def right_without_animations(filename: Any, label: Any) -> Any:
    image = tf.image.decode_image(
        tf.read_file(filename), channels=3, dtype=tf.float32, expand_animations=False
    )
    image = tf.image.resize_images(image, [28, 28])
    return tf.image.random_flip_left_right(image), label


def not_cast(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    return tf.image.resize_images(image / 255.0, [28, 28]), label


def three_sizes(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    image = tf.cast(image, tf.float32) / 255.0
    return tf.image.resize_images(image, [28, 28, 3]), label


def not_divided(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    return tf.image.resize_images(tf.cast(image, tf.float32), [28, 28]), label


def divided_twice(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32) / 255.0
    return tf.image.resize_images(image, [28, 28]), label


def divided_as_whole_numbers(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    return tf.cast(tf.image.resize_images(image // 255, [28, 28]), tf.float32), label


def still_bytes(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    image.set_shape([28, 28, 3])
    return image, label


def shape_unknown(filename: Any, label: Any) -> Any:
    image = tf.image.decode_image(tf.read_file(filename), channels=3)
    return tf.cast(image, tf.float32) / 255.0, label


def one_channel(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename))
    image.set_shape([None, None, 1])
    image = tf.cast(image, tf.float32) / 255.0
    return tf.image.resize_images(image, [28, 28]), label


def another_size(filename: Any, label: Any) -> Any:
    image = tf.image.decode_png(tf.read_file(filename), channels=3)
    image = tf.cast(image, tf.float32) / 255.0
    return tf.image.resize_images(image, [224, 224]), label


def without_label(filename: Any, label: Any) -> Any:  # noqa: ARG001
    return right(filename, 0)[0]


def another_label(filename: Any, label: Any) -> Any:
    return right(filename, label)[0], label + 1


RIGHT_PARSE = (right, right_by_another_decoder, right_without_animations)
WRONG_PARSE = (
    ("raised", not_cast),
    ("raised", three_sizes),
    ("not divided", not_divided),
    ("divided twice", divided_twice),
    ("other pixels", divided_as_whole_numbers),
    ("type", still_bytes),
    ("no shape", shape_unknown),
    ("shape", one_channel),
    ("shape", another_size),
    ("no pair", without_label),
    ("label", another_label),
    ("no function", None),
    ("no function", 28),
)


# --- callbacks

REPLACED = {
    "ModelCheckpoint": "a",
    "EarlyStopping": "b",
    "LearningRateScheduler": "d",
    "TerminateOnNaN": "c",
    "History": "e",
}


def with_(**other: Any) -> dict[str, Any]:
    return REPLACED | other


RIGHT_REPLACED = (REPLACED, {name: one.upper() for name, one in REPLACED.items()})
WRONG_REPLACED = (
    ("ModelCheckpoint", with_(ModelCheckpoint="e")),
    ("EarlyStopping", with_(EarlyStopping="c", TerminateOnNaN="b")),
    ("LearningRateScheduler", with_(LearningRateScheduler="e")),
    ("TerminateOnNaN", with_(TerminateOnNaN="e")),
    ("History", with_(History="a")),
    ("no letter", with_(History="f")),
    ("no letter", with_(EarlyStopping=2)),
    ("no match", ["a", "b", "d", "c", "e"]),
    ("no match", {"ModelCheckpoint": "a"}),
)


# --- the largest speedup


def limit(step: float, overhead: float) -> float:
    return (step + overhead) / step


def limit_as_a_sum(step: float, overhead: float) -> float:
    return 1 + overhead / step


def inverse(step: float, overhead: float) -> float:
    return step / (step + overhead)


def calls_only(step: float, overhead: float) -> float:
    return overhead / step


def steps_only(step: float, overhead: float) -> float:
    return step / overhead


def at_ten(step: float, overhead: float) -> float:
    return (step + overhead) / (step + overhead / 10)


def difference(step: float, overhead: float) -> float:
    return step + overhead - step


def seconds(step: float, overhead: float) -> float:
    return max(step, overhead)


RIGHT_LIMIT = (limit, limit_as_a_sum)
WRONG_LIMIT = (
    ("inverse", inverse),
    ("gain", calls_only),
    ("other way", steps_only),
    ("some n", at_ten),
    ("other", difference),
    ("other", seconds),
    ("no number", lambda step, overhead: "fast"),  # noqa: ARG005
    ("no number", lambda step, overhead: None),  # noqa: ARG005
    ("no function", 2.0),
    ("raised", lambda step: 1 / step),
)
