"""Fills the HTML files of `assets`; what goes in is escaped, unless it is HTML.

A page is a `Html`, a string that is known to be HTML.  Each one carries the style sheet
it needs, so that it looks the same wherever it is shown.
"""

from __future__ import annotations

import functools
import html
from importlib import resources
from string import Template
from typing import Any


class Html(str):
    """A string that is HTML already and is not escaped again."""

    __slots__ = ()


class Shown:
    """What a cell shows as HTML, and as text where there is none."""

    @property
    def html(self) -> Html:
        """Itself without the style sheet."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": styled(self.html)}


def fill(name: str, **values: object) -> Html:
    """The file `assets/<name>.html` with `values` in the places of their names."""
    escaped = {
        key: value if isinstance(value, Html) else html.escape(str(value))
        for key, value in values.items()
    }
    return Html(Template(_asset(f"{name}.html")).substitute(escaped).strip())


def join(parts: list[Html]) -> Html:
    """Several pieces of HTML, one after the other."""
    return Html("".join(parts))


def styled(page: Html) -> Html:
    """A page with the style sheet in front."""
    return Html(f"<style>{_asset('lab.css').strip()}</style>\n{page}")


@functools.cache
def _asset(name: str) -> str:
    place = resources.files("npu_lab.lab").joinpath("assets", name)
    return place.read_text(encoding="utf-8")
