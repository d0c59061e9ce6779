"""Checks a rank table and gathers its faults, each with the field and its value."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from npu_lab.extras.distributed._texts import text

VERSIONS = {"1.0": 8, "1.2": 16}
"""The versions read here, and how many devices a server has at most."""

SERVER_ID_LIMIT = 64  # characters
LAST_PORT = 65535
SHOWN: Mapping[type, str] = {dict: "{...}", list: "[...]", str: '"..."'}


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
class Fault:
    """A wrong field, as JSON names it, its value as JSON, and what it must be."""

    field: str
    given: str
    rule: str


class Check:
    """The check of one table: its `faults`, and where it has none its `entries`.

    What depends on a field that is wrong is not looked at.
    """

    def __init__(self, content: Any) -> None:
        self.faults: list[Fault] = []
        self.entries: list[Entry] = []
        if self._of_kind("rank table", content, dict):
            self._table(content)

    def _wrong(self, field: str, given: object, rule: str, **facts: object) -> None:
        shown = json.dumps(given, ensure_ascii=False)
        self.faults.append(Fault(field, shown, text(rule, **facts)))

    def _table(self, content: Any) -> None:
        version = content.get("version")
        if not isinstance(version, str) or version not in VERSIONS:
            self._wrong("version", version, "version", versions=", ".join(VERSIONS))
            version = max(VERSIONS)
        if content.get("status") != "completed":
            self._wrong("status", content.get("status"), "status")
        servers = content.get("server_list")
        if not self._of_kind("server_list", servers, list):
            return
        count = content.get("server_count")
        if count != str(len(servers)) or not servers:
            self._wrong("server_count", count, "server count", count=len(servers))
        places: list[tuple[Entry, str]] = []
        complete, first = True, 0
        for number, server in enumerate(servers):
            field, known = f"server_list[{number}]", len(self.faults)
            devices = list(self._server(field, server, VERSIONS[version]))
            complete = complete and len(self.faults) == known
            if complete and len(devices) != (first := first or len(devices)):
                shown = len(devices)
                self._wrong(f"len({field}.device)", shown, "unequal", count=first)
            places += devices
        known = len(self.faults)
        self._unique(places)
        if complete and len(self.faults) == known:
            self._ranks(sorted(places, key=lambda place: place[0].rank))

    def _server(
        self, field: str, server: Any, most: int
    ) -> Iterator[tuple[Entry, str]]:
        """The entries of one server, each with the name of its field."""
        if not self._of_kind(field, server, dict):
            return
        server_id, host = server.get("server_id"), server.get("host_ip")
        if self._of_kind(f"{field}.server_id", server_id, str) and not (
            1 <= len(server_id) <= SERVER_ID_LIMIT
        ):
            self._wrong(f"{field}.server_id", server_id, "long", limit=SERVER_ID_LIMIT)
        if host is not None:
            self._address(f"{field}.host_ip", host)
        devices = server.get("device")
        if not self._of_kind(f"{field}.device", devices, list):
            return
        if not devices:
            self._wrong(f"{field}.device", devices, "no devices")
        for number, device in enumerate(devices):
            place = f"{field}.device[{number}]"
            own = self._device(place, device, most)
            if own is not None:
                rank, device_id, *more = own
                names = str(server_id), device_id, str(host or server_id)
                yield Entry(rank, *names, *more), place

    def _device(self, place: str, device: Any, most: int) -> Any:
        """Rank, device, its address and port; None where there is no saying."""
        if not self._of_kind(place, device, dict):
            return None
        number = self._number(f"{place}.device_id", device.get("device_id"))
        if number is not None and number >= most:
            given = device["device_id"]
            self._wrong(f"{place}.device_id", given, "device", last=most - 1)
        device_ip, port = device.get("device_ip"), device.get("host_port")
        if device_ip is not None:
            self._address(f"{place}.device_ip", device_ip)
        if port is not None:
            port = self._number(f"{place}.host_port", given := port)
            if port is not None and not 1 <= port <= LAST_PORT:
                self._wrong(f"{place}.host_port", given, "port number")
        rank = self._number(f"{place}.rank_id", device.get("rank_id"))
        return None if None in (number, rank) else (rank, number, device_ip, port)

    def _unique(self, places: list[tuple[Entry, str]]) -> None:
        """Each device, address and rank may be there once, and each server."""
        known: dict[tuple[str, object], str] = {}
        servers: dict[str, str] = {}
        told: set[str] = set()
        for entry, place in places:
            server = place.rpartition(".")[0]
            other = servers.setdefault(entry.server_id, server)
            if other != server and server not in told:
                told.add(server)
                field = f"{server}.server_id"
                self._wrong(field, entry.server_id, "twice", other=other)
            for name, key, given in (
                ("device_id", (server, entry.device), str(entry.device)),
                ("device_ip", entry.device_ip, entry.device_ip),
                ("rank_id", entry.rank, str(entry.rank)),
            ):
                if given is None:
                    continue
                other = known.setdefault((name, key), place)
                if other != place:
                    self._wrong(f"{place}.{name}", given, "twice", other=other)

    def _ranks(self, ordered: list[tuple[Entry, str]]) -> None:
        """They count from 0 without gaps, and those of a server follow each other."""
        seen: list[str] = []
        for expected, (entry, place) in enumerate(ordered):
            given, field = str(entry.rank), f"{place}.rank_id"
            if entry.rank != expected:
                self._wrong(field, given, "rank order", expected=expected)
                return
            if entry.server_id in seen[:-1]:
                self._wrong(field, given, "apart", server=entry.server_id)
                return
            if entry.server_id not in seen:
                seen.append(entry.server_id)
        self.entries = [entry for entry, _ in ordered]

    def _of_kind(self, field: str, given: Any, kind: type) -> bool:
        if not isinstance(given, kind):
            self._wrong(field, given, "kind", kind=SHOWN[kind])
            return False
        return True

    def _number(self, field: str, given: Any) -> int | None:
        if not (isinstance(given, str) and given.isascii() and given.isdecimal()):
            self._wrong(field, given, "number")
            return None
        return int(given)

    def _address(self, field: str, given: Any) -> None:
        if not self._of_kind(field, given, str):
            return
        try:
            ipaddress.ip_address(given)
        except ValueError:
            self._wrong(field, given, "address")
