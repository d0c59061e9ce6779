"""What the learner has done, in one small file that may be deleted at any time.

It is `npu_lab/progress.json` in `XDG_DATA_HOME` (by default ``~/.local/share``). Where
it cannot be written, what would be in it lasts as long as the kernel: no cell fails.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from npu_lab import files, lesson
from npu_lab.lab._texts import say
from npu_lab.lab.tables import Table

Notes = dict[str, dict[str, Any]]
"""By kind (``exercises``, ``questions``, ``predictions``) a value for each name."""

# What could not be written, by the path of its file.
_unwritten: dict[Path, Notes] = {}


def path() -> Path:
    """The file that holds the progress; it need not exist."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if Path(home).is_absolute() else Path("~/.local/share")
    # Without a home the "~" stays, and nothing can be written.
    with contextlib.suppress(RuntimeError):
        base = base.expanduser()
    return base / "npu_lab" / "progress.json"


def read(kind: str) -> dict[str, Any]:
    """All that is noted of one kind; empty where the file is missing or damaged."""
    return dict(_notes().get(kind, {}))


def note(kind: str, name: str, value: Any) -> None:
    """Note a value under a name such as ``01/curve``; None removes it.

    What was noted last is the last in the file.
    """
    notes = _notes()
    of_kind = notes.setdefault(kind, {})
    before = of_kind.pop(name, None)
    if value is not None:
        of_kind[name] = value
    if value is not None or before is not None:
        _write(notes)


def forget(key: str) -> int:
    """Remove all notes of the lesson with this key (``01``); how many there were."""
    notes, removed = _notes(), 0
    for of_kind in notes.values():
        for name in [name for name in of_kind if name.partition("/")[0] == key]:
            del of_kind[name]
            removed += 1
    if removed:
        _write(notes)
    return removed


def progress() -> Table:
    """A row for each lesson: exercises right, questions answered, predictions made."""
    from npu_lab.lab import lessons

    right = {n for n, state in read("exercises").items() if state == "right"}
    done = {"EXERCISES": right, "QUESTIONS": set(read("questions"))}
    rows = []
    for name in lesson.names():
        key = name.partition("_")[0]
        cells = [name]
        for kind, names in done.items():
            there = {one.name for one in getattr(lessons.of(key), kind, ())}
            cells.append(f"{len(names & there)}/{len(there)}")
        predicted = [one for one in read("predictions") if one.startswith(f"{key}/")]
        rows.append((*cells, str(len(predicted))))
    heads = ("lesson", "exercises", "questions", "predictions")
    header = tuple(say(head) for head in heads)
    return Table(say("progress file", path=path()), header, tuple(rows))


def _notes() -> Notes:
    place = path()
    if place in _unwritten:
        return _unwritten[place]
    try:
        stored = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {kind: of for kind, of in stored.items() if isinstance(of, dict)}


def _write(notes: Notes) -> None:
    place = path()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        files.replace(place, json.dumps(notes, indent=1, ensure_ascii=False))
    except OSError:
        _unwritten[place] = notes
    else:
        _unwritten.pop(place, None)
