"""The rank table: which devices of which servers a job has, and their ranks.

Versions "1.0" and "1.2" of the file are read.  All of its values are strings.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab.extras.distributed._texts import text

VERSIONS = {"1.0": 8, "1.2": 16}
"""The versions read here, and how many devices a server has at most."""

SERVER_ID_LIMIT = 64  # characters
SHOWN: Mapping[type, str] = {dict: "{...}", list: "[...]", str: '"..."'}


class RankTableError(ValueError):
    """A rank table that no job can run with; names the field and its value."""


@dataclass(frozen=True)
class Entry:
    """One rank: its server and device.

    `host` is where its server is reached, `host_port` at which port; None where the
    table does not say.
    """

    rank: int
    server_id: str
    device: int
    host: str
    device_ip: str | None = None
    host_port: int | None = None


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
    try:
        written = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RankTableError(text("no file", path=path, reason=reason)) from error
    try:
        content = json.loads(written)
    except json.JSONDecodeError as error:
        raise RankTableError(text("no json", path=path, reason=error)) from error
    return _Check(str(path)).table(content)


class _Check:
    """Checks one table; its errors name the file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def wrong(self, field: str, given: object, rule: str, **facts: object) -> Exception:
        shown = json.dumps(given, ensure_ascii=False)
        return RankTableError(
            text(
                "field",
                path=self.path,
                field=field,
                given=shown,
                rule=text(rule, **facts),
            )
        )

    def table(self, content: Any) -> RankTable:
        self.of_kind("rank table", content, dict)
        version = content.get("version")
        if version not in VERSIONS:
            raise self.wrong(
                "version", version, "version", versions=", ".join(VERSIONS)
            )
        if content.get("status") != "completed":
            raise self.wrong("status", content.get("status"), "status")
        servers = self.of_kind("server_list", content.get("server_list"), list)
        count = content.get("server_count")
        if count != str(len(servers)) or not servers:
            raise self.wrong("server_count", count, "server count", count=len(servers))
        places: dict[Entry, str] = {}
        for number, server in enumerate(servers):
            field = f"server_list[{number}]"
            devices = list(self.server(field, server, VERSIONS[version]))
            if places and len(devices) != len(places) // number:
                expected = len(places) // number
                shown = len(devices)
                raise self.wrong(
                    f"len({field}.device)", shown, "unequal", count=expected
                )
            places.update(devices)
        self.unique(places)
        for expected, (entry, field) in enumerate(
            sorted(places.items(), key=lambda item: item[0].rank)
        ):
            if entry.rank != expected:
                given = str(entry.rank)
                raise self.wrong(
                    f"{field}.rank_id", given, "rank order", expected=expected
                )
        ordered = sorted(places, key=lambda entry: entry.rank)
        self.grouped(ordered, places)
        return RankTable(tuple(ordered))

    def server(self, field: str, server: Any, most: int) -> Iterator[tuple[Entry, str]]:
        """The entries of one server, each with the name of its field."""
        self.of_kind(field, server, dict)
        server_id = self.of_kind(f"{field}.server_id", server.get("server_id"), str)
        if not 1 <= len(server_id) <= SERVER_ID_LIMIT:
            raise self.wrong(
                f"{field}.server_id", server_id, "long", limit=SERVER_ID_LIMIT
            )
        host = server.get("host_ip")
        if host is not None:
            self.address(f"{field}.host_ip", host)
        devices = self.of_kind(f"{field}.device", server.get("device"), list)
        if not devices:
            raise self.wrong(f"{field}.device", devices, "no devices")
        for number, device in enumerate(devices):
            place = f"{field}.device[{number}]"
            self.of_kind(place, device, dict)
            device_id = self.number(f"{place}.device_id", device.get("device_id"))
            if device_id >= most:
                given = device["device_id"]
                raise self.wrong(f"{place}.device_id", given, "device", last=most - 1)
            device_ip = device.get("device_ip")
            if device_ip is not None:
                self.address(f"{place}.device_ip", device_ip)
            port = device.get("host_port")
            rank = self.number(f"{place}.rank_id", device.get("rank_id"))
            yield (
                Entry(
                    rank=rank,
                    server_id=server_id,
                    device=device_id,
                    host=host or server_id,
                    device_ip=device_ip,
                    host_port=None
                    if port is None
                    else self.number(f"{place}.host_port", port),
                ),
                place,
            )

    def unique(self, places: dict[Entry, str]) -> None:
        """Each device, address and rank may be there once, and each server."""
        known: dict[tuple[str, object], str] = {}
        servers: dict[str, str] = {}
        for entry, place in places.items():
            server = place.rpartition(".")[0]
            other = servers.setdefault(entry.server_id, server)
            if other != server:
                field = f"{server}.server_id"
                raise self.wrong(field, entry.server_id, "twice", other=other)
            for name, key, given in (
                ("device_id", (entry.server_id, entry.device), str(entry.device)),
                ("device_ip", entry.device_ip, entry.device_ip),
                ("rank_id", entry.rank, str(entry.rank)),
            ):
                other = known.setdefault((name, key), place)
                if other != place and given is not None:
                    raise self.wrong(f"{place}.{name}", given, "twice", other=other)

    def grouped(self, ordered: list[Entry], places: dict[Entry, str]) -> None:
        """The ranks of one server must follow each other."""
        seen: list[str] = []
        for entry in ordered:
            if entry.server_id in seen[:-1]:
                given = str(entry.rank)
                field = f"{places[entry]}.rank_id"
                lost = ordered[entry.rank - 1].rank
                raise self.wrong(field, given, "rank order", expected=lost)
            if entry.server_id not in seen:
                seen.append(entry.server_id)

    def of_kind(self, field: str, given: Any, kind: type) -> Any:
        if not isinstance(given, kind):
            raise self.wrong(field, given, "kind", kind=SHOWN[kind])
        return given

    def number(self, field: str, given: Any) -> int:
        if not (isinstance(given, str) and given.isascii() and given.isdecimal()):
            raise self.wrong(field, given, "number")
        return int(given)

    def address(self, field: str, given: Any) -> None:
        try:
            ipaddress.ip_address(self.of_kind(field, given, str))
        except ValueError as error:
            if isinstance(error, RankTableError):
                raise
            raise self.wrong(field, given, "address") from error
