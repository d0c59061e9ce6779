"""Answers to the exercises of lesson 11: right ones, and the known wrong ones."""
# ruff: noqa: D103 (names that tell)

from __future__ import annotations

from typing import Any

import npu_lab.tf1 as tf

Pixels = Any


def normalized(pixels: Pixels) -> Any:
    return tf.square(pixels / 255)


def divided_after(pixels: Pixels) -> Any:
    return pixels * pixels / 65025


def smaller(pixels: Pixels) -> Any:
    return (pixels * 0.01) ** 2


def unchanged(pixels: Pixels) -> Any:
    return pixels * pixels


def halved(pixels: Pixels) -> Any:
    return (pixels / 2) ** 2


def not_squared(pixels: Pixels) -> Any:
    return pixels / 255


def clipped(pixels: Pixels) -> Any:
    return tf.minimum(pixels * pixels, 2000.0)


def vanishing(pixels: Pixels) -> Any:
    return (pixels / 255) ** 2 * 1e-6


def nothing(pixels: Pixels) -> None:  # noqa: ARG001
    return None


def one_number(pixels: Pixels) -> Any:
    return tf.reduce_mean(tf.square(pixels / 255))


def in_float16(pixels: Pixels) -> Any:
    return tf.square(tf.cast(pixels / 255, tf.float16))
