"""Which rank of how many this process is, from the environment.

Either by a rank table (RANK_TABLE_FILE, RANK_ID, RANK_SIZE) or without one, by a
coordinator (CM_*); JOB_ID is needed both ways.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from npu_lab.bridge import job
from npu_lab.extras.distributed import rank_table, rendezvous
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.environment import number, required
from npu_lab.extras.distributed.rank_table import Entry, RankTable

JOB = "worker"  # what TensorFlow calls all ranks together; each is a task of it
BASE_PORT = 60000  # of HCCL, where HCCL_IF_BASE_PORT does not say otherwise
LAST_PORT = 65535
RANK_TABLE = ("RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE")
COORDINATOR = (
    "CM_CHIEF_IP",
    "CM_CHIEF_PORT",
    "CM_CHIEF_DEVICE",
    "CM_WORKER_SIZE",
    "CM_WORKER_IP",
)


@dataclass(frozen=True)
class Ranks:
    """The ranks of a job, and which of them this process is.

    `addresses` are those of their servers, host:port.
    """

    rank: int
    table: RankTable
    addresses: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.table.entries)

    @property
    def local(self) -> list[int]:
        """The ranks on this server."""
        return self.table.on_server(self.rank)


ONE = Ranks(0, RankTable((Entry(0, "localhost", 0, "127.0.0.1"),)), ("127.0.0.1:0",))
_current: list[Ranks] = []


def current() -> Ranks:
    """The ranks that this process read first; later changes have no effect.

    `forget` lets them be read anew.

    Raises:
        ValueError: a variable, or a field of the rank table, is wrong or missing.
    """
    if not _current:
        _current.append(read(os.environ))
    return _current[0]


def forget() -> None:
    """Let the ranks be read anew, as in a new process."""
    _current.clear()


def read(environ: Mapping[str, str]) -> Ranks:
    """The ranks that an environment describes; one rank where it says nothing.

    Raises:
        ValueError: a variable, or a field of the rank table, is wrong or missing.
    """
    ours = [name for name in RANK_TABLE if environ.get(name)]
    theirs = [name for name in COORDINATOR if environ.get(name)]
    if ours and theirs:
        both = {"ours": ", ".join(ours), "theirs": ", ".join(theirs)}
        raise ValueError(text("both ways", **both))
    if theirs:
        size = number(environ, "CM_WORKER_SIZE", 0, 32768)
        required(environ, size, (*COORDINATOR, "ASCEND_DEVICE_ID"))
        _check_job(size)
        rank, table = rendezvous.meet(environ, size)
    elif job.rank_size() == 1 and not environ.get("RANK_TABLE_FILE"):
        return ONE
    else:
        rank, table = _from_table(environ)
        _check_job(len(table.entries))
    return Ranks(rank, table, addresses(table, environ))


def _from_table(environ: Mapping[str, str]) -> tuple[int, RankTable]:
    size = job.rank_size()
    required(environ, size, RANK_TABLE)
    path = environ["RANK_TABLE_FILE"]
    table = rank_table.read(path)
    count = len(table.entries)
    if count != size:
        rule = text("size", path=path, count=count)
        raise ValueError(text("variable", name="RANK_SIZE", given=size, rule=rule))
    given = environ["RANK_ID"]
    if not given.isdecimal() or int(given) >= size:
        rule = text("rank", size=size, last=size - 1)
        raise ValueError(text("variable", name="RANK_ID", given=given, rule=rule))
    rank = int(given)
    device, wanted = table.entries[rank].device, environ.get("ASCEND_DEVICE_ID")
    if wanted and wanted != str(device):
        facts = {"given": wanted, "path": path, "rank": rank, "device": device}
        warnings.warn(text("other device", **facts), RuntimeWarning, stacklevel=2)
    return rank, table


def _check_job(size: int) -> None:
    if size > 1:
        job.read()  # which wants JOB_ID


def addresses(table: RankTable, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Where the servers of the ranks are reached, host:port.

    Raises:
        ValueError: HCCL_IF_BASE_PORT is no port.
    """
    base = BASE_PORT
    if environ.get("HCCL_IF_BASE_PORT"):
        base = number(environ, "HCCL_IF_BASE_PORT", 1024, LAST_PORT - 16)
    return tuple(
        f"{'127.0.0.1' if table.one_server else _host(entry)}"
        f":{entry.host_port or base + entry.device}"
        for entry in table.entries
    )


def _host(entry: Entry) -> str:
    return f"[{entry.host}]" if ":" in entry.host else entry.host
