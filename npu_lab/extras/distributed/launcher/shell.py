"""The lines for the shells of real machines, as the documentation has them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from npu_lab.extras.distributed.launcher import plan
from npu_lab.extras.distributed.launcher._texts import text


def commands(
    script: str | os.PathLike[str],
    arguments: Sequence[str],
    *,
    ranks: int | None,
    table: str | os.PathLike[str] | None,
) -> Iterator[str]:
    """One process for each device, without npu_lab; nothing is run or written.

    Raises:
        ValueError: the rank table is wrong, or not of as many ranks.
    """
    read, given = plan.listed(ranks, table)
    yield f"# {text('commands')}"
    if given is None:
        yield f"# {text('commands table')}"
    common = {"RANK_TABLE_FILE": str(given or Path(plan.TABLE)), **plan.variables(read)}
    words = ["python3", str(script), *arguments]
    server = None
    for rank, entry in enumerate(read.entries):
        if entry.server_id != server:
            if server is not None:
                yield from ("wait", "")
            server = entry.server_id
            yield f"# {text('commands server', server=server)}"
            yield from (_export(name, value) for name, value in common.items())
        yield _export("RANK_ID", str(rank))
        yield _export("ASCEND_DEVICE_ID", str(entry.device))
        yield f"nohup {shlex.join(words)} > rank_{rank}.log 2>&1 &"
    yield "wait"


def _export(name: str, value: str) -> str:
    if name == "RANK_TABLE_FILE" and not value.startswith("/"):
        return f'export {name}="$PWD"/{shlex.quote(value)}'
    return f"export {name}={shlex.quote(value)}"
