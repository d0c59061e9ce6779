"""The picture of lesson 07: the losses of two trainings of one model, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npu_lab.lab import picture
from npu_lab.lab.picture import DEVICE, INK, MUTED, OTHER, Picture


def plot_losses(
    each_step: Mapping[str, Mapping[int, float]],
    ends_of_loops: Mapping[str, Mapping[int, float]],
) -> Picture:
    """One training whose every loss was seen, and one seen at ends of loops.

    Args:
        each_step: by its name, the losses by step; drawn as a line.
        ends_of_loops: by its name, the losses by step; circles with their numbers.
    """
    ((name, line),) = each_step.items()
    ((other, marks),) = ends_of_loops.items()
    with picture.style():
        figure = picture.canvas(720, 330)
        axes = figure.add_axes((0.085, 0.225, 0.9, 0.745))
        axes.plot([*line], [*line.values()], color=MUTED, linewidth=1.3, label=name)
        axes.plot([*line], [*line.values()], ".", color=MUTED, ms=4)
        how: Any = {"color": DEVICE, "mfc": "none", "ms": 11, "mew": 2, "label": other}
        axes.plot([*marks], [*marks.values()], "o", **how)
        high, low = max(line.values()), min(line.values())
        plate = {"facecolor": picture.PAPER, "edgecolor": "none", "pad": 1}
        number: Any = {"ha": "center", "fontsize": 9, "color": INK, "bbox": plate}
        for step, loss in marks.items():
            place = loss + 0.09 * (high - low)
            axes.text(step, place, f"{loss:.3f}", **number)
        axes.set(xlabel="training step", ylabel="loss")
        axes.set_ylim(low - 0.08 * (high - low), high + 0.2 * (high - low))
        axes.set_xticks(sorted(marks))
        axes.grid(axis="x", color=picture.FAINT, linewidth=0.8)
        for step in marks:
            if step not in line:
                axes.axvline(step, color=OTHER, linewidth=0.8, linestyle=":")
        axes.legend(frameon=False, loc="upper right", ncols=2, fontsize=9)
    pairs = [f"{s}: {loss:.3f}" for s, loss in marks.items()]
    beside = [f"{s}: {line[s]:.3f}" for s in marks if s in line]
    return picture.finished(
        figure,
        f"Losses by training step. {name}: a loss at each of {len(line)} steps; among"
        f" them {', '.join(beside) or 'none'}. {other}: {', '.join(pairs)}.",
        f"Line: {name}, every step. Circles: {other}, what a hook sees.",
    )
