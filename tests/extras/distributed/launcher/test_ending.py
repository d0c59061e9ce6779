"""However the launcher ends, no process is left; a fixture looks."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

LONG = (
    "subprocess.Popen(['sleep', '100'])\n"
    "open(f'{sys.argv[0]}.{rank}', 'w').close()\n"
    "time.sleep(100)"
)


def begun(path: Path) -> None:
    """Wait until both ranks run."""
    until = time.monotonic() + 30
    while not all(path.with_name(f"{path.name}.{rank}").exists() for rank in (0, 1)):
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_signal_ends_the_job_and_is_told(script, start, number, status):
    path = script(LONG)
    launcher: subprocess.Popen[str] = start("--ranks", 2, path)
    begun(path)
    sent = time.monotonic()
    launcher.send_signal(number)
    said = launcher.communicate(timeout=30)[0]
    assert time.monotonic() - sent < 5
    assert launcher.returncode == status
    assert f"npu-lab: ended by {number.name}, after " in said
    assert "Traceback" not in said


def test_a_second_interrupt_does_not_wait(script, start):
    path = script("signal.signal(2, signal.SIG_IGN)\n" + LONG)
    launcher: subprocess.Popen[str] = start("--ranks", 2, path)
    begun(path)
    sent = time.monotonic()
    launcher.send_signal(signal.SIGINT)
    time.sleep(0.5)
    launcher.send_signal(signal.SIGINT)
    launcher.communicate(timeout=30)
    assert launcher.returncode == 130
    assert time.monotonic() - sent < 2


def test_a_launcher_that_is_killed_takes_its_ranks_along(script, start):
    path = script("for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n" + LONG)
    launcher: subprocess.Popen[str] = start("--ranks", 2, path)
    begun(path)
    launcher.kill()
    launcher.wait()
