"""`%%npu_run` and `%npu_log`: what a cell did on the device, and what was logged.

They only look: the cell runs as it would without them.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from npu_lab import activation, hostlog
from npu_lab.device import Device
from npu_lab.diagnostics import Diagnostic
from npu_lab.lab import pages
from npu_lab.lab._texts import say
from npu_lab.lab.tables import Table
from npu_lab.trace import Verdict, loops

# Of a record, without a filter: what tells of the loop.
TELLING = ("Insert op success", "No need FlowCtrl", "need iteration", "_per_loop is")
# The adapter's place in its source, the thread, and the engine's function.
_HEAD = re.compile(r"^(\[TF_ADAPTER\])?(\[[^\]]*\])?\s*\d+ (\w+:)?")

# How many records the log had when the last %%npu_run began.
_logged_before = 0


class Before:
    """The counts of a device before a cell."""

    def __init__(self, device: Device | None) -> None:
        self.calls = device.ledger.calls.copy() if device else Counter()
        self.counted = _counted(device) if device else Counter[str]()
        verdicts = device.verdicts if device else []
        self.verdicts = {id(one): (one.calls, one.iterations) for one in verdicts}
        self.diagnostics = len(device.diagnostics) if device else 0


@dataclass(frozen=True)
class CellRun(pages.Shown):
    """What one cell did on the device."""

    verdicts: tuple[Verdict, ...]
    others: tuple[Diagnostic, ...]
    table: Table | None

    @property
    def _lines(self) -> list[str]:
        return [str(one) for one in (*self.verdicts, *self.others)] or [
            say("no compiled run")
        ]

    def __str__(self) -> str:
        return "\n".join([*self._lines, *(str(one) for one in [self.table] if one)])

    @property
    def html(self) -> pages.Html:
        """The card: the verdicts, then the table."""
        found = [*self.others, *(d for one in self.verdicts for d in one.diagnostics)]
        bad = any(one.severity in {"warning", "error"} for one in found)
        sunk = self.verdicts and all(one.in_effect for one in self.verdicts)
        lines = [line for each in self._lines for line in each.splitlines()]
        return pages.fill(
            "cell_run",
            state="wrong" if bad else "right" if sunk else "plain",
            lines=pages.join([pages.fill("line", text=line) for line in lines]),
            table=self.table.html if self.table else "",
        )


def run(shell: Any, cell: str) -> None:
    """Run the source of a cell in `shell`, then show what it did; errors go on."""
    global _logged_before
    __tracebackhide__ = True
    from IPython.display import display

    device = activation.active_device()
    before, _logged_before = Before(device), len(own_records())
    try:
        _execute(shell, cell)
    finally:
        now = activation.active_device()
        if now is not None:
            done = cell_run(now, before if now is device else Before(None))
            display(done)  # type: ignore[no-untyped-call]


def cell_run(device: Device, before: Before) -> CellRun:
    """What was counted and found on `device` after `before`."""
    used = []
    for verdict in device.verdicts:
        calls, iterations = before.verdicts.get(id(verdict), (0, 0))
        if verdict.calls > calls or id(verdict) not in before.verdicts:
            new = (verdict.calls - calls, verdict.iterations - iterations)
            used.append(replace(verdict, calls=new[0], iterations=new[1]))
    found = tuple(loops(used))
    told = {d.text() for verdict in found for d in verdict.diagnostics}
    new_ones = device.diagnostics[before.diagnostics :]
    others = {d.text(): d for d in new_ones if d.text() not in told}
    return CellRun(found, tuple(others.values()), _table(device, before))


def _table(device: Device, before: Before) -> Table:
    calls = device.ledger.calls - before.calls
    counted = _counted(device)
    counted.subtract(before.counted)
    kinds = ", ".join(f"{say(kind)} {number}" for kind, number in calls.items())
    total = say("by kind", total=calls.total(), kinds=kinds) if kinds else "0"
    shown = [name for name in counted if counted[name] or name != "cell host batches"]
    rows = [(say(name), str(counted[name])) for name in shown]
    rows.insert(0, (say("cell calls"), total))
    header = (say("figure"), say("count"))
    return Table(say("counted here"), header, tuple(rows))


def _counted(device: Device) -> Counter[str]:
    ledger = device.ledger
    return Counter(
        {
            "cell iterations": ledger.device_iterations,
            "cell batches": ledger.batches_pulled,
            "cell host batches": ledger.host_batches,
        }
    )


def _execute(shell: Any, cell: str) -> None:
    """As IPython runs a cell: magics work, and the value of the last line is shown."""
    __tracebackhide__ = True
    source = shell.transform_cell(cell)
    name = shell.compile.cache(source, shell.execution_count)
    body = shell.transform_ast(shell.compile.ast_parse(source, name)).body
    last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
    exec(compile(ast.Module(body, []), name, "exec"), shell.user_ns)  # noqa: S102
    exec(compile(ast.Interactive(last), name, "single"), shell.user_ns)  # noqa: S102


@dataclass(frozen=True)
class LogLines(pages.Shown):
    """Records of the host log without time, process and thread; markers set off.

    All are counted, the last `most` shown.  Without a `folder` they are this process's.
    """

    records: tuple[hostlog.Record, ...]
    folder: Path | None = None
    most: int = sys.maxsize

    @property
    def _rows(self) -> list[tuple[bool, str]]:
        return [
            (_is_marker(r), f"{r.level:5} {r.module:3} {_HEAD.sub('', r.message)}")
            for r in self.records[-self.most :]
        ]

    @property
    def _caption(self) -> str:
        count, markers = len(self.records), sum(map(_is_marker, self.records))
        device = activation.active_device()
        facts = {
            "level": device.log.level if device else "-",
            "count": count,
            "markers": markers,
            "folder": self.folder,
            "shown": self.most,
        }
        told = say(
            f"{'' if count else 'no '}log lines{' in' * bool(self.folder)}", **facts
        )
        return told + (say("log lines cut", **facts) if count > self.most else "")

    def __str__(self) -> str:
        lines = [f"{'>' if marker else ' '} {text}" for marker, text in self._rows]
        return "\n".join([*lines, self._caption])

    @property
    def html(self) -> pages.Html:
        """The lines as in a terminal, markers in bold type."""
        lines = [
            pages.fill("log_marker" if marker else "log_line", text=text)
            for marker, text in self._rows
        ]
        joined = pages.Html("\n".join(lines))
        return pages.fill("log", lines=joined, caption=self._caption)


def _is_marker(record: hostlog.Record) -> bool:
    return bool(record.inserted and hostlog.is_marker(record.inserted[0]))


def log_lines(filters: str) -> LogLines:
    """The records of this process's host log that match.

    `filters` are words that a line must hold, in any case; without one, those are meant
    that tell of the loop. ``--last`` first: only what was logged since the last
    ``%%npu_run`` began.
    """
    words = filters.split()
    records = own_records()
    if words[:1] == ["--last"]:
        words, records = words[1:], records[_logged_before:]
    wanted = [word.lower() for word in words]
    return LogLines(
        tuple(
            record
            for record in records
            if all(word in record.message.lower() for word in wanted)
            and (wanted or any(part in record.message for part in TELLING))
        )
    )


def own_records() -> list[hostlog.Record]:
    """All that this process has logged so far, in order."""
    device = activation.active_device()
    return list(hostlog.read(device.log.folder, pid=os.getpid())) if device else []
