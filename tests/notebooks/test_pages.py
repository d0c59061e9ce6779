"""The pages of the course that are no lessons: its index, and the half-day test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest

from npu_lab import lesson
from npu_lab.lab.lessons.half_day import QUESTIONS
from npu_lab.language import LANGUAGES
from tests.notebooks.conftest import NOTEBOOKS
from tests.notebooks.test_links import LINK
from tests.notebooks.test_structure import HANZI, MACHINE
from tests.notebooks.test_terms import wrong

PAGES = lesson.pages()
FOLDERS = {"en": NOTEBOOKS, "zh": NOTEBOOKS / "zh"}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=PAGES)
def path(request: pytest.FixtureRequest, language: str) -> Path:
    return FOLDERS[language] / f"{request.param}.ipynb"


@pytest.fixture
def page(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def test_the_index_shows_every_lesson_with_goals_and_minutes(language: str) -> None:
    index = nbformat.read(FOLDERS[language] / "index.ipynb", as_version=4)
    cells = {cell.id: cell.source for cell in index.cells}
    outline = cells["outline"].splitlines()
    assert len(outline) == len(lesson.names()) + 4
    for name, front in lesson.fronts(language).items():
        (row,) = [line for line in outline if f"({name}.ipynb)" in line]
        assert f"| {front.minutes} |" in row
        assert all(goal in row for goal in front.goals)
        assert f"({name}.ipynb)" in cells["paths"]


def test_the_index_counts_what_is_done_of_every_lesson(language: str) -> None:
    index = nbformat.read(FOLDERS[language] / "index.ipynb", as_version=4)
    (cell,) = [cell for cell in index.cells if cell.id == "progress"]
    shown = json.dumps(cell.outputs)
    assert [name for name in lesson.names() if name not in shown] == []


def test_links_lead_to_what_is_there(page: nbformat.NotebookNode, path: Path) -> None:
    links = {link for cell in page.cells for link in LINK.findall(cell.source)}
    assert links
    assert [one for one in links if not (path.parent / one).resolve().is_file()] == []


def test_texts_are_in_the_language_of_the_folder(
    page: nbformat.NotebookNode, path: Path
) -> None:
    texts = [cell.source for cell in page.cells if cell.cell_type == "markdown"]
    chinese = [bool(HANZI.search(text)) for text in texts]
    assert all(chinese) if path.parent.name == "zh" else sum(chinese) == 1


def test_outputs_are_stored_and_name_no_machine(page: nbformat.NotebookNode) -> None:
    code = [cell for cell in page.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    shown = json.dumps([cell.outputs for cell in code])
    assert not MACHINE.search(shown)
    assert "stderr" not in shown
    assert "widget-view" not in shown


def test_a_new_learner_has_done_nothing(language: str) -> None:
    for name, cell_id in (("index", "go-on"), ("half_day_test", "results")):
        stored = nbformat.read(FOLDERS[language] / f"{name}.ipynb", as_version=4)
        (cell,) = [cell for cell in stored.cells if cell.id == cell_id]
        text = cell.outputs[-1].data["text/plain"]
        assert re.search("00_start_here|0/5", text)
        assert "✓" not in text


@pytest.mark.parametrize("name", PAGES)
def test_they_keep_to_the_terms(name: str) -> None:
    texts = [cell.source for cell in lesson.read(name) if not cell.is_code]
    if name == "half_day_test":
        texts += [one.prompt for one in QUESTIONS]
        texts += [
            text for one in QUESTIONS for c in one.choices for text in (c.text, c.why)
        ]
    found = {t["en"]: faults for t in texts if (faults := wrong(t["en"], t["zh"]))}
    assert not found
