"""What a rank tells of how far it is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from npu_lab.extras.distributed.launcher import progress
from npu_lab.extras.distributed.launcher.progress import Progress, Stage
from npu_lab.trace import Ledger


class Device:
    def __init__(self) -> None:
        self.ledger = Ledger()


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """This process tells; the test gets what a launcher would read."""
    path = tmp_path / "progress"
    progress.create(path)
    monkeypatch.setenv(progress.VARIABLE, str(path))
    monkeypatch.setattr(progress, "_own", [])
    progress.begin()
    return lambda: progress.read(path)


def test_the_stages(told):
    assert (told().stage, progress.VARIABLE in os.environ) == (Stage.RUNNING, False)
    progress.reach(Stage.TOGETHER)
    assert (told().stage, told().joined) == (Stage.TOGETHER, Stage.TOGETHER)
    progress.reach(Stage.ENDED, 3)
    ended = told()
    assert (ended.stage, ended.joined, ended.status) == (4, Stage.TOGETHER, 3)
    assert 0 <= time.monotonic() - ended.since < 60


def test_calls_and_steps(told):
    device = Device()
    device.ledger.cross("training")  # before
    progress.follow(device)
    ledger = device.ledger
    ledger.cross("initialize")
    assert (told().calls, told().steps) == (0, 0)
    for _ in range(2):  # not sunk: nothing is counted, or batches only
        ledger.cross("training")
        ledger.count({"batches": 1})
    assert (told().calls, told().steps) == (2, 2)
    ledger.cross("training")
    ledger.count({"iterations": 10, "batches": 10})
    assert (told().calls, told().steps) == (3, 12)
    ledger.cross("training")
    ledger.count({"iterations": 0})  # it failed in its first step
    assert (told().calls, told().steps) == (4, 12)
    assert (ledger.training_calls, ledger.device_iterations) == (5, 10)


def test_without_a_launcher_nothing_is_told(monkeypatch):
    monkeypatch.setattr(progress, "_own", [])
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    progress.begin()
    progress.reach(Stage.TOGETHER)
    device = Device()
    progress.follow(device)
    assert type(device.ledger) is Ledger


def test_what_was_told_stays_when_the_process_is_killed(tmp_path: Path):
    path = tmp_path / "progress"
    progress.create(path)
    code = (
        "import os; from npu_lab.extras.distributed.launcher import progress as p;"
        "p.begin(); p._own[0].steps = 7; p.reach(p.Stage.WAITING);"
        "os.kill(os.getpid(), 9)"
    )
    environ = {**os.environ, progress.VARIABLE: str(path)}
    subprocess.run([sys.executable, "-c", code], env=environ, check=False)
    told = progress.read(path)
    assert (told.steps, told.stage) == (7, Stage.WAITING)


def test_the_file_holds_what_is_written():
    packed = Progress(1, 2, 3, 4, 5, 6.5).packed()
    assert Progress(*progress._LAYOUT.unpack(packed)) == Progress(1, 2, 3, 4, 5, 6.5)
