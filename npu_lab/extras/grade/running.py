"""Runs the code of one notebook and notes, line by line, what its checks said.

This is a process of its own: ``python -m npu_lab.extras.grade.running NOTEBOOK NOTES``.
The cells run in their order in IPython, without Jupyter.  Each line of NOTES is a JSON
list [kind, name, state, message]; it is written as soon as it is known, so what a
notebook has shown before it hangs or dies is not lost.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from npu_lab.extras.grade._texts import text

Note = Callable[[str, str, str, str], None]
EXERCISE, QUESTION = "exercise", "question"
_CHECK = re.compile(r"""\.check\(\s*["'](\w+/\w+)["']""")


def main(arguments: list[str]) -> int:
    """Run a notebook; 0 when its end was reached, whatever its cells did."""
    notebook, notes = map(Path, arguments)
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    with notes.open("a", encoding="utf-8") as file:

        def note(*values: str) -> None:
            file.write(json.dumps(values, ensure_ascii=False) + "\n")
            file.flush()

        run(sources, note)
    return 0


def run(sources: list[str], note: Note) -> None:
    """Run cells; note how each exercise and question in them was answered."""
    from IPython.core.interactiveshell import InteractiveShell

    from npu_lab.lab import record
    from npu_lab.lab.exercises import Feedback

    shell: Any = InteractiveShell.instance()
    for source in sources:
        outcome = shell.run_cell(source, store_history=True)
        feedback = outcome.result
        if isinstance(feedback, Feedback):
            name = feedback.exercise.name
            note(EXERCISE, name, feedback.state.value, feedback.message)
        elif error := outcome.error_before_exec or outcome.error_in_exec:
            told = f"{type(error).__name__}: {error}".partition("\n")[0]
            for name in checked(source):
                note(EXERCISE, name, "wrong", text("cell failed", error=told))
        for name, letter in record.read("questions").items():
            note(QUESTION, name, *_judged(name, letter))


def checked(source: str) -> list[str]:
    """The names of the exercises that a cell checks, also where it is no Python."""
    return _CHECK.findall(source)


def _judged(name: str, letter: Any) -> tuple[str, str]:
    from npu_lab.lab import lessons, questions

    try:
        given = questions.Answer(lessons.find("QUESTIONS", name), str(letter))
        return given.state.value, str(letter)
    except (KeyError, ValueError):  # a progress file that the notebook wrote itself
        return "not attempted", str(letter)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
