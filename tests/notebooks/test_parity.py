"""English and Chinese are one lesson: the same cells, code, numbers and pictures."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from tests.notebooks.conftest import LESSONS

Lesson = nbformat.NotebookNode


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def pair(request: pytest.FixtureRequest) -> tuple[Lesson, Lesson]:
    """A lesson in English and in Chinese."""
    english: Path = request.param
    places = english, english.parent / "zh" / english.name
    one, other = (nbformat.read(place, as_version=4) for place in places)
    return one, other


def test_cells_have_the_same_ids_types_and_tags(pair: tuple[Lesson, Lesson]) -> None:
    one, other = ([(c.id, c.cell_type, c.metadata) for c in p.cells] for p in pair)
    assert one == other


def test_code_is_the_same_apart_from_comments(pair: tuple[Lesson, Lesson]) -> None:
    for one, other in zip(*(p.cells for p in pair), strict=True):
        if one.cell_type == "code":
            assert without_comments(one.source) == without_comments(other.source)
        else:
            assert one.source != other.source, one.id


def test_outputs_show_the_same_numbers_and_pictures(
    pair: tuple[Lesson, Lesson], tool: ModuleType
) -> None:
    assert tool.differences(*pair) == []


def test_headings_and_code_in_the_texts_are_the_same(
    pair: tuple[Lesson, Lesson],
) -> None:
    for one, other in zip(*(p.cells for p in pair), strict=True):
        if one.cell_type == "markdown":
            assert shape(one.source) == shape(other.source), one.id


def without_comments(source: str) -> str:
    return re.sub(r"#.*", "#", source)


def shape(text: str) -> tuple[list[str], int, list[str]]:
    """Depths of headings, items of lists, and what stands in code quotes."""
    headings = re.findall(r"^#+ ", text, flags=re.MULTILINE)
    items = re.findall(r"^(?:- |\d+\. )", text, flags=re.MULTILINE)
    return headings, len(items), sorted(set(re.findall(r"`[^`\n]+`", text)))


def test_another_number_or_picture_is_found(tool: ModuleType) -> None:
    def lesson(text: str, png: str = "a") -> Lesson:
        data = {"image/png": png, "text/html": f"<b>{text}</b><style>b {{7}}</style>"}
        output = nbformat.v4.new_output("display_data", data=data)
        cell = nbformat.v4.new_code_cell("x", id="one", outputs=[output])
        return nbformat.v4.new_notebook(cells=[cell])

    assert tool.differences(lesson("1,000 &lt; 2.5"), lesson("2.5 大于 1000")) == []
    assert tool.differences(lesson("10"), lesson("11"))
    assert tool.differences(lesson("10", "a"), lesson("10", "b"))
