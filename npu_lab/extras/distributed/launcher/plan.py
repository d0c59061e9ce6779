"""What is started for a job: the table, and the environment of each rank; checked."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import socket
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab import files
from npu_lab.extras.distributed import rank_table, ranks
from npu_lab.extras.distributed.environment import seconds
from npu_lab.extras.distributed.launcher._texts import text
from npu_lab.extras.distributed.rank_table import Entry, RankTable

CONNECT_TIMEOUT = 5.0  # seconds; ranks on one computer start nearly together
OF_A_RANK = 2.0  # seconds; the more there are, the longer a small computer needs
TABLE = "rank_table.json"
PORTS = range(20000, 32000)  # below those that systems give away by themselves
TRIES = 200
DEVICES = {"1.0": 8, "1.2": 16}
JOB_ID = "10087"
SERVER = "lab-node-0"


@dataclass(frozen=True)
class Plan:
    """A job that can be started.

    `common` is what all ranks have in their environment, beside the user's.
    """

    script: Path
    arguments: tuple[str, ...]
    table: RankTable
    table_file: Path
    folder: Path
    common: Mapping[str, str]
    trace: bool

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return len(self.table.entries)

    def own(self, rank: int) -> dict[str, str]:
        """What one rank alone has in its environment."""
        device = self.table.entries[rank].device
        return {"RANK_ID": str(rank), "ASCEND_DEVICE_ID": str(device)}

    def log(self, rank: int) -> Path:
        """What the rank prints."""
        return self.folder / f"rank_{rank}.log"

    def report(self, rank: int) -> Path:
        """Its report."""
        return self.folder / f"rank_{rank}.json"

    def trace_file(self, rank: int) -> Path | None:
        """Its timeline, if it is recorded."""
        return self.folder / f"rank_{rank}.trace.json" if self.trace else None

    def progress(self, rank: int) -> Path:
        """How far it is."""
        return self.folder / f".rank_{rank}.progress"

    def host_log(self, rank: int) -> Path:
        """The folder for its host log."""
        return self.folder / f"rank_{rank}.plog"


def plan(
    script: str | os.PathLike[str],
    arguments: Sequence[object],
    *,
    ranks: int | None,
    table: str | os.PathLike[str] | None,
    folder: str | os.PathLike[str] | None,
    connect_timeout: float | None,
    trace: bool,
) -> Plan:
    """Check all that can be before anything is started, and write the folder.

    Raises:
        ValueError: an argument, a variable or the rank table is wrong.
        OSError: a port is taken, or the folder cannot be written.
    """
    path = Path(script)
    if not path.is_file():
        raise ValueError(text("no script", path=path))
    read, given = listed(ranks, table)
    if not read.one_server:
        raise ValueError(text("servers", path=given))
    size = len(read.entries)
    common = {**variables(read), "PYTHONUNBUFFERED": "1"}
    _check_environment(read)
    common["HCCL_CONNECT_TIMEOUT"] = f"{_connect_timeout(connect_timeout, size):g}"
    common["HCCL_IF_BASE_PORT"] = str(_base_port(read, given))
    place = _folder(folder, given is None)
    if given is None:
        given = place / TABLE
        files.replace(given, _table_text(size))
    common["RANK_TABLE_FILE"] = str(given.absolute())
    words = tuple(str(word) for word in arguments)
    return Plan(path.absolute(), words, read, given, place, common, trace)


def listed(
    ranks: int | None, table: str | os.PathLike[str] | None
) -> tuple[RankTable, Path | None]:
    """The table of a job, and its file; None where it is still to be written.

    Raises:
        ValueError: there is none, or one of another size, or it is wrong.
    """
    exported = os.environ.get("RANK_TABLE_FILE") or None
    if table is not None and exported and Path(table).absolute() != _absolute(exported):
        facts = {"name": "RANK_TABLE_FILE", "given": exported, "other": table}
        raise ValueError(text("other value", **facts))
    asked = table or exported
    given = None if asked is None else Path(asked)
    if given is not None:
        read = rank_table.read(given)
        if ranks not in {None, len(read.entries)}:
            count = len(read.entries)
            raise ValueError(text("size", ranks=ranks, path=given, count=count))
        return read, given
    most = max(DEVICES.values())
    if ranks is None or not 1 <= ranks <= most:
        raise ValueError(text("ranks", given=ranks, most=most))
    devices = range(ranks)
    entries = tuple(Entry(n, SERVER, n, SERVER, _address(n)) for n in devices)
    return RankTable(entries), None


def variables(read: RankTable) -> dict[str, str]:
    """What all ranks have in common, wherever they are started."""
    job = os.environ.get("JOB_ID") or JOB_ID
    return {"RANK_SIZE": str(len(read.entries)), "JOB_ID": job}


def content(size: int) -> dict[str, Any]:
    """A table of one server with so many devices."""
    version = next(version for version, most in DEVICES.items() if size <= most)
    devices = [
        {"device_id": str(n), "device_ip": _address(n), "rank_id": str(n)}
        for n in range(size)
    ]
    server = {"server_id": SERVER, "device": devices}
    return {
        "status": "completed",
        "version": version,
        "server_count": "1",
        "server_list": [server],
    }


def _address(device: int) -> str:
    return f"192.168.50.{10 + device}"


def _absolute(path: str) -> Path:
    return Path(path).absolute()


def _check_environment(read: RankTable) -> None:
    """What the user has exported must hold for every rank."""
    for name in ranks.COORDINATOR:
        if os.environ.get(name):
            raise ValueError(text("coordinator", name=name, given=os.environ[name]))
    size = len(read.entries)
    for name, wanted in (
        ("RANK_SIZE", {str(size)}),
        ("RANK_ID", {"0"} if size == 1 else set()),
        ("ASCEND_DEVICE_ID", {str(entry.device) for entry in read.entries}),
    ):
        given = os.environ.get(name)
        if given and wanted != {given}:
            said = "for each" if name != "RANK_SIZE" else "for all"
            raise ValueError(text(said, name=name, given=given, size=size))


def _connect_timeout(given: float | None, size: int) -> float:
    if given is None:
        default = max(CONNECT_TIMEOUT, OF_A_RANK * size)
        return seconds(os.environ, "HCCL_CONNECT_TIMEOUT", default)
    return seconds({"connect_timeout": str(given)}, "connect_timeout", given)


def _base_port(read: RankTable, path: Path | None) -> int:
    """Where free ports begin: the user's choice, checked, or a block that is found."""
    if os.environ.get("HCCL_IF_BASE_PORT"):
        taken = _taken(read, os.environ)
        base = int(os.environ["HCCL_IF_BASE_PORT"])
    else:
        for _ in range(TRIES):
            base = random.choice(PORTS)  # noqa: S311  (not a secret)
            taken = _taken(read, {"HCCL_IF_BASE_PORT": str(base)})
            if taken is None:
                break
            if read.entries[taken[0]].host_port:
                break  # another base does not help
    if taken is not None:
        rank, port, reason = taken
        key = "table port" if read.entries[rank].host_port else "port"
        said = text(key, rank=rank, port=port, reason=reason, path=path)
        raise OSError(said)
    return base


def _taken(
    read: RankTable, environ: Mapping[str, str]
) -> tuple[int, int, str | None] | None:
    """The first rank whose port is taken, the port, and why; None if all are free."""
    with contextlib.ExitStack() as opened:
        for rank, address in enumerate(ranks.addresses(read, environ)):
            port = int(address.rpartition(":")[2])
            trial = opened.enter_context(socket.socket())
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("", port))
            except OSError as error:
                return rank, port, error.strerror
    return None


def _folder(given: str | os.PathLike[str] | None, writes_table: bool) -> Path:
    """The job's folder, without what an earlier job has left in it."""
    if given is None:
        return Path(tempfile.mkdtemp(prefix="npu_lab_job_"))
    folder = Path(given).absolute()
    written = folder / TABLE
    if writes_table and written.exists() and not _is_ours(written):
        raise ValueError(text("there already", path=written))
    folder.mkdir(parents=True, exist_ok=True)
    for left in (*folder.glob("rank_[0-9]*"), *folder.glob("ranks.trace.json")):
        if left.suffix == ".plog":
            shutil.rmtree(left)
        elif left.suffix in {".log", ".json"}:
            left.unlink()
    return folder


def _is_ours(path: Path) -> bool:
    """Whether a table has been written here, so that it may be written anew."""
    try:
        written = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return any(written == _table_text(n + 1) for n in range(max(DEVICES.values())))


def _table_text(size: int) -> str:
    return json.dumps(content(size), indent=1) + "\n"
