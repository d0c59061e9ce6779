"""The pictures of lesson 08: the way of a script, and its replay in pieces."""

from __future__ import annotations

from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from npu_lab.lab import picture
from npu_lab.lab.lessons.replay import Ran, Replay
from npu_lab.lab.picture import DEVICE, INK, MUTED, OTHER, Picture
from npu_lab.plan import Plan

# Middle, height, text, whether it is the tool's.
BOXES = (
    (8.5, 24.0, "1 install\nthe tool", True),
    (29.5, 24.0, "2 migrate\n-i  -r", True),
    (50.5, 24.0, "3 read\nthe report", True),
    (71.5, 24.0, "needs\na hand?", False),
    (91.0, 24.0, "train\nat N = 1", False),
    (71.5, 6.5, "mend the\noriginal", False),
    (91.0, 6.5, "sink and\ncheck", False),
)
ARROWS = (
    ((15.5, 24.0), (22.3, 24.0), ""),
    ((36.5, 24.0), (43.3, 24.0), ""),
    ((57.5, 24.0), (64.3, 24.0), ""),
    ((78.5, 24.0), (83.8, 24.0), "no"),
    ((71.5, 18.2), (71.5, 12.4), "yes"),
    ((64.5, 6.5), (29.5, 18.0), ""),
    ((91.0, 18.2), (91.0, 12.4), ""),
)
FLOW = (
    "The way of a script: 1 install the tool, 2 migrate with -i and -r, 3 read the"
    " report. Where something needs a hand, mend the original and go back to 2. Then"
    " train at N = 1, sink the loop and check."
)
WIDTH = 720


def plot_auto_migration() -> Picture:
    """The documented steps of an automatic migration, and what comes after them."""
    with picture.style():
        figure = picture.canvas(WIDTH, 232)
        axes = figure.add_axes((0.005, 0.11, 0.99, 0.88))
        axes.set(xlim=(0, 100), ylim=(0, 31))
        axes.axis("off")
        for x, y, name, ours in BOXES:
            shape = FancyBboxPatch(
                (x - 7, y - 5.5),
                14,
                11,
                boxstyle="round,pad=0,rounding_size=1.2",
                facecolor=picture.PALE_DEVICE if ours else picture.PAPER,
                edgecolor=DEVICE if ours else MUTED,
                linewidth=2.4 if ours else 1.0,
            )
            axes.add_patch(shape)
            axes.text(x, y, name, ha="center", va="center", fontsize=9.5)
        for start, end, name in ARROWS:
            axes.add_patch(_arrow(start, end))
            x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            across = start[1] == end[1]
            axes.text(
                x if across else x + 1.2,
                y + 1.2 if across else y,
                name,
                ha="center" if across else "left",
                va="bottom" if across else "center",
                fontsize=9,
            )
    return picture.finished(
        figure,
        FLOW,
        "A drawing, no measurement. Blue with a thick edge: the documented steps.",
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> Any:
    bent = start[1] != end[1] and start[0] != end[0]
    style = "angle,angleA=0,angleB=90,rad=4" if bent else "arc3"
    return FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        connectionstyle=style,
        mutation_scale=10,
        color=INK,
        shrinkA=0,
        shrinkB=0,
    )


def plot_replay(
    replay: Replay, *, plan: Plan | None = None, guess: object = None
) -> Picture:
    """The host calls of each version of a script, and whether they reach the NPU.

    Args:
        replay: the versions, each run.
        plan: the plan of the last one, for the same figure.
        guess: what was predicted: the beginning of a version's name, or the host calls
            of the last version.
    """
    names, runs = list(replay.runs), list(replay.runs.values())
    number = isinstance(guess, (int, float)) and not isinstance(guess, bool)
    chosen = [n for n in names if isinstance(guess, str) and n.startswith(guess)]
    expected = None if plan is None else plan.session_runs
    edge = 1.8 * max(run.calls for run in runs)
    height = 84 + 34 * len(runs)
    with picture.style():
        figure = picture.canvas(WIDTH, height)
        axes = figure.add_axes((0.17, 76 / height, 0.815, 1 - 84 / height))
        for at, run in enumerate(runs):
            axes.barh(
                at,
                run.calls,
                height=0.56,
                color=picture.PALE_DEVICE if run.graphs else picture.PAPER,
                edgecolor=DEVICE if run.graphs else MUTED,
                hatch=None if run.graphs else "////",
                linewidth=1.4,
            )
            axes.text(run.calls + edge / 30, at, _told(run), va="center", fontsize=9)
        last = len(runs) - 1
        mark: Any = {
            "color": OTHER,
            "mfc": "none",
            "ms": 13,
            "mew": 2,
            "clip_on": False,
        }
        if expected is not None:
            axes.plot([expected], [last], "x", color=INK, ms=8, mew=1.6)
        if number:
            place = min(max(float(guess), 0), edge)  # type: ignore[arg-type]
            axes.plot([place], [last], "D", **mark)
        for name in chosen:
            axes.plot([0], [names.index(name)], "D", **mark)
        axes.set(xlim=(0, edge), ylim=(last + 0.6, -0.6))
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel("host calls")
    said = [f"{n}: {_told(run)}" for n, run in replay.runs.items()]
    provenance = "Bars: counted; hatched: on the CPU."
    if expected is not None:
        said.append(f"planned for the last: {expected}")
        provenance += " Cross: the plan."
    if number or chosen:
        said.append(f"your guess {guess}")
        provenance += " Orange diamond: your guess."
    return picture.finished(figure, f"{'; '.join(said)}.", provenance)


def _told(run: Ran) -> str:
    if not run.graphs:
        return f"{run.calls} calls, no graph on the NPU"
    loops = f", {run.sunk} steps in loops" if run.sunk else ""
    return f"{run.calls} calls, {run.graphs} graphs on the NPU{loops}"
