"""Says in words what a rank table holds: its fields, its ranks, their variables."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from npu_lab.extras.distributed import ranks
from npu_lab.extras.distributed.launcher.jobs import width
from npu_lab.extras.distributed.rank_table import RankTable
from npu_lab.extras.ranktable._texts import TEXTS, text

COLUMNS = ("rank", "server", "device", "device_ip", "address")
JOB_ID = "10087"
INSIDE = frozenset({"super_pod_list"})  # fields that are explained as a whole


def lines(path: Path, content: Any, table: RankTable) -> Iterator[str]:
    """Everything, in the current language.

    Raises:
        ValueError: HCCL_IF_BASE_PORT is no port.
    """
    yield text("where")
    addresses = ranks.addresses(table, os.environ)
    rows = [tuple(map(text, COLUMNS))]
    for entry, address in zip(table.entries, addresses, strict=True):
        place = entry.server_id, str(entry.device), entry.device_ip or "-"
        rows.append((str(entry.rank), *place, address))
    yield from columns(rows)
    yield from ("", text("fields"))
    yield from columns([(f, _meaning(f)) for f in _fields(content)])
    yield from ("", text("shell"))
    size, file = len(table.entries), shlex.quote(str(path.absolute()))
    common = f"RANK_TABLE_FILE={file} RANK_SIZE={size} JOB_ID={JOB_ID}"
    for entry in table.entries:
        yield "  " + text("of rank", rank=entry.rank, server=entry.server_id)
        own = f"RANK_ID={entry.rank} ASCEND_DEVICE_ID={entry.device}"
        yield f"  export {common} {own}"


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines whose cells stand below each other."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell + " " * (w - width(cell)) for cell, w in zip(row, widths, strict=True)
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _meaning(field: str) -> str:
    key = f"field {field}"
    return text(key if key in TEXTS else "unknown")


def _fields(content: Any, before: str = "") -> list[str]:
    """The names of all fields there are, once each, in the order of the file."""
    found: dict[str, None] = {}
    for name, value in content.items():
        field = f"{before}{name}"
        found[field] = None
        for part in value if isinstance(value, list) and field not in INSIDE else ():
            if isinstance(part, dict):
                found |= dict.fromkeys(_fields(part, f"{field}[]."))
    return list(found)
