"""The lessons as notebooks in a folder of the learner's."""

from __future__ import annotations

from pathlib import Path

import nbformat

from npu_lab import files, lesson
from npu_lab.lab import notebooks
from npu_lab.language import COURSE_FOLDER, LANGUAGES, Language


def place(folder: Path, language: Language) -> Path:
    """Where the lessons of a language lie, from which the lab knows the language."""
    course = folder / COURSE_FOLDER
    return course / "zh" if language == "zh" else course


def copy(folder: Path) -> tuple[list[Path], list[Path]]:
    """Write index and lessons in both languages, without outputs.

    Returns:
        The notebooks written, and those that were there and have been kept.

    Raises:
        OSError: one cannot be written; those before it have been.
    """
    written, kept = list[Path](), list[Path]()
    for language in LANGUAGES:
        there = place(folder, language)
        there.mkdir(parents=True, exist_ok=True)
        for name in [*lesson.pages(), *lesson.names()]:
            target = there / f"{name}.ipynb"
            if target.exists():
                kept.append(target)
                continue
            made = notebooks.clean(lesson.read(name), language)
            files.replace(target, nbformat.writes(made) + "\n")
            written.append(target)
    return written, kept
