"""Repeat the ways in which a job can fail; print how long it took and what was said.

    python -m tests.extras.distributed.launcher.repeated 20

Each kind is repeated so often, its variants in turn.  The exit status is 1 where one
took longer than it may, gave status 0, said something else or left a process.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.extras.distributed.conftest import OURS, table
from tests.extras.distributed.launcher.conftest import MARK, ROOT, left

TROUBLE = Path(__file__).parent / "scripts" / "trouble.py"
LIMIT = 15  # seconds


@dataclass
class Outcome:
    """How a launch ended."""

    seconds: float
    status: int
    said: str
    out: str
    left: list[str]

    @property
    def message(self) -> str:
        """The first line that the launcher said of a failure."""
        lines = [
            line for line in self.said.splitlines() if line.startswith("npu-lab: ")
        ]
        return next((line for line in lines if "; logs and" not in line), "")


def run(folder: Path, *arguments: object, **environ: str) -> Outcome:
    """Launch two ranks, with what they write in a folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
    own = {"NPU_LAB_LANG": "en", "TMPDIR": str(folder), MARK: str(folder)}
    begun = time.monotonic()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "npu_lab", "launch", "--folder", folder / "job"),
            *map(str, arguments),
        ],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), **own, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    seconds = time.monotonic() - begun
    return Outcome(
        seconds, done.returncode, done.stderr, done.stdout, left(str(folder))
    )


def happens(kind: str) -> Callable[[Path], Outcome]:
    """Something happens to rank 1."""
    return lambda folder: run(folder, "--ranks", 2, TROUBLE, kind)


def port_taken(folder: Path) -> Outcome:
    """The port of rank 1 is another process's."""
    with ExitStack() as opened:
        other = opened.enter_context(socket.create_server(("", 0)))
        base = other.getsockname()[1] - 1
        ranks = ("--ranks", 2, TROUBLE, "ends")
        return run(folder, *ranks, HCCL_IF_BASE_PORT=str(base))


def wrong_table(field: str, value: str) -> Callable[[Path], Outcome]:
    """A field of the second device has a wrong value."""

    def launched(folder: Path) -> Outcome:
        content = table(2)
        content["server_list"][0]["device"][1][field] = value
        path = folder / "table.json"
        path.write_text(json.dumps(content), "utf-8")
        return run(folder, "--ranks", 2, "--table", path, TROUBLE, "ends")

    return launched


KINDS: dict[str, list[tuple[Callable[[Path], Outcome], str]]] = {
    "kill -9 of a rank inside a sunk loop": [
        (
            happens("killed"),
            r"rank 1 failed first, after step 130 at least .* killed by SIGKILL",
        )
    ],
    "a rank that never starts": [
        (happens("module"), r"rank 1 failed first, .*No module named 'a_module_that"),
        (happens("leaves"), r"rank 1 failed first, .* without joining the others"),
        (happens("hangs"), r"rank 0 failed first, .* rank 1 \(127.* did not start wi"),
    ],
    "a port that is taken": [
        (port_taken, r"rank 1: the port \d+ is taken \(Address already in use\)"),
        (happens("port"), r"rank 1 failed first, .* the port \d+ is taken"),
    ],
    "a wrong rank table": [
        (wrong_table("device_id", "9"), r'device\[1\]\.device_id is "9"'),
        (wrong_table("rank_id", "0"), r'device\[1\]\.rank_id is "0"'),
    ],
}


def wrong(outcome: Outcome, message: str) -> list[str]:
    """What is not as it must be."""
    return [
        name
        for name, bad in (
            (f"longer than {LIMIT} s", outcome.seconds > LIMIT),
            ("status 0", outcome.status == 0),
            ("message", not re.search(message, outcome.message)),
            (f"left: {outcome.left}", bool(outcome.left)),
        )
        if bad
    ]


def main(times: int) -> int:
    """Repeat all kinds so often; return the exit status."""
    failed = 0
    for kind, variants in KINDS.items():
        print(f"\n{kind}, {times} times")
        slowest, good = 0.0, 0
        for number in range(times):
            launched, message = variants[number % len(variants)]
            with tempfile.TemporaryDirectory() as folder:
                outcome = launched(Path(folder))
            faults = wrong(outcome, message)
            good += not faults
            slowest = max(slowest, outcome.seconds)
            said = outcome.message.removeprefix("npu-lab: ")[:150]
            print(
                f"{number + 1:4} {outcome.seconds:6.2f} s  status {outcome.status:3}"
                f"  load {os.getloadavg()[0]:.1f}"
            )
            print(f"      {said}")
            for fault in faults:
                print(f"      WRONG: {fault}")
            sys.stdout.flush()
        print(f"{good} of {times} right, the slowest {slowest:.2f} s")
        failed += times - good
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
