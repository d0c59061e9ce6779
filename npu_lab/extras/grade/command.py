"""The command line `npu-lab grade FOLDER`."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

from npu_lab import command_line, files
from npu_lab.command_line import USAGE
from npu_lab.extras.grade import grading
from npu_lab.extras.grade._texts import text


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="npu-lab grade", description=text("about"), epilog=text("caution")
    )
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help=text("FOLDER"))
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("grades.csv"),
        metavar="FILE",
        help=text("--output"),
    )
    add(
        "--timeout",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help=text("--timeout"),
    )
    given = command_line.read(parser, arguments)
    if isinstance(given, int):
        return given
    if problem := _problem(given.folder, given.output):
        _say(problem)
        return USAGE
    return _grade(given.folder, given.output, given.timeout)


def _seconds(given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(text("bad timeout", value=given))
    return value


def _problem(folder: Path, output: Path) -> str:
    """What is wrong with the arguments, before anything is run."""
    if not folder.is_dir():
        return text("no folder", path=folder)
    if not grading.notebooks(folder):
        return text("no notebooks", path=folder)
    try:
        files.replace(output, output.read_bytes() if output.exists() else b"")
    except OSError as error:
        return text("no place", path=output, reason=error.strerror)
    return ""


def _grade(folder: Path, output: Path, seconds: float) -> int:
    rows: list[grading.Row] = []
    whole = True
    for one in grading.grade(folder, seconds):
        right = sum(row.state == "right" for row in one.rows)
        shown = one.path.relative_to(folder)
        if one.rows:
            _say(text("graded", path=shown, right=right, count=len(one.rows)))
        if one.trouble:
            whole = False
            _say(f"{shown}: {one.trouble}")
        rows += one.rows
    files.replace(output, _csv(rows))
    _say(text("written", path=output, count=len(rows)))
    return int(not whole)


def _csv(rows: list[grading.Row]) -> bytes:
    """The rows, in the form that spreadsheets open without asking."""
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet)
    writer.writerow([field.name for field in fields(grading.Row)])
    writer.writerows(map(_safe, map(astuple, rows)))
    return sheet.getvalue().encode("utf-8-sig")


def _safe(values: tuple[str, ...]) -> list[str]:
    """Values that no spreadsheet takes for a formula."""
    return [f"'{v}" if v.startswith(("=", "+", "-", "@")) else v for v in values]


def _say(line: str) -> None:
    print(f"npu-lab grade: {line}", file=sys.stderr)
