"""Lesson 11, beyond what holds for all lessons."""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab.device import Device
from npu_lab.extras.tuning.loss_scale.managers import ExponentialUpdateLossScaleManager
from npu_lab.lab.lessons import answers_11, lesson_11
from tests.extras.tuning.precision.runs import run

SOURCE = Path(__file__).parents[2] / "notebooks" / "src" / "11_accuracy.md"
FOLDERS = pytest.mark.parametrize("folder", ["", "zh"])


def shown(folder: str) -> dict[str, str]:
    """What the cells printed, by name."""
    place = SOURCE.parents[1] / folder / SOURCE.with_suffix(".ipynb").name
    return {
        cell.id: "".join(one.get("text", "") for one in cell.get("outputs", ()))
        for cell in nbformat.read(place, as_version=4).cells
    }


@FOLDERS
def test_what_the_texts_say_is_what_the_cells_show(folder: str) -> None:
    cells = shown(folder)
    assert "global step   0  scale 2**0" in cells["mixed"].splitlines()[-2]
    assert lesson_11.FIRST in cells["detect"]
    assert f"{lesson_11.FIRST} clean inputs: True" in cells["inputs"]
    assert cells["modes"].startswith("saturation 65504.0  Inf/NaN inf")
    assert "origin the same bits: True" in cells["compare"]
    for mend in ("scaled", "scope", "mixlist"):
        assert "global step 100  scale 2**15" in cells[mend].splitlines()[-1]
    assert "scale 2**17" in cells["scale"]


def test_the_steps_that_are_skipped_follow_from_the_formula(device: Device) -> None:
    with tf.Graph().as_default():
        manager = ExponentialUpdateLossScaleManager(2.0**32, 1000, decr_ratio=0.5)
        bad = manager.update_loss_scale(tf.constant(False))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            skipped = 0
            while session.run(manager.get_loss_scale()) > 2.0**17:
                session.run(bad)
                skipped += 1
    assert skipped == lesson_11.SKIPPED
    assert skipped == 2 * lesson_11.HALVINGS


@pytest.mark.parametrize(
    ("energy", "fits"),
    [
        (answers_11.normalized, True),
        (answers_11.divided_after, True),
        (answers_11.smaller, True),
        (answers_11.unchanged, False),
        (answers_11.halved, False),
    ],
)
def test_what_the_checker_takes_does_not_overflow(
    device: Device, energy: object, fits: bool
) -> None:
    """25 white pixels, the most that a convolution of the lesson adds."""

    def build(pixels: object) -> object:
        return tf.nn.conv2d(energy(pixels), tf.ones([5, 5, 1, 1]), 1, "VALID")

    white = np.full([1, 5, 5, 1], 255, np.float32)
    (value,) = run(build, (white,), precision_mode_v2="mixed_float16").ravel()
    assert np.isfinite(value) == fits
