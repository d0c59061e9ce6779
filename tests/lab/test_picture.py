"""Series are told apart with any colour vision, and without colour as well."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npu_lab.lab import curves, picture, svg

# Machado, Oliveira, Fernandes (2009), severity 1, for linear RGB.
VISION = {
    "usual": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
SERIES = (curves.GUESS, curves.MODEL, curves.MEASURED, curves.HELD)
PAIR = (curves.AS_IT_IS, curves.INJECTED)
TOGETHER = {
    "curve": [one.colour for one in SERIES],
    "step time": [one.colour for one in PAIR],
    "crossings": [picture.HOST, picture.DEVICE, picture.INK],
    "timeline": [picture.HOST, picture.DEVICE, picture.OTHER, picture.PAPER],
}
LEAST = 15.0  # of CIE 1976; 2.3 can just be seen


def linear(colour: str) -> np.ndarray:
    """The three parts of "#rrggbb" as light."""
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* for daylight."""
    white = TO_XYZ @ np.ones(3)
    ratio = TO_XYZ @ np.clip(light, 0, 1) / white
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def least_difference(colours: list[str], vision: str) -> float:
    seen = [lab(VISION[vision] @ linear(colour)) for colour in colours]
    pairs = itertools.combinations(seen, 2)
    return min(float(np.linalg.norm(one - other)) for one, other in pairs)


def test_the_measure_of_difference_is_right() -> None:
    assert least_difference(["#000000", "#ffffff"], "usual") == pytest.approx(100, 0.01)
    # Red and green of the same lightness: the pair that is confused.
    pair = ["#b05040", "#7a7030"]
    assert least_difference(pair, "usual") > 40
    assert least_difference(pair, "deutan") < LEAST


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colours", TOGETHER.values(), ids=TOGETHER)
def test_colours_used_together_are_told_apart(colours: list[str], vision: str) -> None:
    assert least_difference(colours, vision) >= LEAST


@pytest.mark.parametrize("series", [SERIES, PAIR])
def test_no_two_series_share_a_mark_or_a_name(series: tuple[curves.Series]) -> None:
    assert len({one.mark for one in series}) == len(series)
    assert len({one.name for one in series}) == len(series)


def test_parts_of_a_timeline_differ_without_colour() -> None:
    shapes = [svg.box(0, 40, 0, 20, kind) for kind in ("compute", "wait", "idle")]
    plain, *hatched = [shape.partition("<path")[2] for shape in shapes]
    assert plain == ""
    assert len(set(hatched)) == len(hatched)
