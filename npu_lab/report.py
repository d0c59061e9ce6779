"""The report of one run: a stable JSON interface, and the same in a few lines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from npu_lab import files, hostlog
from npu_lab._texts import text
from npu_lab.call_limit import CallLimit
from npu_lab.device import Device
from npu_lab.trace import Verdict, loops


def report(device: Device, error: BaseException | None = None) -> dict[str, Any]:
    """What happened since the device was activated; the format is a stable interface.

    ``loops`` has one entry for each distinct (graph, fetches) that holds IterationOp or
    is a training call; ``warnings`` those of severity warning or error.  The log's
    figures are counted in the files that this process wrote.
    """
    evidence = _evidence(device)
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for diagnostic in device.diagnostics:
        if diagnostic.severity in {"warning", "error"}:
            entry = {"code": diagnostic.code, "message": diagnostic.message}
            seen[diagnostic.code, diagnostic.message] = entry
    return {
        "exit": "ok" if error is None else "error",
        **device.ledger.as_dict(),
        "loops": [verdict.as_dict() for verdict in device.loops],
        "warnings": list(seen.values()),
        "log": {
            "path": str(device.log.folder),
            "markers": evidence.markers,
            "flow_control_lines": evidence.flow_control_lines,
            "keyword_lines": evidence.keyword_lines,
        },
        "error": (
            None
            if error is None
            else {"type": type(error).__name__, "message": _message(error)}
        ),
    }


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as broken:  # noqa: BLE001  (the script's own __str__)
        return f"(its text cannot be had: {type(broken).__name__})"


def write(figures: dict[str, Any], path: Path) -> None:
    """Write `figures` as JSON: whole or not at all."""
    files.replace(path, json.dumps(figures, indent=2) + "\n")


def summary(device: Device) -> list[str]:
    """The report in a few lines, in the current language, for a terminal."""
    ledger = device.ledger
    lines = [
        text(
            "calls",
            runs=ledger.session_runs,
            training=ledger.training_calls,
            iterations=ledger.device_iterations,
            batches=ledger.batches_pulled,
        )
    ]
    if ledger.injected_seconds:
        lines.append(text("delay", seconds=ledger.injected_seconds))
    for verdict in device.loops:
        line = text(
            "loop",
            fetches=", ".join(verdict.fetches),
            state=text(verdict.state),
            n=verdict.iterations_per_loop,
            data=text(verdict.data),
        )
        reasons = ", ".join(d.code for d in verdict.diagnostics)
        lines.append(f"{line} ({reasons})" if reasons else line)
    evidence = _evidence(device)
    lines.append(
        text(
            "evidence",
            answer=text(evidence.answer),
            markers=evidence.markers,
            flow=evidence.flow_control_lines,
            keyword=evidence.keyword_lines,
        )
    )
    return lines


def unsunk(device: Device) -> list[Verdict]:
    """The loops that were run and meant to sink, but are not in effect."""
    return [verdict for verdict in _meant(device) if not verdict.in_effect]


def check(device: Device, limit: CallLimit, status: int) -> list[str]:
    """What `--calls` found, a line each: how the script ended, and every bad loop.

    `status` is the script's own; only of one that did not fail it is said that all is
    well.
    """
    made, bad, meant = device.ledger.training_calls, unsunk(device), _meant(device)
    if limit.stopped:
        key = "stopped"
    elif status:
        key = "failed"
    else:
        key = "ended" if made else "never trained"
    lines = [text(key, made=made, calls=limit.calls)]
    for verdict in bad:
        why = " ".join(d.text() for d in verdict.diagnostics) or text("not asked")
        names, state = ", ".join(verdict.fetches), text(verdict.state)
        lines.append(text("check failed", fetches=names, state=state, why=why))
    if key in {"stopped", "ended"} and not bad:
        passed = "check passed" if meant else "nothing to sink"
        lines.append(text(passed, count=len(meant)))
    return lines


def _meant(device: Device) -> list[Verdict]:
    """The loops that were run and for which something asks for more than one step.

    That is the session's option, the loaded count, or an IterationOp, also one of
    another name, that has neither.
    """
    return [
        verdict
        for verdict in loops(v for v in device.verdicts if v.calls)
        if verdict.option > 1
        or (verdict.iteration_op and verdict.loaded != 1)
        or "SINK029" in {d.code for d in verdict.diagnostics}
    ]


def _evidence(device: Device) -> hostlog.Evidence:
    """What the files say that this process wrote."""
    return hostlog.judge(hostlog.read(device.log.folder, pid=os.getpid()))
