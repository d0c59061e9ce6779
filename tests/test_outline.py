from __future__ import annotations

import re

import pytest

from npu_lab import lesson, outline
from npu_lab.language import LANGUAGES
from npu_lab.outline import Front

FIRST = """\
# A title: with `code`

You will be able to

- do one | thing;
- do another.

Optional. About 25 minutes, or five for each case.
"""
FRONTS = {
    "00_a": Front("A", ("one", "two | three"), 10),
    "01_b": Front("B", ("four",), 20),
    "05b_c": Front("C", ("five",), 40),
}


def test_a_first_cell_says_title_goals_and_minutes() -> None:
    expected = Front("A title: with `code`", ("do one | thing", "do another"), 25)
    assert outline.front(FIRST) == expected
    chinese = "# 标题\n\n- 第一；\n- 第二。\n\n约 30 分钟。"
    assert outline.front(chinese) == Front("标题", ("第一", "第二"), 30)


@pytest.mark.parametrize("missing", ["# A title", "- ", "minutes"])
def test_what_is_missing_is_told(missing: str) -> None:
    with pytest.raises(ValueError, match="a list of goals and the minutes"):
        outline.front(FIRST.replace(missing, "x "))


def test_every_lesson_says_the_same_minutes_in_both_languages() -> None:
    english, chinese = (lesson.fronts(language) for language in LANGUAGES)
    assert list(english) == list(chinese) == lesson.names()
    for name, front in english.items():
        assert front.minutes == chinese[name].minutes, name
        assert len(front.goals) == len(chinese[name].goals), name


def test_a_row_for_each_lesson_and_a_line_for_each_path() -> None:
    text = "<!-- outline -->\n| whole | <!-- path: whole --> |\n<!-- other -->"
    assert outline.filled(text, lambda: FRONTS).splitlines() == [
        r"| [00 A](00_a.ipynb) | 10 | • one<br>• two \| three |",
        "| [01 B](01_b.ipynb) | 20 | • four |",
        "| [05b C](05b_c.ipynb) | 40 | • five |",
        "| whole | [00](00_a.ipynb), [01](01_b.ipynb), [05b](05b_c.ipynb) | 70 |",
        "<!-- other -->",
    ]
    assert list(outline.path("half day", FRONTS)) == ["00_a", "01_b"]
    assert outline.rows(FRONTS, "x/").startswith("| [00 A](x/00_a.ipynb)")
    with pytest.raises(KeyError):
        outline.filled("<!-- path: long -->", lambda: FRONTS)


def test_the_paths_are_those_that_lesson_00_names() -> None:
    """There the lessons of the half-day path are set in bold."""
    there = {cell.name: cell for cell in lesson.read("00_start_here")}
    for language in LANGUAGES:
        text = there["stages-text"].source[language]
        named = {"00", *re.findall(r"\*\*\[(\w+) [^\]]*\]\([^)]*\)\*\*", text)}
        assert named == set(outline.PATHS["half day"])
    assert outline.PATHS["short"] == ("00",)
    minutes = sum(
        front.minutes
        for front in outline.path("half day", lesson.fronts("en")).values()
    )
    assert 150 <= minutes <= 240
