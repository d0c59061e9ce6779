"""What is shown of the ranks while they run: their lines, or one live view."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from npu_lab.extras.distributed.launcher._texts import text
from npu_lab.extras.distributed.launcher.jobs import width
from npu_lab.extras.distributed.launcher.progress import Progress

REDRAWN = 0.2  # seconds
ERASE = "\x1b[2K"


class Tail:
    """Reads the lines that are added to a log."""

    def __init__(self, path: Path) -> None:
        self._path, self._position, self._rest = path, 0, b""
        self.last = ""

    def new(self) -> list[str]:
        """The whole lines since the last time."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._position)
                added = file.read()
        except OSError:
            return []
        self._position += len(added)
        *whole, self._rest = (self._rest + added).split(b"\n")
        lines = [_shown(line) for line in whole]
        filled = [line for line in [*lines, _shown(self._rest)] if line.strip()]
        if filled:
            self.last = filled[-1]
        return lines

    def rest(self) -> list[str]:
        """What is left without an end, when nothing more will come."""
        lines = self.new()
        if self._rest:
            lines.append(_shown(self._rest))
            self._rest = b""
        return lines


def _shown(line: bytes) -> str:
    """A line as text: of a progress bar what it shows last."""
    text = line.decode("utf-8", errors="replace").rstrip("\r").rpartition("\r")[2]
    return "".join(c for c in text if c == "\t" or c.isprintable())


class View:
    """Shows nothing; the others have the same methods."""

    def update(self, ranks: Sequence[tuple[Progress, bool, Tail]]) -> None:
        """Show what is new: of each rank its progress, whether it ended, its log."""

    def close(self) -> None:
        """Show nothing more."""


class Lines(View):
    """Each line of each rank as it comes, with the rank in front."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say, self._closed = say, False

    def update(self, ranks: Sequence[tuple[Progress, bool, Tail]]) -> None:
        """Show the new lines."""
        for number, (_, ended, tail) in enumerate(ranks):
            for line in tail.rest() if ended else tail.new():
                if not self._closed:
                    self._say(f"[rank {number}] {line}")

    def close(self) -> None:
        """Show nothing more."""
        self._closed = True


class Screen(View):
    """A line for each rank on a terminal, drawn anew: what it does, what it printed."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._drawn, self._next = stream, 0, 0.0
        self._ranks: Sequence[tuple[Progress, bool, Tail]] = ()

    def update(self, ranks: Sequence[tuple[Progress, bool, Tail]]) -> None:
        """Draw the lines, if it is time."""
        self._ranks = ranks
        if time.monotonic() >= self._next:
            self._draw()
            self._next = time.monotonic() + REDRAWN

    def close(self) -> None:
        """Draw them for the last time."""
        self._draw()
        self._ranks = ()

    def _draw(self) -> None:
        if not self._ranks:
            return
        columns = shutil.get_terminal_size().columns - 1
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        lines = []
        for number, (progress, ended, tail) in enumerate(self._ranks):
            tail.new()
            state = text("ended") if ended else text(f"stage {progress.stage}")
            step = text("step", steps=progress.steps) if progress.steps else ""
            head = f"{text('rank')} {number}  {state:<10} {step:<10} "
            lines.append(ERASE + cut(head + tail.last, columns) + "\n")
        self._stream.write(up + "".join(lines))
        self._stream.flush()
        self._drawn = len(lines)


def cut(line: str, columns: int) -> str:
    """As much of a line as fits."""
    if width(line) <= columns:
        return line
    while line and width(line) >= columns:
        line = line[:-1]
    return line + "…"


def view(say: Callable[[str], object] | None) -> View:
    """Lines where there is something to say them with."""
    return View() if say is None else Lines(say)
