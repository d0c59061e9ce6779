"""Starts the ranks, watches them, and ends them all at the first failure."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from npu_lab import files
from npu_lab.extras.distributed.launcher import jobs, plan, progress, views
from npu_lab.extras.distributed.launcher._texts import text
from npu_lab.extras.distributed.launcher.jobs import Job, Rank
from npu_lab.extras.distributed.launcher.plan import Plan
from npu_lab.extras.distributed.launcher.processes import Group, Process
from npu_lab.extras.distributed.launcher.progress import Progress, Stage
from npu_lab.extras.distributed.launcher.views import Tail, View

ENTRY = "npu_lab.extras.distributed.launcher.rank"
LOOK = 0.1  # seconds between two looks at the ranks
LINGER = 3.0  # seconds that a script which failed has to end its process
ALONE = 1.0  # seconds that ranks wait for one that has ended without them
BEHIND = 1.0  # seconds after which a rank has fallen silent
LADDER = ((signal.SIGINT, 2.0), (signal.SIGTERM, 1.0))  # then SIGKILL


def launch(
    script: str | os.PathLike[str],
    arguments: Sequence[object] = (),
    *,
    ranks: int | None = None,
    table: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    connect_timeout: float | None = None,
    trace: bool = False,
    say: Callable[[str], object] | None = None,
) -> Job:
    """Run a script as the ranks of one job on this computer, and wait for them.

    Each is a process that does what `npu-lab run` does.  When one fails, the others are
    ended; when this process ends, however, so do all.

    Args:
        script: what each rank runs.
        arguments: what it gets in its command line.
        ranks: how many there are; by default as many as `table` lists.
        table: a rank table; by default RANK_TABLE_FILE, or one is written.
        folder: for logs and reports; by default a new temporary one.
        connect_timeout: seconds that a rank waits for the others to start; by default
            HCCL_CONNECT_TIMEOUT, or 5, with more than two ranks 2 for each.
        trace: whether each rank records its timeline.
        say: is called with each line of each rank, as it comes.

    Raises:
        ValueError: an argument, a variable of the environment or the table is wrong.
        OSError: a port is taken, or the folder cannot be written.
        KeyboardInterrupt: as the user wished; all ranks have been ended.
    """
    made = plan.plan(
        script,
        arguments,
        ranks=ranks,
        table=table,
        folder=folder,
        connect_timeout=connect_timeout,
        trace=trace,
    )
    job = Launch(made, views.view(say)).run()
    if job.interrupted == signal.SIGINT:
        raise KeyboardInterrupt
    return job


class Launch:
    """One job while it runs.

    `failed` is called, at once, with the rank that failed first and the message.
    """

    def __init__(
        self,
        plan: Plan,
        view: View,
        failed: Callable[[Rank, str], object] | None = None,
    ) -> None:
        self.plan, self.view, self._failed = plan, view, failed
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._processes: list[Process] = []
        self._tails = [Tail(plan.log(rank)) for rank in range(plan.size)]
        self._interrupted: int | None = None
        self._begun = time.monotonic()

    def interrupt(self, number: int) -> None:
        """End the job, as if this signal had come; for a signal handler."""
        self._interrupted = number
        self._news.put(None)

    def run(self) -> Job:
        """Start all ranks; return when they have ended."""
        group = Group(lambda: self._news.put(None))
        first: int | None = None
        message = ""
        try:
            try:
                self._start(group)
                first = self._watch()
            except KeyboardInterrupt:
                self._interrupted = signal.SIGINT
            self.view.close()
            if first is not None:
                failed = self._rank(first)
                message = self._message(failed)
                if self._failed is not None:
                    self._failed(failed, message)
            with suppress(KeyboardInterrupt):  # a second one waits for nobody
                self._end()
        finally:
            group.kill()
        return self._job(first, message)

    def _start(self, group: Group) -> None:
        for rank in range(self.plan.size):
            progress.create(self.plan.progress(rank))
            # Modules that lie in the working folder are not meant for these imports.
            command = [sys.executable, "-P", "-m", ENTRY]
            command += ["--report", str(self.plan.report(rank))]
            trace = self.plan.trace_file(rank)
            if trace is not None:
                command += ["--trace", str(trace)]
            command += [str(self.plan.script), *self.plan.arguments]
            environ = {
                "ASCEND_PROCESS_LOG_PATH": str(self.plan.host_log(rank)),
                **os.environ,
                **self.plan.common,
                **self.plan.own(rank),
                progress.VARIABLE: str(self.plan.progress(rank)),
            }
            self._processes.append(group.start(command, environ, self.plan.log(rank)))

    def _watch(self) -> int | None:
        """Wait until all have ended, or one has failed: which one first."""
        while self._interrupted is None:
            with suppress(queue.Empty):
                self._news.get(timeout=LOOK)
            over = all(process.ended is not None for process in self._processes)
            told = [self._told(rank) for rank in range(len(self._processes))]
            failures = self._failures(told)
            if failures:
                moment, rank = min(failures)
                ended = self._processes[rank].ended is not None
                if ended or time.monotonic() - moment > LINGER:
                    return rank
                continue  # what failed is to be shown first
            self._show(told)
            left = self._alone(told)
            if over or left is not None:
                return left
        return None

    def _show(self, told: Sequence[Progress]) -> None:
        ended = [process.ended is not None for process in self._processes]
        self.view.update(list(zip(told, ended, self._tails, strict=True)))

    def _told(self, rank: int) -> Progress:
        try:
            return progress.read(self.plan.progress(rank))
        except OSError:
            return Progress()

    def _failures(self, told: Sequence[Progress]) -> list[tuple[float, int]]:
        """When each rank failed that did: its script, or the process without that."""
        found = []
        for rank, process in enumerate(self._processes):
            if told[rank].stage == Stage.ENDED and told[rank].status:
                found.append((told[rank].since, rank))
            elif process.status:
                found.append((process.ended or 0.0, rank))
        return found

    def _alone(self, told: Sequence[Progress]) -> int | None:
        """A rank that has ended without the others, which wait for it."""
        waiting = [known.since for known in told if known.stage == Stage.WAITING]
        if not waiting or time.monotonic() - min(waiting) < ALONE:
            return None
        for rank, process in enumerate(self._processes):
            if process.status == 0 and told[rank].joined < Stage.WAITING:
                return rank
        return None

    def _end(self) -> None:
        """Ask the ranks that still run to end, ever more firmly."""
        for number, limit in LADDER:
            for rank, process in enumerate(self._processes):
                if self._told(rank).stage != Stage.ENDED:
                    process.tell(number)
            until = time.monotonic() + limit
            while any(p.ended is None for p in self._processes):
                left = until - time.monotonic()
                if left <= 0:
                    break
                with suppress(queue.Empty):
                    self._news.get(timeout=min(LOOK, left))

    def _rank(self, number: int) -> Rank:
        """What became of a rank."""
        process: Process | None = None
        if number < len(self._processes):
            process = self._processes[number]
        known = self._told(number)
        status = None if process is None else process.status
        stopped = process is not None and bool(process.told)
        if known.stage == Stage.ENDED:
            status = known.status or status
        trace = self.plan.trace_file(number)
        report = jobs.read_report(self.plan.report(number))
        return Rank(
            rank=number,
            status=status,
            stopped=stopped and status != 0,
            steps=known.steps,
            calls=known.calls,
            report=report,
            log=self.plan.log(number),
            trace=trace if trace is not None and trace.exists() else None,
        )

    def _message(self, failed: Rank) -> str:
        """What is said of the rank that failed first, and of the others then."""
        facts = {"rank": failed.rank, "where": failed.where, "what": failed.what}
        sentences = [text("failed", **facts)]
        now = time.monotonic()
        for number, process in enumerate(self._processes):
            if number == failed.rank:
                continue
            other, known = self._rank(number), self._told(number)
            facts = {"rank": number, "where": other.where}
            silent = now - known.since
            if process.status == 0 and known.status == 0:
                sentences.append(text("then ended", status=0, **facts))
            elif process.ended is None and silent > BEHIND and failed.waited:
                sentences.append(text("then behind", seconds=silent, **facts))
        return "\n".join(sentences)

    def _job(self, first: int | None, message: str) -> Job:
        ranks = tuple(self._rank(number) for number in range(self.plan.size))
        for rank in ranks:
            self._note_stop(rank)
        seconds = time.monotonic() - self._begun
        for number in range(self.plan.size):
            self.plan.progress(number).unlink(missing_ok=True)
        if self._interrupted is not None:
            name = jobs.name_of(self._interrupted)
            message = text("interrupted", name=name, seconds=seconds)
        elif first is None:
            message = text("well", size=self.plan.size, seconds=seconds)
        failed = None if first is None else ranks[first]
        return Job(ranks, failed, self._interrupted, message, seconds, self.plan.folder)

    def _note_stop(self, rank: Rank) -> None:
        """Say it in the report of a rank that could not, as it was ended meanwhile."""
        if rank.stopped and rank.report is not None and rank.report["exit"] == "ok":
            rank.report["exit"] = "error"
            rank.report["error"] = {"type": "Stopped", "message": text("by launcher")}
            written = json.dumps(rank.report, indent=2) + "\n"
            files.replace(self.plan.report(rank.rank), written)
