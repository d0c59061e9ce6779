"""What every command begins with: its arguments, and output that any terminal takes."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence

USAGE = 2
"""The exit status for wrong usage."""


class UsageError(Exception):
    """A wrong argument that only looking at it shows; the text says what is wrong."""


def take_any_text() -> None:
    """Have what the terminal cannot show printed as an escape, not as an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def read(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace | int:
    """The arguments as `parser` reads them (None: the process's).

    Where it has answered itself, to ``--help`` or with what is wrong, the exit status.
    """
    take_any_text()
    try:
        return parser.parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
