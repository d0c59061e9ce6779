"""Quiz questions: multiple choice, as radio buttons and as plain text.

`quiz` shows a widget, `answer` does the same without one. Neither says which choice is
right before one was made; then the choice is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import ipywidgets

from npu_lab.lab import lessons, pages, record
from npu_lab.lab._texts import say
from npu_lab.lab.exercises import SIGNS, Placeholder, State, Text
from npu_lab.language import current


@dataclass(frozen=True)
class Choice:
    """One of the choices; `why` says what is right or wrong about it."""

    text: Text
    why: Text
    right: bool = False


@dataclass(frozen=True)
class Question:
    """One question, called ``NN/name``; its choices are called a, b, c, ..."""

    name: str
    prompt: Text
    choices: tuple[Choice, ...]

    @property
    def letters(self) -> str:
        """The names of the choices."""
        return ascii_lowercase[: len(self.choices)]

    @property
    def lines(self) -> list[str]:
        """The choices, each with its letter."""
        texts = [choice.text[current()] for choice in self.choices]
        return [f"{a}) {text}" for a, text in zip(self.letters, texts, strict=True)]


@dataclass(frozen=True)
class Answer(pages.Shown):
    """A question with what the learner chose: a letter, or None."""

    question: Question
    chosen: str | None

    @property
    def state(self) -> State:
        """Whether it was answered, and rightly."""
        if self.chosen is None:
            return State.NOT_ATTEMPTED
        return State.RIGHT if self._choice.right else State.WRONG

    @property
    def _choice(self) -> Choice:
        return self.question.choices[self.question.letters.index(self.chosen or "")]

    @property
    def _told(self) -> str:
        if self.chosen is None:
            name, letters = self.question.name, ", ".join(self.question.letters)
            return say("choose", name=name, letters=letters)
        why = self._choice.why[current()]
        state = "right" if self.state is State.RIGHT else "wrong"
        return say("chosen", letter=self.chosen, state=say(state), why=why)

    def __str__(self) -> str:
        prompt = f"{SIGNS[self.state]} {self.question.prompt[current()]}"
        return "\n".join([prompt, *self.question.lines, self._told])

    @property
    def html(self) -> pages.Html:
        """The card with question, choices and verdict."""
        lines = [pages.fill("line", text=line) for line in self.question.lines]
        return self.card(pages.join(lines))

    def card(self, lines: pages.Html, told: str = "") -> pages.Html:
        """The card with `lines` between question and verdict (or `told`)."""
        return pages.fill(
            "question",
            state=self.state.value.replace(" ", "-"),
            sign=SIGNS[self.state],
            prompt=self.question.prompt[current()],
            lines=lines,
            told=told or self._told,
        )


def answer(name: str, chosen: Any) -> Answer:
    """Answer the question `name` with a letter; `____` shows it unanswered.

    Raises:
        KeyError: there is no such question; the text lists those there are.
        ValueError: there is no such choice.
    """
    return _noted(lessons.find("QUESTIONS", name), chosen)


def letter(question: Question, chosen: Any) -> str | None:
    """What was chosen of a question, as a letter; None for `____`.

    Raises:
        ValueError: there is no such choice.
    """
    if isinstance(chosen, Placeholder):
        return None
    made = chosen.strip().lower() if isinstance(chosen, str) else chosen
    if made not in list(question.letters):
        name, letters = question.name, ", ".join(question.letters)
        raise ValueError(say("no choice", name=name, chosen=chosen, letters=letters))
    return made


def _noted(question: Question, chosen: Any) -> Answer:
    if made := letter(question, chosen):
        record.note("questions", question.name, made)
    return Answer(question, made)


class Quiz(ipywidgets.VBox):  # type: ignore[misc]
    """Questions with radio buttons; the verdict stands under each.

    `answered` makes the verdict of a question and a letter, and notes it.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        answered: Callable[[Question, str], Answer] = _noted,
    ) -> None:
        self._questions = questions
        self._answered = answered
        super().__init__([part for one in questions for part in self._parts(one)])

    def _parts(self, question: Question) -> list[Any]:
        buttons = ipywidgets.RadioButtons(
            options=list(zip(question.lines, question.letters, strict=True)),
            value=None,
            layout={"width": "max-content", "max_width": "100%"},
        )
        verdict = ipywidgets.HTML()

        def show(shown: Answer) -> None:
            verdict.value = pages.styled(shown.card(pages.Html("")))

        buttons.observe(
            lambda change: show(self._answered(question, change["new"])), names="value"
        )
        unanswered = Answer(question, None).card(pages.Html(""), say("choose here"))
        verdict.value = pages.styled(unanswered)
        return [verdict, buttons]

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        names = ", ".join(question.name for question in self._questions)
        data["text/plain"] = say("quiz text", names=names)
        return bundle


def quiz(*names: str) -> Quiz:
    """Radio buttons for the questions called `names`.

    Raises:
        KeyError: as for `answer`.
        TypeError: no name was given; the text lists those there are.
    """
    if not names:
        there = ", ".join(one.name for one in lessons.every("QUESTIONS"))
        raise TypeError(say("no questions", names=there))
    return Quiz([lessons.find("QUESTIONS", name) for name in names])
