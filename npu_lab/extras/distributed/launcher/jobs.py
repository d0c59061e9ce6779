"""A job that has ended: what became of each rank, and of all together."""

from __future__ import annotations

import json
import signal
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab.extras.distributed.launcher._texts import text

PEER = "Aborted Cancelled DeadlineExceeded Internal Unavailable Timeout"
LONGEST = 500  # characters of an error's first line
COUNTED = ("training_calls", "session_runs", "batches_pulled")


@dataclass(frozen=True)
class Rank:
    """One rank that has ended.

    `status` is the process's, minus the number of the signal where one ended it, and
    None where it was not started; `stopped` says that the launcher ended it.  `steps`
    and `calls` are the training steps and calls that it told while it ran.  `report` is
    that of `npu-lab run --report`, None where the process could write none.  `log` has
    all that it printed, `trace` its timeline, if one was written.
    """

    rank: int
    status: int | None
    stopped: bool
    steps: int
    calls: int
    report: dict[str, Any] | None
    log: Path
    trace: Path | None

    @property
    def loops(self) -> Sequence[Mapping[str, Any]]:
        """The verdicts on its loops."""
        return (self.report or {}).get("loops") or ()

    @property
    def error(self) -> str | None:
        """The error that ended its script, as Python would show it."""
        found = (self.report or {}).get("error")
        if not found:
            return None
        return f"{found['type']}: {found['message']}".removesuffix(": ")

    @property
    def waited(self) -> bool:
        """Whether its error can be that it waited for another rank in vain."""
        kinds = tuple(f"{kind}Error" for kind in PEER.split())
        return (self.error or "").startswith(kinds)

    @property
    def where(self) -> str:
        """After which step."""
        if not self.steps:
            return text("before")
        key = "after" if self.report else "after that it told"
        return text(key, steps=self.steps, calls=self.calls)

    @property
    def how(self) -> str:
        """How it ended, in a word or two."""
        if self.stopped:
            return text("stopped")
        if self.status is None:
            return text("never started")
        if self.status < 0:
            return text("signal", name=name_of(-self.status))
        return text("status", status=self.status) if self.status else text("ok")

    @property
    def what(self) -> str:
        """What went wrong."""
        status = self.status or 0
        if status < 0:
            key = "killed 9" if status == -signal.SIGKILL else "killed"
            return text(key, name=name_of(-status))
        if self.error and self.error != f"SystemExit: {status}":
            return self.error.strip().splitlines()[0][:LONGEST]
        if not status:
            return text("left", status=0)
        said = text("with status", status=status)
        if self.report is None and (last := self.last_lines(1)):
            return text("last line", said=said, line=last[0][:LONGEST])
        return said

    @property
    def loop(self) -> str:
        """Whether the loop that it ran last is in effect, and its N."""
        if not self.loops:
            return "-"
        last = self.loops[-1]
        n = last["iterations_per_loop"]
        return text("in effect" if last["in_effect"] else "not in effect", n=n)

    def last_lines(self, count: int) -> list[str]:
        """The end of its log."""
        try:
            lines = self.log.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return []
        return [line for line in lines if line.strip()][-count:]


@dataclass(frozen=True)
class Job:
    """All ranks, when they have ended.

    `first_failure` is the rank that failed first, `interrupted` the signal that ended
    the job from outside, `message` says in a sentence or two what happened.
    """

    ranks: tuple[Rank, ...]
    first_failure: Rank | None
    interrupted: int | None
    message: str
    seconds: float
    folder: Path

    @property
    def status(self) -> int:
        """The exit status for a shell: 0 where all ended well."""
        if self.interrupted:
            return 128 + self.interrupted
        if self.first_failure is None:
            return 0
        status = self.first_failure.status or 1
        return status if status > 0 else 128 - status

    @property
    def ok(self) -> bool:
        """Whether all ranks ended well."""
        return not self.status

    def table(self) -> str:
        """A row for each rank and one for the job, as text."""
        heads = ("rank", "ended", "steps", "calls", "runs", "batches", "loop")
        rows = [tuple(map(text, heads))]
        for rank in self.ranks:
            counted = rank.report or {}
            rows.append(
                (
                    str(rank.rank),
                    rank.how,
                    str(rank.steps),
                    str(rank.calls),
                    str(counted.get("session_runs", "-")),
                    str(counted.get("batches_pulled", "-")),
                    rank.loop,
                )
            )
        rows.append(self._total())
        return _columns(rows)

    def _total(self) -> tuple[str, ...]:
        """What the ranks have done together; their steps are the same ones."""
        steps = {rank.steps for rank in self.ranks}
        loops = {rank.loop for rank in self.ranks if rank.loops}
        told = [rank.report or {} for rank in self.ranks]
        return (
            text("job"),
            text("ok") if self.ok else text("status", status=self.status),
            "-".join(str(n) for n in sorted({min(steps), max(steps)})),
            str(sum(rank.calls for rank in self.ranks)),
            str(sum(report.get("session_runs", 0) for report in told)),
            str(sum(report.get("batches_pulled", 0) for report in told)),
            "; ".join(sorted(loops)) or "-",
        )

    def __str__(self) -> str:
        return f"{self.table()}\n{self.message}"

    def as_dict(self) -> dict[str, Any]:
        """The report of the job, as JSON has it; the format is a stable interface."""
        totals = {
            name: sum((rank.report or {}).get(name, 0) for rank in self.ranks)
            for name in COUNTED
        }
        first = self.first_failure
        return {
            "exit": "ok" if self.ok else "error",
            "status": self.status,
            "message": self.message,
            "first_failure": None if first is None else first.rank,
            "seconds": round(self.seconds, 3),
            "totals": totals,
            "ranks": [
                {
                    "rank": rank.rank,
                    "status": rank.status,
                    "stopped": rank.stopped,
                    "steps": rank.steps,
                    "calls": rank.calls,
                    "error": rank.error,
                    "log": str(rank.log),
                    "trace": None if rank.trace is None else str(rank.trace),
                    "report": rank.report,
                }
                for rank in self.ranks
            ],
        }


def name_of(number: int) -> str:
    """The name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def read_report(path: Path) -> dict[str, Any] | None:
    """The report that a rank has written, or None."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def width(line: str) -> int:
    """How many columns a terminal takes for it."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in line)
    return len(line) + wide


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell + " " * (wanted - width(cell))
            for cell, wanted in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )
