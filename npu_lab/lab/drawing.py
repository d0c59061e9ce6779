"""The parts the pictures are made of: boxes, lanes, bars, marks and rows of numbers.

Each function draws one part into the axes it is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from npu_lab.lab import picture
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.picture import DEVICE, HOST, INK, MUTED, OTHER

STEPS_SHOWN = 20
LAST_STAGE = 5


def stage(
    axes: Any, number: int, name: str, work: str, result: str, *, on: bool
) -> None:
    """Draw one box of the five, with its arrow to the next."""
    left, width = 20.2 * (number - 1) + 0.6, 17.6
    axes.add_patch(
        FancyBboxPatch(
            (left, 10.5),
            width,
            18.2,
            boxstyle="round,pad=0,rounding_size=1.2",
            facecolor=picture.PALE_DEVICE if on else picture.PAPER,
            edgecolor=DEVICE if on else MUTED,
            linewidth=2.4 if on else 1.0,
        )
    )
    middle = left + width / 2
    axes.text(middle, 26.2, f"{number}", ha="center", va="center", color=MUTED)
    axes.text(
        middle, 21.8, name, ha="center", va="center", weight="bold", fontsize=10.5
    )
    axes.text(middle, 15.2, work, ha="center", va="center", fontsize=8.5)
    axes.text(
        middle, 4.6, result, ha="center", va="center", fontsize=8.5, style="italic"
    )
    axes.text(middle, 9.3, "▾", ha="center", va="center", fontsize=8, color=MUTED)
    if number < LAST_STAGE:
        axes.add_patch(
            FancyArrowPatch(
                (left + width + 0.3, 19.6),
                (left + 20.2 - 0.3, 19.6),
                arrowstyle="-|>",
                mutation_scale=9,
                color=INK,
                shrinkA=0,
                shrinkB=0,
            )
        )


def two_lanes(axes: Any, plain: Measurement, focus: Measurement) -> None:
    """Draw the lanes of two trainings, one above the other."""
    axes.set(xlim=(0, 100), ylim=(0, 44))
    axes.axis("off")
    _lane(axes, 24, plain)
    axes.text(
        93.5,
        24 + 18.4,
        "solid: the host calls    dashed: values come back",
        ha="right",
        va="center",
        fontsize=8.5,
        color=MUTED,
    )
    _lane(axes, 1, focus)


def _lane(axes: Any, bottom: float, measured: Measurement) -> None:
    """Host above, device below, an arrow for each crossing of the first steps."""
    per_call = measured.steps // measured.round_trips
    left, step = 13.5, 4.0
    right = left + STEPS_SHOWN * step
    calls_shown = -(-STEPS_SHOWN // per_call)
    axes.text(
        left,
        bottom + 18.4,
        f"N = {measured.iterations_per_loop}: {measured.round_trips} round trips for "
        f"{measured.steps} steps",
        weight="bold",
        va="center",
    )
    for y, name, colour in ((12.6, "host", HOST), (3.0, "device", DEVICE)):
        axes.text(left - 1.2, bottom + y, name, ha="right", va="center", fontsize=9)
        axes.plot((left, right), (bottom + y,) * 2, color=colour, lw=1.2, zorder=1)
    for call in range(calls_shown):
        start = left + call * per_call * step
        end = min(start + per_call * step, right)
        whole = start + per_call * step <= right
        axes.add_patch(
            Rectangle(
                (start + 0.45, bottom + 0.6),
                end - start - (0.9 if whole else 0.45),
                4.8,
                facecolor=picture.PALE_DEVICE,
                edgecolor=DEVICE,
                linewidth=1.1,
                zorder=2,
            )
        )
        _crossing(axes, start + 0.95, bottom, down=True)
        if whole:
            _crossing(axes, end - 0.95, bottom, down=False)
    for number in range(STEPS_SHOWN):
        axes.text(
            left + (number + 0.5) * step,
            bottom + 3.0,
            f"{number + 1}",
            ha="center",
            va="center",
            fontsize=7.5,
            zorder=3,
        )
    axes.text(right + 0.8, bottom + 3.0, "...", va="center", fontsize=9)


def _crossing(axes: Any, x: float, bottom: float, *, down: bool) -> None:
    ends = [(x, bottom + 12.6), (x, bottom + 5.5)]
    start, end = ends if down else reversed(ends)
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=7,
            color=HOST if down else DEVICE,
            linestyle="-" if down else (0, (2, 1)),
            linewidth=1.1,
            shrinkA=0,
            shrinkB=0,
            zorder=4,
        )
    )


def bars(
    axes: Any,
    measurements: Sequence[Measurement],
    focus: Measurement,
    guessed: float | None,
) -> None:
    """Draw the round trips at each N, the one in focus filled, and a guess."""
    heights = [m.round_trips for m in measurements]
    for place, m in enumerate(measurements):
        on = m is focus
        axes.bar(
            place,
            m.round_trips,
            width=0.62,
            color=DEVICE if on else picture.PALE_DEVICE,
            edgecolor=DEVICE,
            hatch=None if on else "////",
            linewidth=1.0,
        )
        axes.annotate(
            f"{m.round_trips}",
            (place, m.round_trips),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            weight="bold" if on else "normal",
            bbox={"facecolor": picture.PAPER, "edgecolor": "none", "pad": 0.3},
        )
    top: float = max(heights)
    if guessed is not None:
        edge = min(max(guessed, 0), 2 * top)
        sign = "▲ " if guessed > edge else "▼ " if guessed < edge else ""
        top = max(top, edge)
        axes.axhline(edge, color=OTHER, linestyle="--", linewidth=1.4, zorder=0.5)
        axes.annotate(
            f"{sign}your guess: {guessed:g}",
            (len(heights) - 0.45, edge),
            # A low one clears the counts above the low bars.
            xytext=(0, 18 if edge < top / 4 else 3),
            textcoords="offset points",
            ha="right",
            color=OTHER,
        )
    axes.set(xlim=(-0.55, len(heights) - 0.45), ylim=(0, top * 1.22))
    names = [str(m.iterations_per_loop) for m in measurements]
    axes.set_xticks(range(len(heights)), names)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("N (iterations_per_loop)", labelpad=2)
    axes.set_title(f"round trips for {focus.steps} training steps", pad=6)


def row(
    axes: Any,
    line: int,
    name: str,
    colour: str,
    cells: Mapping[int, str],
    chosen: int | None,
) -> None:
    """Texts at some places of the axis, below it in the given line."""
    row_name(axes, line, name, colour)
    for place, text in cells.items():
        axes.annotate(
            text,
            (place, 0),
            xytext=(0, 1 - 16 * line),
            textcoords="offset points",
            ha="center",
            color=colour,
            weight="bold" if place == chosen else "normal",
        )


def row_name(axes: Any, line: int, name: str, colour: str) -> None:
    """Name a line of the numbers below the axis."""
    axes.annotate(
        name,
        (0, 0),
        xycoords="axes fraction",
        xytext=(-8, 1 - 16 * line),
        textcoords="offset points",
        ha="right",
        color=colour,
        fontsize=9,
    )
