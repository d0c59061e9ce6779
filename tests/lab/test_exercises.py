"""The engine; and each exercise of each lesson, which proves its checker."""

from __future__ import annotations

import re
from typing import Any

import pytest

from npu_lab.device import Device
from npu_lab.lab import check, lessons, record
from npu_lab.lab._texts import TEXTS
from npu_lab.lab.exercises import (
    Exercise,
    Placeholder,
    State,
    Text,
    Wrong,
    ____,
    refuse_placeholder,
)
from npu_lab.lab.lessons.answers_14 import run_as_cell
from npu_lab.language import LANGUAGES
from tests.lab.bilingual import assert_in_both_languages


def _even(answer: Any) -> None:
    if answer % 2:
        raise Wrong({"en": f"{answer} is odd.", "zh": f"{answer} 是奇数。"})


EVEN = Exercise(
    name="00/even",
    title={"en": "an even number", "zh": "偶数"},
    checker=_even,
    praise={"en": "Even it is.", "zh": "是偶数。"},
    hints=({"en": "Two divides it.", "zh": "能被 2 整除。"},),
    solution="2 < 4",
    explanation={"en": "Two is even.", "zh": "2 是偶数。"},
    mistakes={},
    right=(2,),
    wrong=(),
)

EXERCISES = lessons.every("EXERCISES")
KNOWN_WRONG = [(one, key, answer) for one in EXERCISES for key, answer in one.wrong]


def marks(exercise: Exercise) -> list[pytest.MarkDecorator]:
    """Of a lesson for TensorFlow 2: its exercises go with the tests of that."""
    needs = lessons.mode(exercise.name.partition("/")[0])
    return [pytest.mark.eager] if needs == "tf2" else []


@pytest.mark.parametrize(
    ("answer", "state", "message"),
    [
        (____, State.NOT_ATTEMPTED, "Replace every ____"),
        ([1, (____,)], State.NOT_ATTEMPTED, "Replace every ____"),
        ({"a": ____}, State.NOT_ATTEMPTED, "Replace every ____"),
        (4, State.RIGHT, "Even it is."),
        (3, State.WRONG, "3 is odd."),
        ("3", State.WRONG, "Your code stopped with TypeError: not all arguments"),
    ],
)
def test_states(answer: Any, state: State, message: str) -> None:
    feedback = EVEN.check(answer)
    assert feedback.state is state
    assert message in feedback.message


def test_states_differ_by_sign_and_word_not_by_colour_alone() -> None:
    texts = [str(EVEN.check(answer)) for answer in (____, 3, 4)]
    assert [text[0] for text in texts] == ["○", "✗", "✓"]
    for text, word in zip(texts, ("not attempted", "not yet", "right"), strict=True):
        assert word in text


def test_a_class_may_leave_the_solutions_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_SOLUTIONS", "0")
    page = EVEN.check(3)._repr_mimebundle_()["text/html"]
    assert page.count("<details>") == 1
    assert "Two divides it." in page
    assert "2 &lt; 4" not in page


def test_hints_and_solution_are_folded() -> None:
    bundle = EVEN.check(3)._repr_mimebundle_()
    page = bundle["text/html"]
    assert page.count("<details>") == 2
    assert "<details open" not in page
    assert page.index("<details>") < page.index("Two divides it.")
    assert "2 &lt; 4" in page  # escaped
    for hidden in ("Two divides it.", "Two is even.", "2 < 4"):
        assert hidden not in bundle["text/plain"]


def test_feedback_follows_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    assert str(EVEN.check(3)) == "✗ 练习：偶数 - 还不对。3 是奇数。"


def test_an_answer_is_not_changed_by_looking_for_placeholders() -> None:
    answer = [1, {"a": 2}]
    refuse_placeholder(answer)
    assert answer == [1, {"a": 2}]


def test_placeholder_looks_as_it_is_written() -> None:
    assert repr(Placeholder()) == "____"


def test_unknown_exercise_lists_those_there_are() -> None:
    with pytest.raises(KeyError, match="00/number_and_square"):
        check("00/no_such_exercise", 1)
    with pytest.raises(KeyError, match="00/number_and_square"):
        check("number_and_square", 1)


def test_how_it_went_is_noted_and_looking_at_it_again_takes_nothing_back() -> None:
    check("00/number_and_square", ____)
    assert record.read("exercises") == {}
    check("00/number_and_square", 3)
    check("00/number_and_square", ____)
    assert record.read("exercises") == {"00/number_and_square": "wrong"}


@pytest.mark.parametrize(
    "exercise", [pytest.param(e, marks=marks(e), id=e.name) for e in EXERCISES]
)
class TestEachExercise:
    """What every exercise of the course must hold."""

    def test_it_is_complete(self, exercise: Exercise) -> None:
        number, _slash, answer = exercise.name.partition("/")
        assert lessons.find("EXERCISES", exercise.name) is exercise
        assert number in lessons.numbers()
        assert answer.isidentifier()
        assert 2 <= len(exercise.hints) <= 3
        assert len(exercise.wrong) >= 3
        texts = [exercise.title, exercise.praise, exercise.explanation]
        for text in [*texts, *exercise.hints, *exercise.mistakes.values()]:
            assert_in_both_languages(text)

    def test_each_message_is_given_for_some_wrong_answer(
        self, exercise: Exercise
    ) -> None:
        assert set(exercise.mistakes) == {key for key, _ in exercise.wrong} - {"raised"}

    def test_untouched_is_not_attempted(self, exercise: Exercise) -> None:
        assert exercise.check(____).state is State.NOT_ATTEMPTED

    def test_right_answers_pass(self, exercise: Exercise, device: Device) -> None:
        for answer in exercise.right:
            feedback = exercise.check(answer)
            assert feedback.state is State.RIGHT, (answer, feedback.message)
        assert exercise.right

    def test_the_solution_shown_passes(
        self, exercise: Exercise, device: Device
    ) -> None:
        if lessons.mode(exercise.name.partition("/")[0]) == "tf2":
            from npu_lab._tensorflow import tf
        else:
            import npu_lab.tf1 as tf

        names = run_as_cell(exercise.solution, {"tf": tf})
        feedback = exercise.check(names[exercise.name.partition("/")[2]])
        assert feedback.state is State.RIGHT, feedback.message


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("exercise", "key", "answer"),
    [
        pytest.param(e, k, a, marks=marks(e), id=f"{e.name}-{k}-{n}")
        for n, (e, k, a) in enumerate(KNOWN_WRONG)
    ],
)
def test_a_wrong_answer_gets_the_message_meant_for_it(
    exercise: Exercise,
    key: str,
    answer: Any,
    language: str,
    device: Device,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    feedback = exercise.check(answer)
    assert feedback.state is State.WRONG
    messages: dict[str, Text] = {**exercise.mistakes, "raised": TEXTS["raised"]}
    assert said(messages[key][language], feedback.message), feedback.message
    assert " at 0x" not in feedback.message
    assert "{" not in feedback.message


def said(template: str, message: str) -> bool:
    """Whether `message` is `template` with its facts filled in."""
    parts = re.split(r"\{\w+\}", template)
    return re.fullmatch(".+".join(map(re.escape, parts)), message) is not None


def test_one_message_is_not_taken_for_another() -> None:
    assert said("{a} is not {b}.", "3 is not 4.")
    assert not said("{a} is not {b}.", "3 is 4.")
    for exercise in EXERCISES:
        for language in LANGUAGES:
            plain = [t[language] for t in exercise.mistakes.values()]
            assert len(set(plain)) == len(plain)
