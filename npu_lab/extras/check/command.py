"""The command line `npu-lab check PATH...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line
from npu_lab.command_line import USAGE
from npu_lab.extras.check import checking, reports
from npu_lab.extras.check._texts import text


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="npu-lab check", description=text("about"), epilog=text("ignore")
    )
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="PATH", help=text("PATH"))
    add("--json", action="store_true", help=text("--json"))
    given = command_line.read(parser, arguments)
    if isinstance(given, int):
        return given
    return _check(given.paths, as_json=given.json)


def _check(paths: list[Path], *, as_json: bool) -> int:
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        print(f"npu-lab check: {text('no path', path=path)}", file=sys.stderr)
    if missing:
        return USAGE
    results = []
    for one in checking.check_paths(paths):
        results.append(one)
        if not as_json:
            print("".join(f"{line}\n" for line in reports.lines(one)), end="")
    if as_json:
        print(reports.as_json(results))
    print(reports.summary(results), file=sys.stderr)
    return int(any(one.fails for one in results))
