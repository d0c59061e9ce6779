"""The command `npu-lab launch`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line, files
from npu_lab.command_line import USAGE
from npu_lab.extras.distributed import timeline
from npu_lab.extras.distributed.launcher import plan, shell
from npu_lab.extras.distributed.launcher._texts import text
from npu_lab.extras.distributed.launcher.jobs import Job, Rank
from npu_lab.extras.distributed.launcher.launching import Launch
from npu_lab.extras.distributed.launcher.views import Lines, Screen, View
from npu_lab.trace_files import TraceFileError

LAST_LINES = 20
JOINT = "ranks.trace.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    given = command_line.read(_parser(), arguments)
    if isinstance(given, int):
        return given
    try:
        return _run(given)
    except (ValueError, OSError) as problem:
        _say(problem)
        return USAGE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="npu-lab launch",
        usage="npu-lab launch [--ranks N] [--table FILE] [--folder FOLDER]"
        " [--report FILE] [--trace] [--connect-timeout SECONDS] [--print-commands]"
        " SCRIPT [ARG ...]",
        description=text("launch"),
        epilog=text("statuses"),
    )
    parser.add_argument("--ranks", type=int, metavar="N", help=text("--ranks"))
    parser.add_argument("--table", type=Path, metavar="FILE", help=text("--table"))
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help=text("--folder"))
    parser.add_argument("--report", type=Path, metavar="FILE", help=text("--report"))
    parser.add_argument("--trace", action="store_true", help=text("--trace"))
    parser.add_argument(
        "--connect-timeout",
        type=float,
        metavar="SECONDS",
        help=text("--connect-timeout", least=plan.CONNECT_TIMEOUT),
    )
    parser.add_argument(
        "--print-commands", action="store_true", help=text("--print-commands")
    )
    parser.add_argument("script", type=Path, metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARG")
    return parser


def _run(given: argparse.Namespace) -> int:
    if given.print_commands:
        lines = shell.commands(
            given.script, given.arguments, ranks=given.ranks, table=given.table
        )
        print("\n".join(lines))
        return 0
    if os.name != "posix":
        raise ValueError(text("no posix"))
    report = given.report.absolute() if given.report else None
    if report and not (report.parent.is_dir() and os.access(report.parent, os.W_OK)):
        raise ValueError(text("no folder", path=given.report))
    made = plan.plan(
        given.script,
        given.arguments,
        ranks=given.ranks,
        table=given.table,
        folder=given.folder,
        connect_timeout=given.connect_timeout,
        trace=given.trace,
    )
    _say(text("started", size=made.size, script=given.script, folder=made.folder))
    launch = Launch(made, _view(), _failed)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda number, _: launch.interrupt(number))
    job = launch.run()
    print(job.table(), file=sys.stderr)
    if job.first_failure is None or job.interrupted:
        _say(job.message)
    if given.trace:
        _join(job)
    if report:
        try:
            files.replace(report, json.dumps(job.as_dict(), indent=2) + "\n")
        except OSError as problem:
            _say(text("not written", problem=problem))
            return job.status or 1
    return job.status


def _join(job: Job) -> None:
    """Put the traces of all ranks on one clock, and say who waited for whom."""
    traces = [rank.trace for rank in job.ranks if rank.trace is not None]
    if len(traces) < max(2, len(job.ranks)):
        return
    joint = job.folder / JOINT
    try:
        line = timeline.join(traces)
        line.save(joint)
    except (TraceFileError, OSError) as problem:
        _say(problem)
        return
    print(line.table(), file=sys.stderr)
    _say(text("joint", path=joint))


def _view() -> View:
    both = sys.stdout.isatty() and sys.stderr.isatty()
    if both and os.environ.get("TERM", "dumb") != "dumb":
        return Screen(sys.stderr)
    return Lines(lambda line: print(line, flush=True))


def _failed(rank: Rank, message: str) -> None:
    """Say at once which rank failed first, and show the end of its log."""
    _say(message)
    _say(text("end of log", path=rank.log))
    for line in rank.last_lines(LAST_LINES):
        print(f"[rank {rank.rank}] {line}", file=sys.stderr)
    sys.stderr.flush()


def _say(said: object) -> None:
    for line in str(said).splitlines():
        print(f"npu-lab: {line}", file=sys.stderr, flush=True)
