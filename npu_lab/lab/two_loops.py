"""The picture of the two loops that the engine builds on the device.

The big loop is forward, backward and update; the small one fetches batches. Operators
of the loop's control carry the number they have among the keyword lines of the graph.
"""

from __future__ import annotations

import hashlib

from npu_lab.lab import pages, svg
from npu_lab.lab._texts import say
from npu_lab.lab.timeline import NAMESPACE, WIDTH, TimelinePicture

HEIGHT = 316
HOST = (32.0, 58.0)  # upper and lower edge of each row
WORK = (132.0, 158.0)
CONTROL = (208.0, 234.0)
FRAME = (98.0, 276.0)
LEFT_END = 84.0
QUEUE = SMALL = (84.0, 254.0)
BIG = (286.0, 694.0)
FIRST, SECOND, THIRD = (298.0, 418.0), (430.0, 550.0), (562.0, 682.0)
GET_NEXT = (100.0, 238.0)
BATCHES, RETURN = 216.0, 706.0  # where these arrows are

Edges = tuple[float, float]


def plot_two_loops(n: int = 10) -> TimelinePicture:
    """The two loops of a call that runs `n` steps, and who hands what to whom.

    Raises:
        ValueError: `n` is below 2, where no loop is built.
    """
    if n < 2:  # noqa: PLR2004 (the first number that makes a loop)
        raise ValueError(say("two loops none", n=n))
    facts = {"n": n, "loaded": n - 1}
    pieces = [
        svg.text(0, 10, say("two loops title", **facts), "title"),
        *_lanes(),
        *_host(n),
        *_small(),
        *_big(n - 1),
        *_crossings(),
        svg.text(0, HEIGHT - 18, say("two loops note"), "note"),
    ]
    alt = say("two loops alt", **facts)
    marks = "\n".join(pieces)
    name = hashlib.sha256((alt + marks).encode()).hexdigest()[:12]
    drawn = pages.fill(
        "timeline",
        id=f"npu-lab-{name}",
        namespace=NAMESPACE,
        width=WIDTH,
        height=HEIGHT,
        title=say("two loops title", **facts),
        alt=alt,
        marks=pages.Html(marks),
    )
    return TimelinePicture(drawn, alt, say("two loops note"))


def _lanes() -> list[str]:
    return [
        svg.text(LEFT_END - 8, _middle(HOST), say("timeline host"), "lane"),
        svg.text(LEFT_END - 8, _middle(WORK), say("timeline device"), "lane"),
    ]


def _host(n: int) -> list[str]:
    return [
        _box(QUEUE, HOST, say("two loops queue"), "call"),
        _box((BIG[0], RETURN + 2), HOST, say("two loops call", n=n), "call"),
    ]


def _small() -> list[str]:
    up, down = GET_NEXT[0] + 12, GET_NEXT[0] + 28
    return [
        _frame(SMALL, SMALL[0] + 12, say("two loops small")),
        _box(GET_NEXT, WORK, "GetNext", "compute"),
        _chip(GET_NEXT, say("two loops again"), "10 StreamSwitch", "11 NoOp"),
        _arrow(up, CONTROL[0], up, WORK[1]),
        _arrow(down, WORK[1], down, CONTROL[0]),
        svg.text(down + 8, _gap(), "12 StreamActive", "legend"),
    ]


def _big(loaded: int) -> list[str]:
    work = ("forward", "backward", "update")
    columns = (FIRST, SECOND, THIRD)
    y, again = _middle(WORK), _middle(CONTROL)
    turn, above = _gap(), again - 22
    first, last = _middle(FIRST), _middle(THIRD)
    switch = _middle(SECOND)
    bent = svg.line(last, WORK[1], last, turn) + svg.line(last, turn, switch, turn)
    return [
        _frame(BIG, first + 12, say("two loops big")),
        *(
            _box(column, WORK, say(f"two loops {name}"), "compute")
            for column, name in zip(columns, work, strict=True)
        ),
        _arrow(FIRST[1], y, SECOND[0], y),
        _arrow(SECOND[1], y, THIRD[0], y),
        svg.path(bent, "axis"),
        _arrow(switch, turn, switch, CONTROL[0]),
        _chip(FIRST, "loop_cond + 1", "8 ASSIGNADD", "9 StreamActive"),
        _chip(SECOND, f"loop_cond < {loaded}?", "5 StreamSwitch"),
        _chip(THIRD, "loop_cond = 0", "6 ASSIGN", "7 StreamExitActive"),
        _arrow(SECOND[0], again, FIRST[1], again),
        _arrow(SECOND[1], again, THIRD[0], again),
        _arrow(first, CONTROL[0], first, WORK[1]),
        svg.text((FIRST[1] + SECOND[0]) / 2, above, say("two loops yes"), "tick"),
        svg.text((SECOND[1] + THIRD[0]) / 2, above, say("two loops no"), "tick"),
    ]


def _crossings() -> list[str]:
    """Batches and the call go down, the batch goes over, the last values come back."""
    y, again = _middle(WORK), _middle(CONTROL)
    back = svg.line(THIRD[1], again, RETURN, again)
    return [
        _arrow(BATCHES, HOST[1], BATCHES, WORK[0], "launch"),
        _arrow(_middle(FIRST), HOST[1], _middle(FIRST), WORK[0], "launch"),
        _arrow(GET_NEXT[1], y, FIRST[0], y),
        svg.text((SMALL[1] + BIG[0]) / 2, y - 12, say("two loops batch"), "tick"),
        svg.path(back, "return"),
        _arrow(RETURN, again, RETURN, HOST[1], "return"),
    ]


def _frame(x: Edges, title_from: float, title: str) -> str:
    return _outline(x, FRAME) + svg.text(title_from, FRAME[0] + 16, title, "legend")


def _outline(x: Edges, y: Edges) -> str:
    return svg.path(f"M{x[0]:g} {y[0]:g}H{x[1]:g}V{y[1]:g}H{x[0]:g}Z", "axis")


def _box(x: Edges, y: Edges, label: str, kind: str) -> str:
    shape = svg.box(*x, *y, kind)
    return shape + svg.text(_middle(x), _middle(y), label, f"number on-{kind}")


def _chip(x: Edges, label: str, *lines: str) -> str:
    """An operator of the loop's control, with lines of the log below."""
    shape = _box(x, CONTROL, label, "chip") + _outline(x, CONTROL)
    for row, line in enumerate(lines):
        shape += svg.text(_middle(x), CONTROL[1] + 12 + 14 * row, line, "tick")
    return shape


def _arrow(x0: float, y0: float, x1: float, y1: float, kind: str = "axis") -> str:
    shaft, head = svg.arrow(x0, y0, x1, y1, 3.6)
    return svg.path(shaft, kind) + svg.path(head, f"{kind}-head")


def _gap() -> float:
    """Half way between the row of the work and that of the control."""
    return (WORK[1] + CONTROL[0]) / 2


def _middle(edges: Edges) -> float:
    return sum(edges) / 2
