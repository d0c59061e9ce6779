from __future__ import annotations

from typing import Any

import pytest

from npu_lab.lab import check
from npu_lab.lab.exercises import (
    Exercise,
    Placeholder,
    State,
    Wrong,
    ____,
    refuse_placeholder,
)


def _even(answer: Any) -> None:
    if answer % 2:
        raise Wrong({"en": f"{answer} is odd.", "zh": f"{answer} 是奇数。"})


EVEN = Exercise(
    name="even",
    title={"en": "an even number", "zh": "偶数"},
    checker=_even,
    praise={"en": "Even it is.", "zh": "是偶数。"},
    hints=({"en": "Two divides it.", "zh": "能被 2 整除。"},),
    solution="2 < 4",
    explanation={"en": "Two is even.", "zh": "2 是偶数。"},
)


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
    with pytest.raises(KeyError, match="number_and_square"):
        check("no_such_exercise", 1)
