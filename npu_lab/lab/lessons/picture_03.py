"""The picture of lesson 03: at which steps each N can look, and where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npu_lab.lab import picture
from npu_lab.lab.lessons.answers_03 import stop
from npu_lab.lab.picture import DEVICE, INK, MUTED, OTHER, Picture


def plot_stops(
    seen: Mapping[int, Mapping[int, float]],
    *,
    reached: int,
    k: int,
    guess: object = None,
) -> Picture:
    """Each N a row: its evaluations, the stop, what the rule says, what was guessed.

    The rule is the first evaluation at or after `reached`.

    Args:
        seen: for each N, the steps it was evaluated at and the accuracy found there;
            an entry at step 0 is no evaluation.
        reached: the first step with the accuracy, had one looked at every step.
        k: evaluation is due at each multiple of it.
        guess: the predicted stop for each N, or None.
    """
    guessed = dict(guess) if isinstance(guess, Mapping) else {}
    rule = {n: stop(reached, n, k) for n in seen}
    edge = 1.1 * max([*rule.values(), *(max(one) for one in seen.values())])
    with picture.style():
        figure = picture.canvas(720, 90 + 66 * len(seen))
        axes = figure.add_axes((0.125, 0.26, 0.855, 0.66))
        axes.axvline(reached, color=MUTED, linestyle="--", linewidth=1.2)
        axes.text(reached + edge / 150, -0.62, f"0.9 at step {reached}", fontsize=9)
        for row, (n, evaluated) in enumerate(seen.items()):
            _evaluations(axes, row, evaluated)
            axes.plot([rule[n]], [row], "x", color=picture.PAPER, mew=2, zorder=4)
            if n in guessed:
                place = min(max(guessed[n], 0), edge)  # at the edge if outside
                mark: Any = {"color": OTHER, "mfc": "none", "ms": 13, "mew": 2}
                axes.plot([place], [row], "D", clip_on=False, **mark)
        axes.set(xlim=(0, edge), ylim=(len(seen) - 0.4, -0.85))
        told = [f"\nguess {guessed[n]:g}" if n in guessed else "" for n in seen]
        names = [f"N={n}{one}" for n, one in zip(seen, told, strict=True)]
        axes.set_yticks(range(len(seen)), names)
        axes.set_xlabel("training step (small numbers: accuracy)")
    provenance = "Circles, squares: evaluations and stop, run here. Crosses: the rule."
    if guessed:
        provenance += " Orange diamonds: your guess."
    return picture.finished(figure, _alt(seen, reached, rule, guessed), provenance)


def _evaluations(axes: Any, row: int, evaluated: Mapping[int, float]) -> None:
    *before, last = sorted(step for step in evaluated if step)
    axes.axhline(row, color=picture.FAINT, linewidth=1, zorder=0)
    axes.plot(before, [row] * len(before), "o", color=DEVICE, mfc=picture.PAPER)
    axes.plot([last], [row], "s", color=DEVICE, markersize=12)
    small: Any = {"ha": "center", "va": "bottom", "fontsize": 8, "color": MUTED}
    small["bbox"] = {"facecolor": picture.PAPER, "edgecolor": "none", "pad": 0.8}
    for step in (*before, last):
        axes.text(step, row - 0.19, f"{evaluated[step]:.3f}", **small)
    bold: Any = {"ha": "center", "va": "top", "fontsize": 9, "weight": "bold"}
    axes.text(last, row + 0.21, f"stop {last}", color=INK, **bold)


def _alt(
    seen: Mapping[int, Mapping[int, float]],
    reached: int,
    rule: Mapping[int, int],
    guessed: Mapping[int, float],
) -> str:
    rows = []
    for n, evaluated in seen.items():
        at = ", ".join(f"{s} ({evaluated[s]:.3f})" for s in sorted(evaluated) if s)
        told = f", your guess {guessed[n]:g}" if n in guessed else ""
        stops = f"stops at {max(evaluated)} (the rule says {rule[n]}{told})"
        rows.append(f"N={n}: evaluated at {at}, {stops}")
    return (
        "Steps at which each N evaluates, with the accuracy; 0.9 is first reached at"
        f" step {reached}. {'; '.join(rows)}."
    )
