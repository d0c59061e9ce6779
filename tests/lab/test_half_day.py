from __future__ import annotations

from typing import Any

import pytest

from npu_lab.lab import (
    answer,
    half_day_answers,
    half_day_results,
    half_day_test,
    lessons,
    record,
)
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.lessons.half_day import QUESTIONS, WHEN
from npu_lab.lab.questions import Question
from npu_lab.language import LANGUAGES

NAMES = [one.name for one in QUESTIONS]
RIGHT = [
    one.letters[[choice.right for choice in one.choices].index(True)]
    for one in QUESTIONS
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.name)
def test_each_question_has_one_right_choice_and_explains_all(
    question: Question,
) -> None:
    assert len(question.choices) == 3
    assert sum(choice.right for choice in question.choices) == 1
    parts = [(choice.text, choice.why) for choice in question.choices]
    for text in [question.prompt, *(text for pair in parts for text in pair)]:
        assert sorted(text) == sorted(LANGUAGES)
        assert all(text.values())


def test_they_are_five_of_their_own_and_the_right_letter_changes() -> None:
    assert len(set(NAMES)) == 5
    others = {one.prompt["en"] for one in lessons.every("QUESTIONS")}
    assert not {one.prompt["en"] for one in QUESTIONS} & others
    assert set(RIGHT) == set("abc")
    for number, one in enumerate(QUESTIONS, 1):
        assert all(text.startswith(f"{number}. ") for text in one.prompt.values())


def test_before_the_path_nothing_is_given_away() -> None:
    texts = {str(half_day_answers("before", *[one] * 5)) for one in ("a", "b", "c")}
    for text in texts:
        assert "✓" not in text
        assert "✗" not in text
    paper = half_day_answers("before", *RIGHT)
    assert {one.state for one in paper.answers} == {State.NOT_ATTEMPTED}
    whys = [choice.why["en"] for one in QUESTIONS for choice in one.choices]
    assert not any(why in str(paper) + paper.html for why in whys)
    assert "Noted: b. What is right is told after the path." in str(paper)
    assert record.read("before") == dict(zip(NAMES, RIGHT, strict=True))
    assert record.read("questions") == {}


def test_after_the_path_each_answer_is_explained() -> None:
    paper = half_day_answers("after", RIGHT[0], "a", ____, ____, ____)
    assert [one.state for one in paper.answers[:2]] == [State.RIGHT, State.WRONG]
    assert "b is right. The step, and its share of the call." in str(paper)
    assert "put one of a, b, c, in quotes" in str(paper)
    assert list(record.read("after")) == NAMES[:2]


def test_buttons_do_the_same() -> None:
    before, after = (half_day_test(when) for when in WHEN)
    before.children[1].value = "a"
    assert "Noted: a." in before.children[0].value
    after.children[1].value = "a"
    assert "a is not yet right" in after.children[0].value
    assert record.read("before") == record.read("after") == {NAMES[0]: "a"}


def test_results_are_marked_once_the_second_test_is_complete() -> None:
    half_day_answers("before", "a", "a", "a", "a", ____)
    half_day_answers("after", *RIGHT[:4], ____)
    shown = half_day_results()
    assert shown.rows[0] == ("1", "a", RIGHT[0])
    assert shown.rows[4] == ("5", "-", "-")
    assert "complete: 4/5" in str(shown)
    assert "✓" not in str(shown.rows)
    half_day_answers("after", *RIGHT)
    shown = half_day_results()
    assert shown.rows[0] == ("1", "✗ a", f"✓ {RIGHT[0]}")
    assert shown.rows[4] == ("5", "-", f"✓ {RIGHT[4]}")
    assert shown.rows[5] == ("right", f"{RIGHT[:4].count('a')}/5", "5/5")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: half_day_test("later"), 'neither "before" nor "after"'),
        (lambda: half_day_answers("", *"abcab"), 'neither "before" nor "after"'),
        (lambda: half_day_answers("after", "a"), "There are 5 questions"),
        (lambda: half_day_answers("after", *"abcad"), "halfday/data has no choice 'd'"),
    ],
)
def test_what_is_wrong_with_a_call_is_told(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_they_are_no_part_of_a_lesson() -> None:
    assert not {one.name for one in lessons.every("QUESTIONS")} & set(NAMES)
    assert answer(NAMES[0], ____).state is State.NOT_ATTEMPTED
