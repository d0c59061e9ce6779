"""The picture of the keyword lines of several logs: how many, and of which kind."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

from npu_lab import hostlog
from npu_lab.hostlog.lines import LOOP_VARIABLES
from npu_lab.lab import pages, svg
from npu_lab.lab._texts import say
from npu_lab.lab.lanes import LEFT, RIGHT
from npu_lab.lab.tables import text_width
from npu_lab.lab.timeline import NAMESPACE, WIDE, WIDTH, TimelinePicture

# What is written on a square of each kind, and how it is drawn. Markers come first: a
# guess of their number begins at the same edge.
KINDS = {"marker": (">", "compute"), "variable": ("v", "call"), "step": ("=", "chip")}
SQUARE, GAP = 28.0, 4.0
TOP, ROW = 58.0, 40.0
EDGE = RIGHT - 134  # of the squares; the counts stand behind it


def plot_keyword_lines(
    logs: Mapping[int, Iterable[hostlog.Record]], guess: object = None
) -> TimelinePicture:
    """Draw the keyword lines of a log for each N, one square a line, by kind.

    A `guess` that is a number of markers is drawn below, as long as so many squares.
    """
    counts = {n: _counted(log) for n, log in logs.items()}
    guessed = guess if isinstance(guess, (int, float)) and guess >= 0 else None
    most = max([1, *(one.total() for one in counts.values())])
    step = min(SQUARE + GAP, (EDGE - LEFT) / most)
    pieces = [svg.text(0, 10, say("keyword lines title"), "title"), _legend(34)]
    y = TOP
    for n, count in counts.items():
        pieces += [svg.text(LEFT - 8, y + SQUARE / 2, f"N = {n}", "lane")]
        pieces += _row(count, step, y)
        y += ROW
    alt = " ".join(
        say("keyword lines row", n=n, total=one.total(), **{k: one[k] for k in KINDS})
        for n, one in counts.items()
    )
    if guessed is not None:
        pieces += _guess(guessed, step, y)
        alt += " " + say("keyword lines guessed", guess=f"{guessed:g}")
        y += ROW
    note = say("keyword lines note")
    pieces.append(svg.text(0, y + 8, note, "note"))
    marks = "\n".join(pieces)
    drawn = pages.fill(
        "timeline",
        id=f"npu-lab-{hashlib.sha256((alt + marks).encode()).hexdigest()[:12]}",
        namespace=NAMESPACE,
        width=WIDTH,
        height=f"{y + 20:g}",
        title=say("keyword lines title"),
        alt=alt,
        marks=pages.Html(marks),
    )
    return TimelinePicture(drawn, alt, note)


def _counted(log: Iterable[hostlog.Record]) -> Counter[str]:
    return Counter(_kind(*record.inserted) for record in log if record.inserted)


def _kind(name: str, _type: str) -> str:
    if hostlog.is_marker(name):
        return "marker"
    return "variable" if name in LOOP_VARIABLES else "step"


def _row(count: Counter[str], step: float, y: float) -> list[str]:
    kinds = [kind for kind in KINDS for _ in range(count[kind])]
    label = say("keyword lines end", total=len(kinds), marker=count["marker"])
    end = LEFT + step * len(kinds) + 6
    return [
        *(_square(LEFT + step * at, step, y, kind) for at, kind in enumerate(kinds)),
        svg.text(end, y + SQUARE / 2, label, "legend"),
    ]


def _square(x: float, step: float, y: float, kind: str) -> str:
    sign, shape = KINDS[kind]
    right = x + step * SQUARE / (SQUARE + GAP)
    square = svg.box(x, right, y, y + SQUARE, shape)
    if shape == "chip":
        square += svg.path(f"M{x:g} {y:g}H{right:g}v{SQUARE:g}H{x:g}Z", "axis")
    return square + svg.text(
        (x + right) / 2, y + SQUARE / 2, sign, f"number on-{shape}"
    )


def _guess(guess: float, step: float, y: float) -> list[str]:
    """A line as long as so many squares, at most to the edge."""
    end = min(LEFT + guess * step, EDGE)
    middle = y + SQUARE / 2
    label = f"{guess:g}" if LEFT + guess * step <= EDGE else f"{guess:g} ▸"
    shape = svg.line(LEFT, middle, end, middle) + svg.line(end, y + 6, end, y + 22)
    return [
        svg.text(LEFT - 8, middle, say("keyword lines guess"), "under-lane"),
        svg.path(shape, "return"),
        svg.text(end + 6, middle, label, "legend"),
    ]


def _legend(y: float) -> str:
    x, pieces = 1.0, []
    for kind, (_, shape) in KINDS.items():
        label = say(f"keyword lines {kind}")
        pieces.append(svg.box(x, x + 18, y - 6, y + 6, shape))
        if shape == "chip":
            pieces.append(svg.path(f"M{x:g} {y - 6:g}h18v12h-18Z", "axis"))
        pieces.append(svg.text(x + 23, y, label, "legend"))
        x += 23 + WIDE * text_width(label) + 16
    return "".join(pieces)
