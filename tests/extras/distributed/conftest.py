"""Starts the ranks of a job by hand, as the documentation does: one process each."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
OURS = ("ASCEND_", "RANK_", "CM_", "HCCL_", "JOB_ID", "DEVICE_ID", "POD_NAME")


@dataclass
class Rank:
    """How one process ended."""

    status: int
    out: str
    err: str
    report: dict[str, Any] | None
    folder: Path


def succeeded(ranks: list[Rank]) -> list[Rank]:
    """The ranks, none of which failed."""
    for rank in ranks:
        assert rank.status == 0, rank.err
    return ranks


def free_ports(count: int) -> int:
    """The first of `count` free ports that follow each other."""
    while True:
        base = random.randrange(20000, 30000)  # noqa: S311
        with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
            for port in range(base, base + count):
                trial = opened.enter_context(socket.socket())
                trial.bind(("", port))
            return base


def table(size: int) -> dict[str, Any]:
    """A correct rank table: one server, `size` devices."""
    devices = [
        {"device_id": str(n), "device_ip": f"192.168.50.{10 + n}", "rank_id": str(n)}
        for n in range(size)
    ]
    server = {"server_id": "lab-node-0", "device": devices}
    return {
        "status": "completed",
        "version": "1.0",
        "server_count": "1",
        "server_list": [server],
    }


Launch = Callable[..., list[Rank]]


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """`launch(size, script, arguments...)`: the ranks of a job, when all have ended."""
    return launching(tmp_path)


@pytest.fixture(scope="module")
def launch_once(tmp_path_factory: pytest.TempPathFactory) -> Launch:
    """The same, for jobs that all tests of a module look at."""
    return launching(tmp_path_factory.mktemp("jobs"))


def launching(folder: Path) -> Launch:
    """What the fixtures give, with the jobs' files in a folder."""

    def start(
        size: int,
        script: str | Path,
        *arguments: Any,
        only: Sequence[int] | None = None,
        each: Callable[[int], dict[str, str]] | None = None,
        connect: float = 60,
        timeout: float = 150,
        **changed: str,
    ) -> list[Rank]:
        job = folder / f"job_{len(list(folder.iterdir()))}"
        job.mkdir()
        written = job / "rank_table.json"
        written.write_text(json.dumps(table(size)), "utf-8")
        base = free_ports(size)

        def environment(rank: int) -> dict[str, str]:
            if each is not None:
                return each(rank)
            if size == 1:
                return {"JOB_ID": "10086"}
            return {
                "RANK_TABLE_FILE": str(written),
                "RANK_ID": str(rank),
                "RANK_SIZE": str(size),
                "JOB_ID": "10086",
                "ASCEND_DEVICE_ID": str(rank),
            }

        processes = []
        for rank in range(size) if only is None else only:
            own = job / str(rank)
            own.mkdir()
            kept = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
            kept |= {
                "HOME": str(own),
                "TMPDIR": str(own),
                "NPU_LAB_LANG": "en",
                "HCCL_IF_BASE_PORT": str(base),
                "HCCL_CONNECT_TIMEOUT": str(connect),
            }
            command = [
                sys.executable,
                "-m",
                "npu_lab",
                "run",
                "--report",
                "report.json",
            ]
            processes.append(
                subprocess.Popen(
                    [*command, str(SCRIPTS / script), *(str(a) for a in arguments)],
                    cwd=own,
                    env=kept | environment(rank) | changed,
                    stdin=subprocess.DEVNULL,
                    stdout=(own / "out").open("wb"),
                    stderr=(own / "err").open("wb"),
                )
            )
        try:
            statuses = [process.wait(timeout) for process in processes]
        finally:
            for process in processes:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        ended = []
        for rank, status in zip(
            range(size) if only is None else only, statuses, strict=True
        ):
            own = job / str(rank)
            report = own / "report.json"
            told = json.loads(report.read_text("utf-8")) if report.exists() else None
            out, err = ((own / name).read_text("utf-8") for name in ("out", "err"))
            ended.append(Rank(status, out, err, told, own))
        return ended

    return start
