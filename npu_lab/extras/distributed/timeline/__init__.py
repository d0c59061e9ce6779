"""The timeline over ranks: their traces on one clock, and who waits for whom.

line = timeline.join(["rank_0.trace.json", "rank_1.trace.json"])
line.table()                    # where the time goes, and the straggler
line.draw()                     # the picture
line.save("ranks.trace.json")   # for Perfetto: `npu-lab trace view`
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npu_lab import files
from npu_lab.extras.distributed.timeline import clocks, reading, steps
from npu_lab.extras.distributed.timeline import document as documents
from npu_lab.extras.distributed.timeline._texts import text
from npu_lab.extras.distributed.timeline.clocks import Clock
from npu_lab.extras.distributed.timeline.reading import RankTrace
from npu_lab.extras.distributed.timeline.steps import Step, Straggler
from npu_lab.trace_files import TraceFileError

if TYPE_CHECKING:
    from npu_lab.lab.tables import Table
    from npu_lab.lab.timeline import TimelinePicture

__all__ = ["RankTimeline", "join", "traces_in"]

NAMED = re.compile(r"rank_(\d+)\.trace\.json")


@dataclass(frozen=True)
class RankTimeline:
    """The traces of all ranks, on one clock; it begins at 0, times are in seconds.

    `steps` are those in which all ranks of a collective have recorded it.
    """

    traces: tuple[RankTrace, ...]
    clocks: tuple[Clock, ...]
    steps: tuple[Step, ...]

    @property
    def straggler(self) -> Straggler | None:
        """The rank that the others wait for, if there is one."""
        return steps.straggler(self.steps)

    @property
    def waits(self) -> tuple[dict[int, float], ...]:
        """For each step how long each rank waited for the last one, seconds."""
        return tuple(
            {rank: share.spent["late"] for rank, share in step.shares.items()}
            for step in self.steps
        )

    def table(self) -> Table:
        """What a step of each rank spends on what, and how often it came last."""
        from npu_lab.extras.distributed.timeline import tables

        return tables.table(self)

    def step_table(self, first: int = 1, count: int | None = None) -> Table:
        """How long each rank waited in each step, from the step `first` on."""
        from npu_lab.extras.distributed.timeline import tables

        return tables.step_table(self, first, count)

    def draw(self, first: int | None = None, count: int = 6) -> TimelinePicture:
        """The picture: `count` steps from `first` on, and the waits of all.

        By default those in the middle, which are past the start.

        Raises:
            ValueError: there is no such step.
        """
        from npu_lab.extras.distributed.timeline import picture

        return picture.draw(self, first, count)

    def document(self) -> dict[str, Any]:
        """The timeline as Chrome-trace JSON, all that the ranks recorded in it."""
        clock = said_of_clocks(self.clocks)
        return documents.document(self.traces, self.steps, clock)

    def save(self, path: Path | str) -> None:
        """Write it as Chrome-trace JSON, which `npu-lab trace view` opens.

        Raises:
            OSError: it cannot be written; nothing has been changed.
        """
        files.replace(Path(path).absolute(), json.dumps(self.document()))


def join(paths: Iterable[Path | str]) -> RankTimeline:
    """Read the traces of all ranks of a job, in the order of the ranks.

    Raises:
        TraceFileError: one of them cannot be read, or they are not of one job.
    """
    read = [reading.read(Path(path)) for path in paths]
    if len(read) < 2:  # noqa: PLR2004  (with one rank there is nobody to wait for)
        raise TraceFileError(text("one trace", count=len(read)))
    moved = clocks.on_one_clock(read)
    found = steps.steps(moved)
    if not found:
        raise TraceFileError(text("no meetings"))
    return RankTimeline(moved, clocks.clocks(read), found)


def traces_in(folder: Path) -> list[Path]:
    """The traces that `npu-lab launch --trace` left in a folder, by rank.

    Raises:
        TraceFileError: there is none of rank 0.
    """
    numbered = {
        int(match[1]): path
        for path in folder.iterdir()
        if (match := NAMED.fullmatch(path.name))
    }
    if 0 not in numbered:
        raise TraceFileError(text("no traces", path=folder))
    return [numbered[rank] for rank in sorted(numbered)]


def said_of_clocks(known: Sequence[Clock]) -> str:
    """What was done about the clocks of several hosts, in the current language."""
    first, *others = known
    if not others:
        return text("one clock")
    from npu_lab.lab.timeline import time_text

    offsets = []
    for clock in others:
        if clock.error is None:
            offsets.append(text("no offset", host=clock.host))
            continue
        sign = "-" if clock.offset < 0 else "+"
        facts = {"offset": sign + time_text(abs(clock.offset))}
        error = time_text(clock.error)
        offsets.append(text("offset", host=clock.host, error=error, **facts))
    return text("several clocks", first=first.host, offsets="; ".join(offsets))
