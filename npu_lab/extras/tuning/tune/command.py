"""The command line `npu-lab tune SCRIPT`."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line, files
from npu_lab.command_line import USAGE
from npu_lab.extras.tuning.tune._texts import text
from npu_lab.extras.tuning.tune.tuning import Asked, TuneError, lines, tune

NAME = "npu-lab tune"


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    given = command_line.read(_parser(), arguments)
    if isinstance(given, int):
        return given
    if not given.script.is_file():
        _say(text("no script", path=given.script))
        return USAGE
    if given.report is not None and not _can_be_written(given.report):
        _say(text("no folder", path=given.report))
        return USAGE
    asked = Asked(
        script=given.script,
        arguments=given.arguments,
        steps=given.steps,
        interval=given.save_interval,
        numbers=given.numbers,
        seconds=given.seconds,
        repeats=given.repeats,
        link_delay=given.link_delay,
    )
    try:
        tuned = tune(asked, _say)
    except TuneError as error:
        _say(str(error))
        return 1
    print("\n".join(lines(tuned, asked.repeats, asked.link_delay)))
    if given.report is not None:
        try:
            files.replace(
                given.report.absolute(), json.dumps(tuned.as_dict(), indent=1) + "\n"
            )
        except OSError as problem:
            _say(text("not written", problem=problem))
            return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME,
        usage=f"{NAME} [OPTION ...] SCRIPT [ARG ...]",
        description=text("about"),
        epilog=text("next"),
    )
    add = parser.add_argument
    add("--steps", type=_number, metavar="S", help=text("--steps"))
    add("--save-interval", type=_number, metavar="S", help=text("--save-interval"))
    add("--numbers", type=_numbers, default=(), metavar="N,...", help=text("--numbers"))
    add("--seconds", type=_seconds, default=2.0, metavar="T", help=text("--seconds"))
    add("--repeats", type=_number, default=3, metavar="R", help=text("--repeats"))
    add(
        "--link-delay", type=_delay, default=0.0, metavar="T", help=text("--link-delay")
    )
    add("--report", type=Path, metavar="FILE", help=text("--report"))
    add("script", type=Path, metavar="SCRIPT", help=text("SCRIPT"))
    add("arguments", nargs=argparse.REMAINDER, default=[], metavar="ARG")
    return parser


def _number(given: str) -> int:
    if given.isascii() and given.isdecimal() and int(given) >= 1:
        return int(given)
    raise argparse.ArgumentTypeError(text("bad number", value=given))


def _numbers(given: str) -> tuple[int, ...]:
    return tuple(_number(one.strip()) for one in given.split(","))


def _delay(given: str) -> float:
    return 0.0 if given == "0" else _seconds(given)


def _seconds(given: str) -> float:
    try:
        found = float(given)
    except ValueError:
        found = 0.0
    if not (math.isfinite(found) and found > 0):
        raise argparse.ArgumentTypeError(text("bad seconds", value=given))
    return found


def _can_be_written(path: Path) -> bool:
    folder = path.absolute().parent
    return folder.is_dir() and os.access(folder, os.W_OK) and not path.is_dir()


def _say(line: str) -> None:
    print(f"npu-lab: {line}", file=sys.stderr, flush=True)
