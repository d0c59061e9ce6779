"""The clean notebook of a lesson, and how a learner gets it back."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from npu_lab import files, lesson
from npu_lab.lab import record
from npu_lab.lab._texts import say
from npu_lab.language import Language, current

METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def clean(cells: Sequence[lesson.Cell], language: Language) -> Any:
    """The notebook of a lesson in one language, without outputs."""
    from nbformat import v4

    made = []
    for cell in cells:
        new = v4.new_code_cell if cell.is_code else v4.new_markdown_cell
        made.append(new(cell.source[language], id=cell.name))  # type: ignore[no-untyped-call]
        if cell.tags:
            made[-1].metadata["tags"] = list(cell.tags)
    return v4.new_notebook(cells=made, metadata=METADATA, nbformat_minor=5)


def reset(name: str = "") -> str:
    """Bring the lesson `name` back as the course has it, and clear its progress.

    Its number, such as ``05b``, is enough, or a beginning that no other lesson has.

    The notebook is written into the current folder, which in Jupyter is that of the
    running notebook; one that was there is kept beside it. The text says what was done.

    Raises:
        KeyError: `name` is not that of one lesson; the text lists those there are.
        OSError: the notebook or its copy cannot be written; nothing has been changed.
    """
    import nbformat

    known = lesson.names()
    found = [one for one in known if str(name) in {one, one.partition("_")[0]}]
    found = found or [one for one in known if name and one.startswith(str(name))]
    if len(found) != 1:
        raise KeyError(say("no lesson", name=name, names=", ".join(known)))
    (name,) = found
    fresh = clean(lesson.read(name), current())
    text = nbformat.writes(fresh)
    target = Path.cwd() / f"{name}.ipynb"
    told = say("reset new", path=target.name)
    if target.is_file():
        now = datetime.now().astimezone()
        backup = target.with_name(f"{target.name}.{now:%Y%m%d-%H%M%S}.bak")
        shutil.copyfile(target, backup)
        told = say("reset", path=target.name, backup=backup.name)
    files.replace(target, text)
    return f"{told} {say('forgotten', count=record.forget(name.partition('_')[0]))}"
