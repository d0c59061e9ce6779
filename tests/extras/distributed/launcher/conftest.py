"""Launches whose processes can be found again, with ranks that need no TensorFlow."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from npu_lab.extras.distributed.launcher import launching
from tests.extras.distributed.conftest import OURS

MARK = "NPU_LAB_TEST_LAUNCH"
LIGHT = "tests.extras.distributed.launcher.light"
ROOT = Path(__file__).parents[4]
COMMAND = f"""
import sys
from npu_lab.extras.distributed.launcher import command, launching
launching.ENTRY = {LIGHT!r}
sys.exit(command.main(sys.argv[1:]))
"""
HEAD = """
import os, signal, subprocess, sys, threading, time
from npu_lab.extras.distributed.launcher import progress
from npu_lab.extras.distributed.launcher.progress import Stage
rank = int(os.environ["RANK_ID"])
"""


def left(mark: str, within: float = 3) -> list[str]:
    """The commands of the processes that are still there after a while."""
    until = time.monotonic() + within
    while (found := _marked(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _marked(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}\0".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What marks the processes of a test; none of them may be left."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(MARK, str(tmp_path))
    yield str(tmp_path)
    assert not left(str(tmp_path))


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that need no TensorFlow."""
    monkeypatch.setattr(launching, "ENTRY", LIGHT)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """Write a script; it knows its `rank`."""

    def write(text: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(HEAD + text, "utf-8")
        return path

    return write


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start the command with light ranks, in a process of its own."""
    started = []

    def command(*arguments: object) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", COMMAND, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return started[-1]

    yield command
    for process in started:
        process.kill()
        process.communicate()
