"""Exercises: an answer is not attempted, wrong, or right, and running it is the check.

A skeleton cell holds the placeholder `____`; as long as an answer still has one in it,
it is not attempted.  A checker raises `Wrong` with the message meant for a mistake, and
returns when the answer is right.  Hints and solution lie folded in the feedback and
open on a click.
"""

from __future__ import annotations

import dis
import enum
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from npu_lab import language
from npu_lab.lab import lessons, pages, record
from npu_lab.lab._texts import say

Text = Mapping[str, str]
"""A text by language: {"en": ..., "zh": ...}."""


class Placeholder:
    """What stands in a skeleton where the learner is to write."""

    def __repr__(self) -> str:
        return "____"


____ = Placeholder()


class State(enum.Enum):
    """The three states of an exercise."""

    NOT_ATTEMPTED = "not attempted"
    WRONG = "wrong"
    RIGHT = "right"


SIGNS = {State.NOT_ATTEMPTED: "○", State.WRONG: "✗", State.RIGHT: "✓"}


class Wrong(Exception):  # noqa: N818 (a verdict, no fault of the program)
    """The answer is wrong; the text is the message meant for this mistake."""

    def __init__(self, message: Text) -> None:
        super().__init__(message[language.current()])


def mistake(texts: Mapping[str, Text], key: str, /, **facts: object) -> Wrong:
    """The exception for the mistake `key`, with its facts filled in."""
    return Wrong({one: text.format(**facts) for one, text in texts[key].items()})


class NotAttempted(Exception):  # noqa: N818
    """There is a placeholder left in the answer; the text says what to do."""


@dataclass(frozen=True)
class Exercise:
    """One exercise: its name, its texts, and the function that checks an answer.

    `name` is ``NN/answer``: the lesson, and the Python name that `solution`, a piece of
    code, gives to its answer. `mistakes` holds the message meant for each mistake. That
    the checker is fair is shown by answers that are `right`, and by `wrong` ones, each
    with the key of the message that it must get (``raised``: it stops by itself).
    """

    name: str
    title: Text
    checker: Callable[[Any], None]
    praise: Text
    hints: tuple[Text, ...]
    solution: str
    explanation: Text
    mistakes: Mapping[str, Text]
    right: tuple[Any, ...]
    wrong: tuple[tuple[str, Any], ...]

    def check(self, answer: Any) -> Feedback:
        """Judge an answer; an exception that it raises is part of the feedback."""
        try:
            refuse_placeholder(answer)
            self.checker(answer)
        except NotAttempted as left:
            return Feedback(self, State.NOT_ATTEMPTED, str(left))
        except Wrong as wrong:
            return Feedback(self, State.WRONG, str(wrong))
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a learner's code)
            first_line = str(error).strip().partition("\n")[0]
            # An address tells nothing, and differs each time.
            message = re.sub(r" at 0x[0-9a-fA-F]+", "", first_line) or "-"
            raised = say("raised", error=type(error).__name__, message=message)
            return Feedback(self, State.WRONG, raised)
        return Feedback(self, State.RIGHT, self.praise[language.current()])


@dataclass(frozen=True)
class Feedback(pages.Shown):
    """What the learner sees after running an exercise cell."""

    exercise: Exercise
    state: State
    message: str

    def __str__(self) -> str:
        sign = SIGNS[self.state]
        return say("feedback", sign=sign, title=self._title, message=self.message)

    @property
    def _title(self) -> str:
        name = self.exercise.title[language.current()]
        state = "wrong" if self.state is State.WRONG else self.state.value
        return say("exercise", name=name, state=say(state))

    @property
    def html(self) -> pages.Html:
        """The feedback with hints and solution folded under it.

        A class may leave the solution out, with `NPU_LAB_SOLUTIONS=0`.
        """
        now = language.current()
        folded = [
            pages.fill("folded_text", title=say("hint", number=number), text=hint[now])
            for number, hint in enumerate(self.exercise.hints, start=1)
        ]
        if os.environ.get("NPU_LAB_SOLUTIONS") != "0":
            folded.append(
                pages.fill(
                    "folded_code",
                    title=say("solution"),
                    text=self.exercise.explanation[now],
                    code=self.exercise.solution,
                )
            )
        return pages.fill(
            "feedback",
            state=self.state.value.replace(" ", "-"),
            sign=SIGNS[self.state],
            title=self._title,
            message=self.message,
            folded=pages.join(folded),
        )


def check(name: str, answer: Any) -> Feedback:
    """Check the answer to the exercise called `name`, and note how it went.

    Raises:
        KeyError: there is no such exercise; the text lists those there are.
    """
    feedback: Feedback = lessons.find("EXERCISES", name).check(answer)
    if feedback.state is not State.NOT_ATTEMPTED:
        record.note("exercises", name, feedback.state.value)
    return feedback


def refuse_placeholder(value: Any) -> None:
    """Raise `NotAttempted` if a placeholder is in `value`, at whatever depth.

    A function holds those that its code reads, reached or not.
    """
    if isinstance(value, Placeholder):
        raise NotAttempted(say("replace"))
    if gaps := _gaps(getattr(value, "__code__", None)):
        raise NotAttempted(say("replace" if gaps > 1 else "one left"))
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)):
        for each in value:
            refuse_placeholder(each)


def _gaps(code: Any) -> int:
    """At how many places the code of a function reads `____`, inner ones included."""
    if not isinstance(code, CodeType):
        return 0
    places = {
        step.positions
        for step in dis.get_instructions(code)
        if step.opname == "LOAD_GLOBAL" and step.argval == "____"
    }
    return len(places) + sum(map(_gaps, code.co_consts))
