"""The same five questions before and after the half-day path; nothing is graded.

Before the path is not told what is right, so that the questions can be asked again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from npu_lab.lab import pages, record
from npu_lab.lab._texts import say
from npu_lab.lab.exercises import SIGNS, State
from npu_lab.lab.lessons.lesson_halfday import QUESTIONS
from npu_lab.lab.questions import Answer, Question, Quiz, letter
from npu_lab.lab.tables import Table

WHEN = ("before", "after")


@dataclass(frozen=True)
class Sat(Answer):
    """A question of the test with what was chosen; `when` is one of `WHEN`."""

    when: str

    @property
    def state(self) -> State:
        """As of any question, but nothing is told before the path."""
        return State.NOT_ATTEMPTED if self.when == "before" else super().state

    @property
    def _told(self) -> str:
        if self.chosen is None:
            return say("test choose", letters=", ".join(self.question.letters))
        if self.when == "before":
            return say("test noted", letter=self.chosen)
        return super()._told


@dataclass(frozen=True)
class Paper(pages.Shown):
    """All questions with their answers."""

    answers: tuple[Sat, ...]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.answers))

    @property
    def html(self) -> pages.Html:
        """The cards one under the other."""
        return pages.join([one.html for one in self.answers])


def half_day_test(when: str) -> Quiz:
    """Radio buttons for the test "before" or "after" the half-day path.

    Raises:
        ValueError: `when` is neither.
    """
    _refuse(when)
    return Quiz(QUESTIONS, partial(_sat, when))


def half_day_answers(when: str, *letters: Any) -> Paper:
    """Answer the same without widgets: a letter, or `____`, for each question.

    Raises:
        ValueError: `when` is neither "before" nor "after", or there is not one letter
            for each question, or it is none of the choices.
    """
    _refuse(when)
    if len(letters) != len(QUESTIONS):
        raise ValueError(say("test letters", count=len(QUESTIONS)))
    return Paper(tuple(map(partial(_sat, when), QUESTIONS, letters)))


def half_day_results() -> Table:
    """Both answers to each question side by side; marked once "after" is complete."""
    noted = {when: record.read(when) for when in WHEN}
    done = sum(one.name in noted["after"] for one in QUESTIONS)
    whole = done == len(QUESTIONS)
    right = dict.fromkeys(WHEN, 0)
    rows = []
    for number, question in enumerate(QUESTIONS, 1):
        row = [str(number)]
        for when in WHEN:
            answer = Answer(question, noted[when].get(question.name))
            right[when] += answer.state is State.RIGHT
            sign = f"{SIGNS[answer.state]} " if whole and answer.chosen else ""
            row.append(f"{sign}{answer.chosen or '-'}")
        rows.append(tuple(row))
    if whole:
        sums = [f"{right[when]}/{len(QUESTIONS)}" for when in WHEN]
        rows.append((say("test right"), *sums))
    header = tuple(say(f"test {one}") for one in ("question", *WHEN))
    told = say("test whole" if whole else "test part", done=done, count=len(QUESTIONS))
    return Table(told, header, tuple(rows))


def _sat(when: str, question: Question, chosen: Any) -> Sat:
    made = letter(question, chosen)
    if made:
        record.note(when, question.name, made)
    return Sat(question, made, when)


def _refuse(when: str) -> None:
    if when not in WHEN:
        raise ValueError(say("test when", when=when))
