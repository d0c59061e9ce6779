"""The pictures of the lessons: plain functions from numbers to a `Picture`.

Each one is what a widget shows, too.  None of them measures anything: they draw what
`measure` has counted and timed.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

from npu_lab.lab import drawing, picture
from npu_lab.lab.exercises import Placeholder
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.picture import Picture

WIDTH = 720
NUMBER_KINDS = (numbers.Real, Decimal, str)

STAGES = (
    ("Migrate", "a few lines,\nby hand or by tool", "script runs\non the NPU"),
    ("Train", "one device,\nthen several", "loss\ngoes down"),
    ("Tune accuracy", "overflow checks,\ndata dumps", "metric as on\nCPU or GPU"),
    ("Tune speed", "profiling,\nthe sunk loop", "throughput\nas wanted"),
    ("Freeze", "variables become\nconstants", "one .pb file\nto predict with"),
)


def plot_migration_stages(here: Collection[int] = ()) -> Picture:
    """The five stages of a migration, left to right; those in `here` are set off.

    `here` holds numbers from 1 to 5.
    """
    with picture.style():
        figure = picture.canvas(WIDTH, 220)
        axes = figure.add_axes((0.012, 0.11, 0.976, 0.87))
        axes.set(xlim=(0, 100), ylim=(0, 30))
        axes.axis("off")
        for number, (name, work, result) in enumerate(STAGES, start=1):
            drawing.stage(axes, number, name, work, result, on=number in here)
    names = ", ".join(f"{i} {name.lower()}" for i, (name, *_) in enumerate(STAGES, 1))
    marked = ", ".join(map(str, sorted(here)))
    return picture.finished(
        figure,
        f"The five stages of a migration, each after the one before: {names}."
        + (f" This lesson is in: {marked}." if marked else ""),
        "A drawing, no measurement. Blue with a thick edge: the stages of this lesson."
        if marked
        else "A drawing, no measurement.",
    )


def plot_crossings(plain: Measurement, chosen: Measurement) -> Picture:
    """The first steps of two trainings: host above, device below, every crossing drawn.

    `plain` is the training at N=1, to compare with.
    """
    with picture.style():
        figure = picture.canvas(WIDTH, 260)
        drawing.two_lanes(figure.add_axes((0.012, 0.09, 0.976, 0.87)), plain, chosen)
    return picture.finished(
        figure,
        "Host and device while they train, every crossing drawn: "
        f"{_counts([plain, chosen])} round trips for {chosen.steps} steps.",
        _counted(chosen),
    )


def plot_round_trips(
    measurements: Sequence[Measurement],
    chosen: int | None = None,
    guess: object = None,
) -> Picture:
    """What crosses between host and device: once a step, or once a loop.

    The upper part draws the first steps at N=1 and at `chosen` (by default the last N),
    the lower part the round trips at each N.  A `guess` is drawn as a line beside the
    counts, at the edge if it lies far outside; one that is no number is told so.
    """
    by_n = {m.iterations_per_loop: m for m in measurements}
    focus = by_n[chosen] if chosen is not None else measurements[-1]
    guessed = number_of(guess)
    provenance = _counted(focus)
    if guessed is None and not isinstance(guess, (Placeholder, type(None))):
        provenance += " Your guess: not a number, not drawn."
    with picture.style():
        figure = picture.canvas(WIDTH, 450)
        lanes = figure.add_axes((0.012, 0.50, 0.976, 0.475))
        drawing.two_lanes(lanes, by_n.get(1, focus), focus)
        bars = figure.add_axes((0.02, 0.165, 0.96, 0.26))
        drawing.bars(bars, measurements, focus, guessed)
    return picture.finished(
        figure,
        f"Round trips between host and device for {focus.steps} training steps: "
        f"{_counts(measurements)}."
        + (f" Your guess: {guessed:g}." if guessed is not None else ""),
        provenance,
    )


def number_of(guess: Any) -> float | None:
    """A guess as a number, also one in quotes; None if it is not finite or none."""
    of_kind = isinstance(guess, NUMBER_KINDS) and not isinstance(guess, bool)
    with contextlib.suppress(ValueError, OverflowError):
        if of_kind and math.isfinite(number := float(guess)):
            return number
    return None


def _counted(measured: Measurement) -> str:
    return (
        "Counted by the ledger of the emulated device: "
        f"{measured.steps} training steps at each N."
    )


def _counts(series: Sequence[Measurement]) -> str:
    return ", ".join(f"N={m.iterations_per_loop}: {m.round_trips}" for m in series)
