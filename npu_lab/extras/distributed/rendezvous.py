"""Without a rank table the ranks meet at the coordinator, which makes one.

The process whose address and device are the coordinator's listens at CM_CHIEF_PORT.
Each of the others tells it where it is, and gets the table and its own rank.  The
coordinator's server has the first ranks; then they go by address, and by device.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.environment import number, seconds
from npu_lab.extras.distributed.rank_table import Entry, RankTable

CONNECT_TIMEOUT = 120.0  # seconds, as on hardware
PAUSE = 0.1  # seconds between two tries


def meet(environ: Mapping[str, str], size: int) -> tuple[int, RankTable]:
    """Meet the other ranks; return the own rank, and the table.

    Raises:
        ValueError: a variable is wrong, or two ranks have the same device.
        TimeoutError: not all came.
    """
    port = number(environ, "CM_CHIEF_PORT", 0, 65520)
    chief = environ["CM_CHIEF_IP"], number(environ, "CM_CHIEF_DEVICE", 0, 15)
    own = environ["CM_WORKER_IP"], number(environ, "ASCEND_DEVICE_ID", 0, 15)
    for name in ("CM_CHIEF_IP", "CM_WORKER_IP"):
        try:
            ipaddress.ip_address(environ[name])
        except ValueError as error:
            facts = {"given": environ[name], "rule": text("address")}
            raise ValueError(text("variable", name=name, **facts)) from error
    limit = seconds(environ, "HCCL_CONNECT_TIMEOUT", CONNECT_TIMEOUT)
    try:
        if own == chief:
            places = _gather(chief, port, size, limit)
        else:
            places = _ask((chief[0], port), own, limit)
    except TimeoutError as error:
        raise TimeoutError(
            text("no meeting", ip=chief[0], port=port, size=size, seconds=limit)
        ) from error
    if len(set(places)) < len(places):
        twice = next(p for p in places if places.count(p) > 1)
        rule = text("twice", other=f"CM_WORKER_IP={twice[0]}")
        name = "ASCEND_DEVICE_ID"
        raise ValueError(text("variable", name=name, given=twice[1], rule=rule))
    entries = [Entry(n, ip, dev, host=ip) for n, (ip, dev) in enumerate(places)]
    return places.index(own), RankTable(tuple(entries))


def _gather(
    chief: tuple[str, int], port: int, size: int, limit: float
) -> list[tuple[str, int]]:
    end = time.monotonic() + limit
    with ExitStack() as opened:
        server = opened.enter_context(socket.create_server((chief[0], port)))
        places, links = [chief], []
        while len(places) < size:
            server.settimeout(max(PAUSE, end - time.monotonic()))
            link = opened.enter_context(server.accept()[0])
            link.settimeout(max(PAUSE, end - time.monotonic()))
            told = json.loads(link.makefile().readline())
            places.append((told[0], told[1]))
            links.append(link)
        places.sort(key=lambda place: (place[0] != chief[0], place))
        for link in links:
            link.sendall(json.dumps(places).encode() + b"\n")
    return places


def _ask(
    chief: tuple[str, int], own: tuple[str, int], limit: float
) -> list[tuple[str, int]]:
    end = time.monotonic() + limit
    while True:
        try:
            link = socket.create_connection(chief, timeout=max(PAUSE, limit))
            break
        except OSError as error:
            if time.monotonic() > end:
                raise TimeoutError from error
            time.sleep(PAUSE)
    with link:
        link.settimeout(max(PAUSE, end - time.monotonic()))
        link.sendall(json.dumps(own).encode() + b"\n")
        places: list[Any] = json.loads(link.makefile().readline())
    return [(ip, device) for ip, device in places]
