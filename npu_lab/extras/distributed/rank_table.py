"""The rank table: which devices of which servers a job has, and their ranks.

Versions "1.0" and "1.2" of the file are read and written.  All of its values are
strings.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab import files
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.table_check import VERSIONS, Check, Entry, Fault

__all__ = ["VERSIONS", "Entry", "Fault", "RankTable", "RankTableError"]


class RankTableError(ValueError):
    """A rank table that no job can run with; names the field and its value.

    `faults` are all that were found, none where the file could not be read.
    """

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


@dataclass(frozen=True)
class RankTable:
    """A checked table; its entries are in the order of their ranks."""

    entries: tuple[Entry, ...]

    @property
    def one_server(self) -> bool:
        """Whether all ranks are on one server."""
        return len({entry.server_id for entry in self.entries}) == 1

    def on_server(self, rank: int) -> list[int]:
        """The ranks on the server of `rank`, ascending."""
        server = self.entries[rank].server_id
        return [entry.rank for entry in self.entries if entry.server_id == server]


def read(path: str | Path) -> RankTable:
    """Read a table and check it.

    Raises:
        RankTableError: it cannot be read, or a field of it is wrong.
    """
    return checked(content(path), path)


def checked(made: Any, path: object) -> RankTable:
    """A table from its content; `path` is what the error calls it.

    Raises:
        RankTableError: a field is wrong.
    """
    check = Check(made)
    if check.faults:
        first = check.faults[0]
        facts = {"field": first.field, "given": first.given, "rule": first.rule}
        raise RankTableError(text("field", path=path, **facts), check.faults)
    return RankTable(tuple(check.entries))


def content(path: str | Path) -> Any:
    """The JSON of a table, which is not checked.

    Raises:
        RankTableError: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise RankTableError(text("no json", path=path, reason=error)) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RankTableError(text("no file", path=path, reason=reason)) from error


def table(
    servers: int | Sequence[str] = 1,
    devices: int = 2,
    *,
    host_ips: Sequence[str] = (),
    version: str = "1.0",
    host_port: int | None = None,
) -> dict[str, Any]:
    """The content of a correct table, ranks counted server by server.

    Args:
        servers: how many, or their ids; an id that is an address is how the other
            servers reach it.
        devices: how many of each server, from device 0 on.
        host_ips: the addresses of the servers, where their ids are none.
        version: "1.0" or "1.2", of super pods; all servers are one of them.
        host_port: version 1.2 only: the port of rank 0, which the others count on
            from; else it is for HCCL_IF_BASE_PORT to say.

    Raises:
        RankTableError: a field would be wrong.
        ValueError: an argument cannot be written into a table.
    """
    if isinstance(servers, int):
        servers = [f"lab-node-{number}" for number in range(servers)]
    if host_ips and len(host_ips) != len(servers):
        counts = {"addresses": len(host_ips), "servers": len(servers)}
        raise ValueError(text("host ips", **counts))
    if host_port is not None and version != "1.2":
        raise ValueError(text("port version"))
    listed = []
    for number, server_id in enumerate(servers):
        server: dict[str, Any] = {"server_id": server_id}
        if host_ips:
            server["host_ip"] = host_ips[number]
        server["device"] = []
        for device in range(devices):
            rank = number * devices + device
            one = {"device_id": str(device)}
            if version == "1.2":
                one["super_device_id"] = str(rank)
            one["device_ip"] = f"192.168.{50 + number}.{10 + device}"
            if host_port is not None:
                one["host_port"] = str(host_port + rank)
            server["device"].append({**one, "rank_id": str(rank)})
        listed.append(server)
    made: dict[str, Any] = {
        "status": "completed",
        "version": version,
        "server_count": str(len(servers)),
        "server_list": listed,
    }
    if version == "1.2":
        ids = [{"server_id": server_id} for server_id in servers]
        made["super_pod_list"] = [{"super_pod_id": "0", "server_list": ids}]
    checked(made, text("new table"))
    return made


def write(
    path: str | Path,
    servers: int | Sequence[str] = 1,
    devices: int = 2,
    **more: Any,
) -> RankTable:
    """Write a table to a file, whole or not at all; `more` is as in `table`.

    Raises:
        ValueError: as `table`.
        OSError: the file cannot be written.
    """
    made = table(servers, devices, **more)
    files.replace(Path(path).absolute(), shown(made))
    return checked(made, path)


def shown(made: Any) -> str:
    """A table's content as it is written."""
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"
