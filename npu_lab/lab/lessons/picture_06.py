"""The picture of lesson 06: what was asked of the hooks, and where it landed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from npu_lab.lab import picture
from npu_lab.lab.picture import DEVICE, INK, MUTED, OTHER, Picture

MANY = 12  # marks; of more, only the last has a number

Rows = Mapping[Any, Iterable[int]]
"""Steps by the name of the row, or by N; with values or without."""


def plot_landings(
    happened: Rows,
    planned: Rows,
    *,
    asked: Rows | None = None,
    guess: Mapping[Any, object] | None = None,
) -> Picture:
    """For each row the steps asked for, those of the plan, and those that were seen.

    Args:
        happened: for each row the steps that were found afterwards.
        planned: the steps that the rules give, for the same rows.
        asked: the steps that were asked for, for some of them.
        guess: the step that was predicted for a row; None and the like are left out.
    """
    rows = [
        _Row(
            name, steps, planned[name], (asked or {}).get(name), (guess or {}).get(name)
        )
        for name, steps in happened.items()
    ]
    edge = 1.07 * max(row.last for row in rows)
    height = 92 + 66 * len(rows)
    bottom = 78 / height
    with picture.style():
        figure = picture.canvas(720, height)
        axes = figure.add_axes((0.125, bottom, 0.855, 0.97 - bottom))
        for at, row in enumerate(rows):
            row.draw(axes, at, edge)
        axes.set(xlim=(-0.02 * edge, edge), ylim=(len(rows) - 0.4, -0.6))
        told = [f"\nguess {r.guess:g}" if r.guess is not None else "" for r in rows]
        names = [f"{row.name}{one}" for row, one in zip(rows, told, strict=True)]
        axes.set_yticks(range(len(rows)), names)
        axes.set_xlabel("training step")
    provenance = "Circles: found after the run. Crosses: the plan."
    if asked:
        provenance += " Grey bars: asked for."
    if any(told):
        provenance += " Orange diamonds: your guess."
    said = ". ".join(row.words for row in rows)
    return picture.finished(
        figure, f"Where the host acts, by training step. {said}.", provenance
    )


class _Row:
    """One line of the picture."""

    def __init__(
        self,
        name: str | int,
        found: Iterable[int],
        plan: Iterable[int],
        asked: Iterable[int] | None,
        guess: object,
    ) -> None:
        self.name = name if isinstance(name, str) else f"N={name}"
        self.values = dict(found) if isinstance(found, Mapping) else {}
        self.found, self.plan, self.asked = list(found), list(plan), list(asked or ())
        number = isinstance(guess, (int, float)) and not isinstance(guess, bool)
        self.guess = float(guess) if number else None  # type: ignore[arg-type]
        self.last = max([1, *self.found, *self.plan, *self.asked])

    def draw(self, axes: Any, at: int, edge: float) -> None:
        """The marks; a guess outside stands at the edge."""
        axes.axhline(at, color=picture.FAINT, linewidth=1, zorder=0)
        axes.vlines(self.asked, at - 0.54, at - 0.38, color=MUTED, linewidth=2)
        few = len(self.found) <= MANY
        size = 9 if few else 4
        axes.plot(self.found, [at] * len(self.found), "o", color=DEVICE, ms=size)
        for step in self.plan:
            colour = picture.PAPER if step in self.found else MUTED
            mark: Any = {"color": colour, "ms": 0.6 * size, "mew": 1.2, "zorder": 4}
            axes.plot([step], [at], "x", **mark)
        text: Any = {"ha": "center", "fontsize": 9, "color": INK}
        for step in self.found if few else self.found[-1:]:
            axes.text(step, at + 0.17, f"{step}", va="top", **text)
        text |= {"fontsize": 8, "color": MUTED}
        for step, value in self.values.items() if few else ():
            short = f"{value:.3f}".removeprefix("0")
            axes.text(step, at - 0.15, short, va="bottom", **text)
        if self.guess is not None:
            place = min(max(self.guess, 0), edge)
            mark = {"color": OTHER, "mfc": "none", "ms": 14, "mew": 2, "clip_on": False}
            axes.plot([place], [at], "D", **mark)

    @property
    def words(self) -> str:
        """What is drawn."""
        plan = "as planned"
        if self.plan != self.found:
            plan = f"planned: {_listed(self.plan)}"
        parts = [f"found at {_listed(self.found, self.values)}", plan]
        if self.asked:
            parts.insert(0, f"asked for at {_listed(self.asked)}")
        if self.guess is not None:
            parts.append(f"your guess {self.guess:g}")
        return f"{self.name}: {'; '.join(parts)}"


def _listed(steps: list[int], values: Mapping[int, float] | None = None) -> str:
    if len(steps) > MANY:
        return f"{len(steps)} steps from {steps[0]} to {steps[-1]}"
    told = [f"{s} ({values[s]:.3f})" if values else f"{s}" for s in steps]
    return ", ".join(told) or "no step"
