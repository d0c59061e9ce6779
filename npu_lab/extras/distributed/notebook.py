"""Ranks started from a notebook, and what is shown of them."""

from __future__ import annotations

import atexit
import itertools
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npu_lab.extras.distributed._notebook_texts import say
from npu_lab.extras.distributed.launcher import Job, Rank, launch
from npu_lab.extras.distributed.timeline import RankTimeline, join
from npu_lab.lab import pages
from npu_lab.lab.tables import Table
from npu_lab.plan import calls

SAYS = "rank "  # how a line of a script begins that is worth showing
LAST_LINES = 15
PATIENCE = 60.0  # seconds that ranks wait for each other: the kernel runs beside them
MARK = ".npu_lab"  # in folders that may be thrown away


@dataclass(frozen=True)
class Ran(pages.Shown):
    """A job that has ended: how, what each rank counted, and what it printed."""

    job: Job

    @property
    def said(self) -> list[str]:
        """The lines of the ranks that begin with ``rank``, in the ranks' order."""
        return [
            line
            for rank in self.job.ranks
            for line in _lines(rank)
            if line.startswith(SAYS)
        ]

    @property
    def calls(self) -> list[int]:
        """The training calls of each rank."""
        return [rank.calls for rank in self.job.ranks]

    def values(self, word: str) -> list[Any]:
        """The numbers that each rank printed behind a word, as an array.

        Raises:
            KeyError: a rank printed no such line.
        """
        found = []
        for rank in self.job.ranks:
            head = f"{SAYS}{rank.rank} {word} "
            lines = [line for line in _lines(rank) if line.startswith(head)]
            if not lines:
                raise KeyError(say("not printed", rank=rank.rank, word=word))
            found.append(np.array([float(n) for n in lines[-1][len(head) :].split()]))
        return found

    @property
    def timeline(self) -> RankTimeline:
        """All ranks on one clock; they must have been started with `trace=True`.

        Raises:
            ValueError: a rank has recorded nothing, or the ranks never met.
        """
        traces = []
        for rank in self.job.ranks:
            if rank.trace is None:
                raise ValueError(say("not traced", rank=rank.rank))
            traces.append(rank.trace)
        return join(traces)

    @property
    def table(self) -> Table:
        """A row for each rank."""
        header = ("rank", "ended", "calls", "steps", "batches", "loop")
        rows = [
            (
                str(rank.rank),
                rank.how,
                str(rank.calls),
                str(rank.steps),
                str((rank.report or {}).get("batches_pulled", "-")),
                _loop(rank),
            )
            for rank in self.job.ranks
        ]
        caption = say("counted" if self._told else "counted alone")
        return Table(caption, tuple(map(say, header)), tuple(rows))

    @property
    def _told(self) -> list[str]:
        """What is shown under the table: what was printed, or why the job failed."""
        failed = self.job.first_failure
        if failed is None:
            return self.said
        head = say("end of log", rank=failed.rank)
        message = self.job.message.splitlines()
        return [*self.said, *message, head, *failed.last_lines(LAST_LINES)]

    def __str__(self) -> str:
        return "\n".join([str(self.table), *self._told])

    @property
    def html(self) -> pages.Html:
        """The table, and the printed lines."""
        lines = "\n".join(self._told)
        if not lines:
            return self.table.html
        return pages.join([self.table.html, pages.fill("log", lines=lines, caption="")])


def run_ranks(
    script: Path | str, *arguments: object, ranks: int = 2, **options: Any
) -> Ran:
    """Start a script as so many ranks on this computer, and wait for all of them.

    Args:
        script: what each rank runs.
        arguments: what it gets in its command line.
        ranks: how many processes there are.
        options: of `launch`. By default logs go into a new folder beside the script.

    Raises:
        ValueError, OSError: as `launch`.
        KeyboardInterrupt: the kernel was interrupted; the ranks have been ended.
    """
    place = Path(script).absolute()
    numbered = (place.with_name(f"{place.stem}_{n}") for n in itertools.count(1))
    folder = next(one for one in numbered if not one.exists())
    return Ran(
        launch(place, arguments, **{"ranks": ranks, "folder": folder, **options})
    )


def call_table(
    runs: Mapping[int, Ran], steps: int, guess: Mapping[int, float] | None = None
) -> Table:
    """The training calls of a job at each N: predicted, planned, and counted.

    Args:
        runs: the job at each N.
        steps: how many each rank trains.
        guess: what was predicted for all ranks together, by N.
    """
    size = max(len(run.calls) for run in runs.values())
    header = [
        "N",
        say("predicted"),
        say("planned"),
        *(f"{say('rank')} {rank}" for rank in range(size)),
        say("all"),
    ]
    rows = []
    for n, run in runs.items():
        planned = size * calls(steps, n)
        told = "-" if not guess or n not in guess else f"{guess[n]:g}"
        counted = [*run.calls, sum(run.calls)]
        rows.append((str(n), told, str(planned), *map(str, counted)))
    caption = say("calls caption", steps=steps, ranks=size)
    return Table(caption, tuple(header), tuple(rows))


def fresh_folder(name: str) -> Path:
    """An empty folder beside the notebook, which goes when the kernel ends.

    What an earlier call has left in it goes as well.

    Raises:
        FileExistsError: there is one that is somebody else's.
    """
    folder = Path(name).absolute()
    if (folder / MARK).exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    (folder / ".gitignore").write_text("*\n", "utf-8")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lines(rank: Rank) -> Sequence[str]:
    try:
        return rank.log.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ()


def _loop(rank: Rank) -> str:
    """What is said of the loop that was run last."""
    if not rank.loops:
        return "-"
    return say("in effect" if rank.loops[-1]["in_effect"] else "not in effect")
