"""The command line `npu-lab course [FOLDER]`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from npu_lab import command_line
from npu_lab.extras.course import copying
from npu_lab.extras.course._texts import text
from npu_lab.language import current

FIRST = "index.ipynb"


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status: JupyterLab's, where it was started."""
    parser = argparse.ArgumentParser(prog="npu-lab course", description=text("about"))
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        nargs="?",
        default=Path("npu_lab_course"),
        metavar="FOLDER",
        help=text("FOLDER"),
    )
    add("--no-open", action="store_true", help=text("--no-open"))
    given = command_line.read(parser, arguments)
    if isinstance(given, int):
        return given
    folder: Path = given.folder
    try:
        written, kept = copying.copy(folder)
    except OSError as error:
        path = error.filename or folder
        print(text("no place", path=path, reason=error.strerror), file=sys.stderr)
        return 1
    print(text("written", folder=folder, written=len(written), kept=len(kept)))
    if given.no_open:
        print(text("open", folder=folder))
        return 0
    return _open(folder)


def _open(folder: Path) -> int:
    first = copying.place(folder.resolve(), current()) / FIRST
    command = [sys.executable, "-m", "jupyterlab", str(first)]
    command += ["--ServerApp.root_dir", str(folder.resolve())]
    if os.geteuid() == 0:  # Jupyter's servers refuse to start as root unless told
        command.append("--allow-root")
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 130
