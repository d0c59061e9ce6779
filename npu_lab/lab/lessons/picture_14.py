"""The picture of lesson 14: what one call does in each loop mode, counted."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.patches import FancyArrowPatch, Rectangle

from npu_lab import activation
from npu_lab._tensorflow import tf
from npu_lab.lab import picture
from npu_lab.lab.lessons.clinic import quiet
from npu_lab.lab.picture import DEVICE, HOST, INK, MUTED, Picture

ROW, LEFT, CELL = 70, 18.5, 4.6  # pixels of a row; in hundredths of the width
BOX, TALL = 4.0, 20


@dataclass(frozen=True)
class Counted:
    """What one call did: crossings, batches pushed and taken, steps on the device."""

    mode: str
    crossings: int
    pushed: int
    taken: int
    iterations: int

    @property
    def words(self) -> str:
        """The numbers, for the row and for those who do not see it."""
        calls = "1 host call" if self.crossings == 1 else f"{self.crossings} host calls"
        steps = "1 step" if self.taken == 1 else f"{self.taken} steps"
        left = self.pushed - self.taken
        unread = f", {left} pushed batches unread" if left else ""
        return f"{calls}, {steps}, {self.iterations} in a device loop{unread}"


def count_modes(
    functions: Iterable[tuple[Any, Any]], size: int, steps: int
) -> list[Counted]:
    """Call each function once with `size` as loop size, and count what it does.

    Args:
        functions: pairs of a `tf.function`, which takes an iterator and a number of
            steps, and the iterator that it is given.
        size: the loop size; it is set back afterwards.
        steps: what goes to the `tf.range`.

    Raises:
        RuntimeError: no device of TensorFlow 2 is active.
    """
    state = importlib.import_module("npu_lab.extras.tf2.state").STATE
    device = activation.active_device()
    if device is None or not tf.executing_eagerly():
        message = "No device is active. Run %load_ext npu_lab.extras.tf2 first."
        raise RuntimeError(message)
    before, found = state.loop_size, []
    state.set_loop_size(size)
    try:
        with quiet():
            for function, iterator in functions:
                start = device.ledger.as_dict()
                known = {id(one): one.calls for one in device.verdicts}
                function(iterator, tf.constant(steps))
                now = device.ledger.since(start)
                used: Any = next(
                    one for one in device.verdicts if one.calls > known.get(id(one), 0)
                )
                calls, taken = now["training_calls"], now["batches_pulled"]
                pushed = 1 if used.mode == "NO_LOOP" else size
                facts = calls, pushed, taken, now["device_iterations"]
                found.append(Counted(used.mode, *facts))
    finally:
        state.set_loop_size(before)
    return found


def plot_modes(counted: Iterable[Counted], size: int, steps: int) -> Picture:
    """A row for each mode: arrows for crossings, a box for each batch that was pushed.

    A filled box is a batch that a step took, a hollow one waits unread; a frame holds
    the steps that one device loop ran.
    """
    rows = list(counted)
    height = 64 + ROW * len(rows)
    with picture.style():
        figure = picture.canvas(720, height)
        axes = figure.add_axes((0, 30 / height, 1, 1 - 30 / height))
        axes.set(xlim=(0, 100), ylim=(ROW * len(rows) + 34, 0))
        axes.axis("off")
        told = f"loop size {size}, tf.range({steps}): what one call does"
        axes.text(1.2, 16, told, va="center", weight="bold", fontsize=10.5)
        for number, row in enumerate(rows):
            _draw(axes, 34 + ROW * number, row)
    said = ". ".join(f"{row.mode}: {row.words}" for row in rows)
    return picture.finished(
        figure,
        f"One call with loop size {size} and tf.range({steps}). {said}.",
        "Counted by the ledger. Arrows: host calls. Filled: batch taken by a step."
        " Dashed: pushed, unread. Frame: one device loop.",
    )


def _draw(axes: Any, top: float, row: Counted) -> None:
    """One row: its name, arrows, boxes, and the numbers below them."""
    middle = top + 34
    axes.text(1.2, middle, row.mode, va="center", fontsize=9.5, weight="bold")
    each = max(1, row.pushed // row.crossings)
    for call in range(row.crossings):
        x = LEFT + CELL * each * call + BOX / 2
        axes.add_patch(
            FancyArrowPatch(
                (x, top + 4),
                (x, middle - TALL / 2 - 3),
                arrowstyle="-|>",
                mutation_scale=9,
                color=HOST,
                linewidth=1.4,
                shrinkA=0,
                shrinkB=0,
            )
        )
    for number in range(row.pushed):
        taken = number < row.taken
        left = LEFT + CELL * number
        how: Mapping[str, Any] = {
            "facecolor": picture.PALE_DEVICE if taken else picture.PAPER,
            "edgecolor": DEVICE if taken else MUTED,
            "linestyle": "-" if taken else "--",
        }
        axes.add_patch(Rectangle((left, middle - TALL / 2), BOX, TALL, **how))
        shown, colour = (f"{number + 1}", INK) if taken else ("-", MUTED)
        place: Any = {"ha": "center", "va": "center", "fontsize": 8.5, "color": colour}
        axes.text(left + BOX / 2, middle, shown, **place)
    if row.iterations:
        frame = LEFT - 0.5, middle - TALL / 2 - 3
        wide = CELL * row.iterations - (CELL - BOX) + 1.0
        line: Any = {"fill": False, "edgecolor": DEVICE, "linewidth": 2.2}
        axes.add_patch(Rectangle(frame, wide, TALL + 6, **line))
    axes.text(
        LEFT + CELL * max(6, row.pushed) + 1.5,
        middle,
        row.words.replace(", ", "\n"),
        va="center",
        fontsize=8.5,
        linespacing=1.35,
    )
