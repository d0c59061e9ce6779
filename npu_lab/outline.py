"""What the course consists of: each lesson's goals and minutes, and paths through it.

A lesson says both itself, in its first cell; nothing is written twice. A text of the
course may hold `<!-- outline -->`, which becomes a row of a table for each lesson, and
`<!-- path: NAME -->`, which becomes the cells "lessons" and "minutes" of a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# Numbers of lessons; the path "whole" is all of them.
PATHS: Mapping[str, tuple[str, ...]] = {
    "short": ("00",),
    "half day": ("00", "01", "02", "03", "05"),
}

_MINUTES = re.compile(r"(\d+) (?:minutes|分钟)")
_MARKS = re.compile(r"<!-- (?:outline|path: ([\w ]+)) -->")


@dataclass(frozen=True)
class Front:
    """What the first cell of a lesson says of it, in one language."""

    title: str
    goals: tuple[str, ...]
    minutes: int


def front(text: str) -> Front:
    """Read a first cell: its heading, its list, its first number of minutes.

    Raises:
        ValueError: one of them is missing.
    """
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    goals = re.findall(r"^- (.+?)[;.；。]?$", text, re.MULTILINE)
    minutes = _MINUTES.search(text)
    if not (title and goals and minutes):
        raise ValueError(
            "A lesson's first cell has a line '# TITLE', a list of goals and the"
            f" minutes it takes; this one begins {text[:60]!r}."
        )
    return Front(title[1], tuple(goals), int(minutes[1]))


def rows(fronts: Mapping[str, Front], folder: str = "") -> str:
    """A row for each lesson: title with its link into `folder`, minutes, goals."""
    return "\n".join(
        f"| [{_number(name)} {_cell(one.title)}]({folder}{name}.ipynb)"
        f" | {one.minutes} | {_cell('<br>'.join(f'• {goal}' for goal in one.goals))} |"
        for name, one in fronts.items()
    )


def path(name: str, fronts: Mapping[str, Front]) -> dict[str, Front]:
    """The lessons of the path `name` (a key of `PATHS`, or "whole").

    Raises:
        KeyError: there is no such path.
    """
    if name == "whole":
        return dict(fronts)
    return {one: fronts[one] for one in fronts if _number(one) in PATHS[name]}


def filled(text: str, fronts: Callable[[], Mapping[str, Front]]) -> str:
    """A text with outline and paths put where it asks for them."""

    def put(mark: re.Match[str]) -> str:
        if mark[1] is None:
            return rows(fronts())
        chosen = path(mark[1], fronts())
        links = ", ".join(f"[{_number(one)}]({one}.ipynb)" for one in chosen)
        return f"{links} | {sum(one.minutes for one in chosen.values())}"

    return _MARKS.sub(put, text)


def _number(name: str) -> str:
    return name.partition("_")[0]


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
