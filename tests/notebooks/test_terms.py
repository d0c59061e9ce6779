"""The lessons keep to the table of terms, docs/terms.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from npu_lab import lesson
from npu_lab.lab.lessons import every
from npu_lab.lab.questions import Question

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|<[^>]*>", re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A row of the table."""

    english: list[str]
    chinese: list[str]
    meaning: str
    meaning_zh: str
    avoided: list[str]

    def is_in(self, english: str) -> bool:
        return any(
            # Not as a part of code, such as iterator.initializer.
            re.search(rf"(?<![\w.]){one}s?(?!\w|[.(]\w)", english, flags=re.IGNORECASE)
            for one in self.english
        )


def table() -> list[Term]:
    text = (ROOT / "docs" / "terms.md").read_text("utf-8")
    rows = re.findall(r"^\| (.*) \|$", text, flags=re.MULTILINE)[1:]
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    names = [
        [one.strip() for one in row[at].split(" / ")]
        for row in cells
        for at in (0, 1, 4)
    ]
    return [
        Term(*names[3 * n : 3 * n + 2], row[2], row[3], names[3 * n + 2])
        for n, row in enumerate(cells)
    ]


TERMS = table()
NAMES = lesson.names()


def wrong(english: str, chinese: str) -> list[str]:
    """What in a text and its translation is against the table."""
    english, chinese = CODE.sub(" ", english), CODE.sub(" ", chinese)
    found = [
        f"{term.english[0]}: needs {' or '.join(term.chinese)}"
        for term in TERMS
        if term.is_in(english) and not any(one in chinese for one in term.chinese)
    ]
    return found + [
        f"not {avoided}"
        for term in TERMS
        for avoided in term.avoided
        if avoided in chinese or avoided in english
    ]


def test_every_row_is_complete_and_each_term_is_there_once() -> None:
    assert len(TERMS) > 20
    names = [name for term in TERMS for name in term.english]
    assert len(set(names)) == len(names)
    for term in TERMS:
        parts = [*term.english, *term.chinese, term.meaning, term.meaning_zh]
        assert all([*parts, *term.avoided]), term
        assert not set(term.avoided) & set(term.chinese)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_uses_the_terms_of_the_table(name: str) -> None:
    found = {
        cell.name: faults
        for cell in lesson.read(name)
        if not cell.is_code and (faults := wrong(cell.source["en"], cell.source["zh"]))
    }
    assert not found


@pytest.mark.parametrize("name", NAMES)
def test_exercises_and_questions_do_too(name: str) -> None:
    number = name.partition("_")[0]
    texts = []
    for one in [*every("EXERCISES"), *every("QUESTIONS")]:
        if one.name.partition("/")[0] != number:
            continue
        if isinstance(one, Question):
            texts += [one.prompt, *(t for c in one.choices for t in (c.text, c.why))]
        else:
            texts += [one.title, one.praise, one.explanation, *one.hints]
            texts += one.mistakes.values()
    found = {t["en"]: faults for t in texts if (faults := wrong(t["en"], t["zh"]))}
    assert not found


def test_what_is_against_the_table_is_found() -> None:
    assert wrong("Sink the loop.", "下沉循环。") == [
        "sink the loop: needs 训练迭代循环下沉"
    ]
    assert wrong("Two round trips.", "两次交互。") == []
    assert wrong("The `session` runs.", "运行。") == []
    assert wrong("Look here.", "请看关键词。") == ["not 关键词"]
