"""The lessons as text: one source each, from which both languages are made.

A source is Markdown. A line `<!-- cell: ID TAG ... -->` begins a cell. A cell of text
has a part for each language, begun by the lines `<!-- en -->` and `<!-- zh -->`. A cell
that is one fenced Python block is code, and the same in both languages but for comments
of the form `# English | Chinese`, each of which keeps the half in its own. Lessons have
names that begin with a number; the other sources are pages about the course.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from npu_lab import outline
from npu_lab.language import LANGUAGES, Language

PACKAGE = Path(__file__).resolve().parent
# In a wheel the sources are a part of the package, in a clone they lie beside it.
PLACES = (PACKAGE / "course", PACKAGE.parent / "notebooks" / "src")

_CELL = re.compile(r"^<!-- cell: (\S+)((?: \S+)*) -->$", re.MULTILINE)
_PARTS = re.compile(r"<!-- en -->\n(.+?)\n<!-- zh -->\n(.+)", re.DOTALL)
_CODE = re.compile(r"```python\n(.*)\n```", re.DOTALL)
_COMMENT = re.compile(r"# (.*?) \| (.*[\u4e00-\u9fff].*)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]+)\]\((\d\d\w+)\.ipynb\)")


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson; `source` holds it by language."""

    name: str
    tags: tuple[str, ...]
    is_code: bool
    source: Mapping[Language, str]


def names() -> list[str]:
    """All lessons, such as ``00_start_here``, in order."""
    return sorted(path.stem for place in PLACES for path in place.glob("[0-9]*.md"))


def pages() -> list[str]:
    """The notebooks of the course that are no lessons, such as ``index``."""
    there = {path.stem for place in PLACES for path in place.glob("*.md")}
    return sorted(there - set(names()))


def fronts(language: Language, folder: Path | None = None) -> dict[str, outline.Front]:
    """What each lesson says of itself; of those in `folder`, or of the course.

    Raises:
        ValueError: the first cell of one is not in form.
    """
    return {
        path.stem: outline.front(_first_text(path)[LANGUAGES.index(language)])
        for place in ([folder] if folder else PLACES)
        for path in sorted(place.glob("[0-9]*.md"))
    }


def read(name: str) -> list[Cell]:
    """The cells of a lesson or a page.

    Raises:
        KeyError: there is no such lesson; the text lists those there are.
        ValueError: its source is not in form.
    """
    for place in PLACES:
        path = place / f"{name}.md"
        if path.is_file():
            return cells(path.read_text("utf-8"), path.parent)
    message = f"There is no lesson {name!r}; there are: {', '.join(names()) or 'none'}."
    raise KeyError(message)


def cells(text: str, folder: Path) -> list[Cell]:
    """The cells in the `text` of a source.

    A link to a lesson that has no source in `folder` becomes plain text; the outline
    of the lessons that have one is put where the text asks for it.
    """
    before, *parts = _CELL.split(text)
    if before.strip() or not parts:
        raise ValueError("A lesson begins with <!-- cell: ID -->.")
    return [
        _cell(name, tags.split(), body.strip(), folder)
        for name, tags, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


def _cell(name: str, tags: list[str], body: str, folder: Path) -> Cell:
    if code := _CODE.fullmatch(body):
        source = {
            language: _COMMENT.sub(rf"# \{number}", code[1])
            for number, language in enumerate(LANGUAGES, 1)
        }
    elif text := _PARTS.fullmatch(body):
        source = {
            language: _completed(text[number].strip(), language, folder)
            for number, language in enumerate(LANGUAGES, 1)
        }
    else:
        raise ValueError(
            f"Cell {name} is neither one ```python block nor text that begins with a"
            " line <!-- en --> and has one <!-- zh -->."
        )
    return Cell(name, tuple(tags), code is not None, source)


def _completed(text: str, language: Language, folder: Path) -> str:
    text = _LINK.sub(
        lambda link: link[0] if (folder / f"{link[2]}.md").is_file() else link[1], text
    )
    return outline.filled(text, lambda: fronts(language, folder))


def _first_text(path: Path) -> tuple[str, ...]:
    """The first cell of a source, in each language."""
    _, _, _, body, *_ = *_CELL.split(path.read_text("utf-8")), "", "", "", ""
    found = _PARTS.fullmatch(body.strip())
    return found.groups() if found else ("", "")
