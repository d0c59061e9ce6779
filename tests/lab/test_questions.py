from __future__ import annotations

from typing import Any

import pytest

from npu_lab.lab import answer, lessons, quiz, record
from npu_lab.lab.exercises import State, ____
from npu_lab.lab.questions import Question
from tests.lab.bilingual import assert_in_both_languages

QUESTIONS = lessons.every("QUESTIONS")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.name)
def test_each_question_has_one_right_choice_and_explains_all(
    question: Question,
) -> None:
    assert lessons.find("QUESTIONS", question.name) is question
    assert 3 <= len(question.choices) <= 4
    assert sum(choice.right for choice in question.choices) == 1
    parts = [(choice.text, choice.why) for choice in question.choices]
    for text in [question.prompt, *(text for pair in parts for text in pair)]:
        assert_in_both_languages(text)


@pytest.mark.parametrize("number", lessons.numbers())
def test_the_right_choice_is_not_always_the_same(number: str) -> None:
    own = [one for one in QUESTIONS if one.name.startswith(f"{number}/")]
    places = [[c.right for c in one.choices].index(True) for one in own]
    assert len(set(places)) > 1


def test_unanswered_it_shows_the_choices_and_gives_nothing_away() -> None:
    shown = answer("00/loss", ____)
    assert shown.state is State.NOT_ATTEMPTED
    text, page = str(shown), shown.html
    for part in ("What is the loss", "b) that of the tenth step"):
        assert part in text
        assert part in page
    assert 'Choose with lab.answer("00/loss", "LETTER"): a, b, c.' in text
    assert "are not seen" not in text + page
    assert record.read("questions") == {}


@pytest.mark.parametrize(
    ("chosen", "state", "why"),
    [
        ("b", State.RIGHT, "b is right. The nine before it"),
        (" B ", State.RIGHT, "b is right."),
        ("a", State.WRONG, "a is not yet right. Nothing is averaged"),
    ],
)
def test_a_choice_is_explained_and_noted(chosen: str, state: State, why: str) -> None:
    shown = answer("00/loss", chosen)
    assert shown.state is state
    assert why in str(shown)
    assert why in shown.html
    assert record.read("questions") == {"00/loss": chosen.strip().lower()}


@pytest.mark.parametrize("chosen", ["d", "", "ab", 1, None])
def test_what_is_no_choice_is_told(chosen: Any) -> None:
    with pytest.raises(ValueError, match=r"no choice .*; choose one of a, b, c"):
        answer("00/loss", chosen)
    assert record.read("questions") == {}


def test_an_unknown_question_lists_those_there_are() -> None:
    with pytest.raises(KeyError, match="00/loss, 00/keyword"):
        quiz("00/no")


@pytest.mark.parametrize(
    ("language", "message"), [("en", "Name the questions"), ("zh", "请写出题目的名称")]
)
def test_a_quiz_without_names_lists_those_there_are(
    language: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    with pytest.raises(TypeError, match=f"{message}.*00/loss, .*05b/mixed"):
        quiz()


def test_radio_buttons_show_the_verdict_of_each_question() -> None:
    shown = quiz("00/loss", "00/calls")
    first, buttons, second, _ = shown.children
    assert buttons.value is None
    assert buttons.options[1] == ("b) that of the tenth step", "b")
    before = second.value
    assert "Choose here; by keyboard: Tab to a choice, then Space." in before
    buttons.value = "a"
    assert "Nothing is averaged" in first.value
    buttons.value = "b"
    assert "npu-lab-right" in first.value
    assert second.value == before
    assert record.read("questions") == {"00/loss": "b"}


def test_its_text_names_the_questions() -> None:
    bundle = quiz("00/loss", "00/calls")._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"].startswith("[Radio buttons for 00/loss, 00/calls.")
