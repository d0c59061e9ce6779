"""No link of a lesson is dead, and each leads to a lesson that is known."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from npu_lab.lesson import names as lesson_names
from tests.notebooks.conftest import NOTEBOOKS

LINK = re.compile(r"\]\(([^)\s]+)\)")
# Lessons that others may link to before they are written.
PLANNED: set[str] = set()
SOURCES = sorted((NOTEBOOKS / "src").glob("*.md"))


def test_links_lead_to_what_is_there(lesson: nbformat.NotebookNode, path: Path) -> None:
    links = {link for cell in lesson.cells for link in LINK.findall(cell.source)}
    dead = {
        link
        for link in links
        if "://" not in link
        and not (path.parent / link.partition("#")[0]).resolve().is_file()
    }
    assert not dead


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_link_to_a_lesson_names_one_that_is_there_or_planned(source: Path) -> None:
    known = PLANNED | {path.stem for path in SOURCES}
    named = re.findall(r"\((?:zh/|\.\./)?(\d\d\w+)\.ipynb\)", source.read_text("utf-8"))
    assert set(named) <= known


@pytest.mark.parametrize("name", lesson_names())
def test_a_lesson_has_a_page_for_the_teacher(name: str) -> None:
    number = name.partition("_")[0]
    page = NOTEBOOKS.parent / "docs" / "teaching" / f"{number}.md"
    lines = page.read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        next(
            line
            for line in lines
            if re.match(rf"# {number} .*: for the teacher$", line)
        ),
        "## Goal",
        "## Minutes",
        "## The misconception it fights",
        "## Demonstrate live",
        "## Ask",
        next(line for line in lines if re.match(rf"# {number} .*：教师用$", line)),
        "## 目标",
        "## 时间",
        "## 要纠正的误解",
        "## 现场演示",
        "## 提问",
    ]
    assert len(lines) <= 80
