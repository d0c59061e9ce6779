"""A learner's copy of a training script, and what is done with it."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from npu_lab import files, language
from npu_lab.extras.capstone import bundled, receipt, running, stages
from npu_lab.extras.capstone._texts import text
from npu_lab.extras.capstone.running import Ran
from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options

NAME = "train.py"
ABOUT = "capstone.json"


class Project:
    """A script in a folder of the learner's; `begin` makes it.

    Attributes:
        name: the bundled script, or the path of an own one.
        folder: holds `train.py`, which is the learner's to change, `before.py`, whose
            numbers count, and what runs leave.
        steps: training steps of the script.
        runs: the folder where runs are kept; a version is run once.
    """

    def __init__(self, name: str, folder: Path, steps: int) -> None:
        self.name, self.folder, self.steps = name, folder, steps
        self.runs = folder / "runs"

    @property
    def path(self) -> Path:
        """The learner's script."""
        return self.folder / NAME

    @property
    def script(self) -> str:
        """Its text, as it is now.

        Raises:
            OSError, UnicodeDecodeError: it cannot be read.
        """
        return self.path.read_text("utf-8")

    @property
    def before(self) -> str:
        """The script before anything was moved."""
        return (self.folder / "before.py").read_text("utf-8")

    @property
    def diff(self) -> str:
        """What has become of the script, as a unified diff."""
        old, new = (one.splitlines(True) for one in (self.before, self.script))
        return "".join(difflib.unified_diff(old, new, "before.py", NAME, n=1))

    def migrate(self) -> list[str]:
        """Let the migration tool do its part; return the rules it applied."""
        done = migrate(self.script, Options(), NAME)
        files.replace(self.path, done.text)
        return sorted({one.rule for one in done.findings if one.level == "changed"})

    def edit(self, edits: Any) -> str:
        """Replace pieces of the script; return what was done.

        Args:
            edits: pieces of its text, each there once, and what they become. What is
                not filled in yet edits nothing. One that was done before is left out.

        Raises:
            ValueError: a piece is not there, or more than once; nothing was changed.
        """
        if not isinstance(edits, Mapping):
            return text("no edits")
        script, count = self.script, 0
        for piece, mended in edits.items():
            found = script.count(piece)
            if not found and mended in script:
                continue
            if found != 1:
                key = "more than one" if found else "not there"
                raise ValueError(text(key, piece=piece, count=found))
            script, count = script.replace(piece, mended), count + 1
        files.replace(self.path, script)
        return text("edited", count=count)

    def run_before(self) -> Ran:
        """The run of the script as it was, on the host."""
        return running.run(self.before, self.runs)

    def run(self) -> Ran:
        """The run of the script as it is now."""
        return running.run(self.script, self.runs)

    def standing(self) -> stages.Standing:
        """Check stage after stage, up to the first that is not passed."""
        return stages.standing(self)

    def receipt(self) -> receipt.Receipt:
        """The receipt, once all stages are passed; until then, what is missing."""
        return receipt.make(self, self.standing())

    def __str__(self) -> str:
        known = bundled.SCRIPTS.get(self.name)
        title = known.title[language.current()] if known else text("own")
        return text("begun", path=self.path.name, title=title, steps=self.steps)

    __repr__ = __str__


def begin(
    script: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    steps: int = bundled.STEPS,
) -> Project:
    """Begin, or go on with what is there: nothing of the learner's is overwritten.

    Args:
        script: the name of a bundled script, or the path of an own one. It has a
            function ``network(images)`` that makes the scores of the classes, named
            ``logits``, from float32 images [n, 784], and saves a checkpoint.
        folder: where the copy goes.
        steps: training steps of an own script.

    Raises:
        ValueError: no such script; `steps` is no number of steps; another script's
            project is in the folder.
        OSError: the folder cannot be written.
    """
    name, place = os.fspath(script), Path(folder)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(text("bad steps", given=repr(steps)))
    if name in bundled.SCRIPTS:
        steps = bundled.STEPS
        given, first = bundled.before(name), bundled.text_of(name)
    elif Path(name).is_file():
        given = first = Path(name).read_text("utf-8")
    else:
        names = ", ".join(bundled.SCRIPTS)
        raise ValueError(text("unknown", name=name, names=names))
    about = place / ABOUT
    if about.exists():
        there = json.loads(about.read_text("utf-8"))["name"]
        if there != name:
            raise ValueError(text("another", folder=place, there=there))
        return Project(name, place, steps)
    place.mkdir(parents=True, exist_ok=True)
    files.replace(place / "before.py", given)
    if not (place / NAME).exists():
        files.replace(place / NAME, first)
    files.replace(about, json.dumps({"name": name, "steps": steps}))
    return Project(name, place, steps)
