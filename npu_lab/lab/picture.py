"""A finished picture: PNG, alt text, and the style all pictures share.

Figures never enter pyplot, so there is none to close and a cell shows exactly one
image.  It is drawn at twice its size on the page, to be sharp on every screen.  Colours
are those of Okabe and Ito, which people with any colour vision can tell apart, and a
dark purple beside them; no picture relies on them alone.
"""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from npu_lab import files
from npu_lab.lab import pages

INK = "#1a1a1a"
MUTED = "#6b6b6b"
FAINT = "#d9d9d9"
PAPER = "#ffffff"
HOST = "#e69f00"
DEVICE = "#0072b2"
OTHER = "#d55e00"
HELD_OUT = "#882255"
PALE_DEVICE = "#cfe3f1"
PALE_HOST = "#fbe9c6"

DOTS_PER_INCH = 96  # of the page
SCALE = 2

STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "xtick.color": INK,
    "ytick.color": MUTED,
    "hatch.linewidth": 0.8,
}


@dataclass(frozen=True)
class Picture:
    """A PNG with its text twin; the last expression of a cell shows it.

    `alt` says in words, numbers included, what the picture shows; `provenance` where
    the numbers come from.  Sizes are in pixels of the page.
    """

    png: bytes
    alt: str
    provenance: str
    width: int
    height: int

    def __str__(self) -> str:
        return f"[{self.alt} {self.provenance}]"

    @property
    def html(self) -> pages.Html:
        """The picture as a page of its own, with its alt text."""
        return pages.fill("picture", alt=str(self), width=self.width, png=self._base64)

    def save(self, path: Path | str) -> None:
        """Write the PNG to a file, whole or not at all."""
        files.replace(Path(path), self.png)

    @property
    def _base64(self) -> str:
        return base64.b64encode(self.png).decode("ascii")

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        size = {"width": self.width, "height": self.height}
        return (
            {"image/png": self._base64, "text/plain": str(self)},
            {"image/png": {"alt": self.alt, **size}},
        )


@contextlib.contextmanager
def style() -> Iterator[None]:
    """The shared style, whatever the user has set."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def canvas(width: int, height: int) -> Figure:
    """An empty figure of that size, in pixels of the page."""
    inches = width / DOTS_PER_INCH, height / DOTS_PER_INCH
    return Figure(figsize=inches, dpi=DOTS_PER_INCH, facecolor=PAPER)


def finished(figure: Figure, alt: str, provenance: str) -> Picture:
    """Put the provenance line under the figure and turn it into a picture."""
    with style():
        figure.text(
            0.012, 0.02, provenance, fontsize=8, color=MUTED, ha="left", va="bottom"
        )
        buffer = io.BytesIO()
        figure.savefig(
            buffer,
            format="png",
            dpi=DOTS_PER_INCH * SCALE,
            facecolor=PAPER,
            metadata={"Software": None},  # the same bytes from the same numbers
        )
    width, height = (
        round(inches * DOTS_PER_INCH) for inches in figure.get_size_inches()
    )
    return Picture(buffer.getvalue(), alt, provenance, width, height)
