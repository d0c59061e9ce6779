"""The shapes that SVG drawings are made of; coordinates are in pixels of the page.

Hatches and arrow heads are lines of their own, not references to a pattern, so that
many drawings can stand in one page and each can be hidden.
"""

from __future__ import annotations

import html
import math

# Distance of the lines, and which way they lean.
HATCHES = {"wait": (4.0, 1), "idle": (7.0, -1), "late": (5.0, -1)}
HATCHED = 3.0  # narrower boxes are plain


def titled(title: str, content: str, *, stop: bool = False) -> str:
    """A group with a title; the keyboard stops at it if it is a `stop`."""
    start = '<g class="stop" tabindex="0" role="img">' if stop else "<g>"
    return f"{start}<title>{html.escape(title)}</title>{content}</g>"


def text(x: float, y: float, content: str, kind: str) -> str:
    """A piece of text."""
    content = html.escape(content)
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{content}</text>'


def box(x0: float, x1: float, y0: float, y1: float, kind: str) -> str:
    """A rectangle, never too thin to be seen; of some kinds hatched, if wide enough."""
    hatch = HATCHES.get(kind) if x1 - x0 >= HATCHED else None
    kind = f"{kind}-thin" if kind in HATCHES and not hatch else kind
    shape = (
        f'<rect class="{kind}" x="{_n(x0)}" y="{_n(y0)}"'
        f' width="{_n(max(x1 - x0, 0.3))}" height="{_n(y1 - y0)}"/>'
    )
    if hatch:
        shape += path(_hatch(x0, x1, y0, y1, *hatch), f"{kind}-lines")
    return shape


def path(data: str, kind: str) -> str:
    """A path, unless it is empty."""
    return f'<path class="{kind}" d="{data}"/>' if data else ""


def arrow(x0: float, y0: float, x1: float, y1: float, size: float) -> tuple[str, str]:
    """The shaft and the head."""
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length * size, (y1 - y0) / length * size
    base, half = (x1 - 2 * dx, y1 - 2 * dy), (-dy * 0.8, dx * 0.8)
    return line(x0, y0, x1 - dx, y1 - dy), (
        f"M{_n(x1)} {_n(y1)}L{_n(base[0] + half[0])} {_n(base[1] + half[1])}"
        f"L{_n(base[0] - half[0])} {_n(base[1] - half[1])}Z"
    )


def _hatch(x0: float, x1: float, y0: float, y1: float, step: float, lean: int) -> str:
    """Lines x + y = c (or x - y = c), cut off at the edges of the box."""
    low, high = (y0, y1) if lean > 0 else (-y1, -y0)
    lines = []
    for number in range(math.ceil((x0 + low) / step), int((x1 + high) / step) + 1):
        c = number * step
        left, right = max(x0, c - high), min(x1, c - low)
        lines.append(line(left, lean * (c - left), right, lean * (c - right)))
    return "".join(lines)


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    """A line, as a piece of a path."""
    return f"M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}"


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
