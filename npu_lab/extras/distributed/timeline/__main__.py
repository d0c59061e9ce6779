"""The command `python -m npu_lab.extras.distributed.timeline TRACE...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line, files
from npu_lab.command_line import USAGE
from npu_lab.extras.distributed.timeline import join, traces_in
from npu_lab.extras.distributed.timeline._texts import text
from npu_lab.trace_files import TraceFileError


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m npu_lab.extras.distributed.timeline", description=text("about")
    )
    add = parser.add_argument
    add("traces", nargs="+", type=Path, metavar="TRACE", help=text("TRACE"))
    add("-o", "--output", type=Path, metavar="FILE", help=text("--output"))
    add("--picture", type=Path, metavar="FILE", help=text("--picture"))
    add("--steps", action="store_true", help=text("--steps"))
    given = command_line.read(parser, arguments)
    if isinstance(given, int):
        return given
    try:
        _show(given)
    except (TraceFileError, OSError) as problem:
        _say(str(problem))
        return USAGE
    return 0


def _show(given: argparse.Namespace) -> None:
    paths = given.traces
    if len(paths) == 1 and paths[0].is_dir():
        paths = traces_in(paths[0])
    line = join(paths)
    print(line.table())
    if given.steps:
        print(f"\n{line.step_table()}")
    if given.output is not None:
        line.save(given.output)
        _say(text("written", path=given.output))
    if given.picture is not None:
        files.replace(given.picture.absolute(), line.draw().svg)
        _say(text("written", path=given.picture))


def _say(line: str) -> None:
    print(f"npu-lab: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
