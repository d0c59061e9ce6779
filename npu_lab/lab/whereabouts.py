"""Where the learner left off: the exercise to go on with, and a link to its cell."""

from __future__ import annotations

from dataclasses import dataclass

from npu_lab import lesson
from npu_lab.lab import lessons, pages, record
from npu_lab.lab._texts import say
from npu_lab.lab.exercises import Exercise
from npu_lab.language import current


@dataclass(frozen=True)
class Waiting(pages.Shown):
    """An exercise that is not yet right, and where it is."""

    exercise: Exercise
    lesson: str
    cell: str

    def __str__(self) -> str:
        state = record.read("exercises").get(self.exercise.name, "not attempted")
        title = self.exercise.title[current()]
        return say("go on", lesson=self.lesson, title=title, state=say(state))

    @property
    def html(self) -> pages.Html:
        """One line: a link that JupyterLab opens at the cell."""
        link = f"{self.lesson}.ipynb#cell-id={self.cell}"
        return pages.fill("place", link=link, text=str(self))


def go_on() -> Waiting | str:
    """The exercise tried last, or the first after it that is not yet right.

    After the last of the course comes the first again; when all are right, the text
    says so. The link is for a notebook that lies beside the lessons.
    """
    every = lessons.every("EXERCISES")
    names = [one.name for one in every]
    noted = record.read("exercises")
    last = [name for name in noted if name in names][-1:]
    start = names.index(last[0]) if last else 0
    for one in every[start:] + every[:start]:
        if noted.get(one.name) != "right":
            return _waiting(one)
    return say("all right")


def _waiting(exercise: Exercise) -> Waiting:
    key = exercise.name.partition("/")[0]
    name = lesson.names()[lessons.numbers().index(key)]
    asked = f'lab.check("{exercise.name}"'
    cells = [one.name for one in lesson.read(name) if asked in one.source["en"]]
    return Waiting(exercise, name, cells[0])
