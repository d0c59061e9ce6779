"""The grade of each notebook in a folder."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab import lesson
from npu_lab.extras.grade._texts import text
from npu_lab.extras.grade.running import EXERCISE, QUESTION
from npu_lab.language import VARIABLE, current

NOT_ATTEMPTED = "not attempted"
# What a learner's code must not find, or what would send its traces elsewhere.
LEFT_OUT = ("ASCEND_", "RANK_", "NPU_LAB_", "JPY_", "PYTHONPATH")


@dataclass(frozen=True)
class Row:
    """How one exercise or question of one notebook was answered.

    `state` is ``right``, ``wrong`` or ``not attempted``; `message` is what the learner
    is told, of a question the letter chosen.
    """

    learner: str
    notebook: str
    lesson: str
    kind: str
    name: str
    state: str
    message: str


@dataclass(frozen=True)
class Graded:
    """A notebook with its rows; `trouble` says what kept it from being run whole."""

    path: Path
    rows: tuple[Row, ...]
    trouble: str = ""


def notebooks(folder: Path) -> list[Path]:
    """The notebooks in a folder and below, without Jupyter's own copies."""
    found = folder.rglob("*.ipynb")
    return sorted(
        path
        for path in found
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def grade(folder: Path, seconds: float) -> Iterator[Graded]:
    """Grade the notebooks of a folder, one after the other."""
    for path in notebooks(folder):
        yield _grade(path, path.relative_to(folder), seconds)


def _grade(path: Path, shown: Path, seconds: float) -> Graded:
    try:
        cells = _cells(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Graded(path, (), text("not a notebook", reason=error))
    name = _lesson_of(path, cells)
    if name is None:
        return Graded(path, (), text("no lesson"))
    notes, trouble = _run(path, seconds)
    learner = shown.parts[0] if len(shown.parts) > 1 else ""
    rows = [
        Row(learner, str(shown), name, kind, one, *notes.get((kind, one), untouched))
        for kind, one, untouched in _asked(name, reached=not trouble)
    ]
    return Graded(path, tuple(rows), trouble)


def _cells(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell in cells:
        "".join(cell["source"])
        cell["cell_type"] + cell.get("id", "")
    return list(cells)


def _lesson_of(path: Path, cells: list[dict[str, Any]]) -> str | None:
    """The lesson that the file is named after, else the one most cells are of."""
    for name in sorted(lesson.names(), key=len, reverse=True):
        if path.stem.startswith(name):
            return name
    there = {cell.get("id") for cell in cells}
    shared = {
        name: len(there & {cell.name for cell in lesson.read(name) if cell.is_code})
        for name in lesson.names()
    }
    best = max(shared, key=lambda name: shared[name])
    # Some cells, such as `setup`, have the same name in all.
    return best if shared[best] > len(there) / 2 else None


def _asked(name: str, *, reached: bool) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """What the lesson asks: kind, name, and what is noted where there is no answer."""
    from npu_lab.lab import lessons

    module = lessons.of(name.partition("_")[0])
    untouched = NOT_ATTEMPTED, "" if reached else text("not reached")
    for kind, table in ((EXERCISE, "EXERCISES"), (QUESTION, "QUESTIONS")):
        for one in getattr(module, table, ()):
            yield kind, one.name, untouched


def _run(
    path: Path, seconds: float
) -> tuple[dict[tuple[str, str], tuple[str, str]], str]:
    """What a notebook's checks said, and what went wrong with it, if anything."""
    trouble = ""
    with tempfile.TemporaryDirectory(prefix="npu_lab_grade_") as scratch:
        notes = Path(scratch, "notes")
        notes.touch()
        work = Path(scratch, "work")
        work.mkdir()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "npu_lab.extras.grade.running",
                path.resolve(),
                notes,
            ],
            cwd=work,
            env=_environment(work),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            if status := process.wait(seconds):
                trouble = text("died", status=status)
        except subprocess.TimeoutExpired:
            trouble = text("too long", seconds=seconds)
        finally:
            _end(process)
        lines = [json.loads(line) for line in notes.read_text("utf-8").splitlines()]
    return {(kind, name): (state, told) for kind, name, state, told in lines}, trouble


def _environment(work: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LEFT_OUT)}
    root = str(Path(__file__).resolve().parents[3])
    ours = {"HOME": str(work), "XDG_DATA_HOME": str(work / "data"), "PYTHONPATH": root}
    return kept | ours | {"MPLBACKEND": "Agg", VARIABLE: current()}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a notebook's process and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
