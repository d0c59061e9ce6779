"""Runs `npu-lab` as a command of its own, in a fresh process and folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Ran:
    """One run of the command."""

    status: int
    out: str
    err: str
    report: dict[str, Any] | None


@pytest.fixture
def npu_lab(tmp_path: Path) -> Callable[..., Ran]:
    """`npu_lab("run", script, ...)` with --report, in `tmp_path`."""

    def call(*arguments: Any, env: dict[str, str] | None = None, **how: Any) -> Ran:
        report = tmp_path / "report.json"
        given = [str(a) for a in arguments]
        if how.pop("report", True) and given[:1] == ["run"]:
            given[1:1] = ["--report", str(report)]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
        done = subprocess.run(
            [sys.executable, "-m", "npu_lab", *given],
            cwd=tmp_path,
            env={
                **kept,
                "HOME": str(tmp_path),
                "TMPDIR": str(tmp_path),
                "NPU_LAB_LANG": "en",
                **(env or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            **how,
        )
        written = json.loads(report.read_text("utf-8")) if report.exists() else None
        return Ran(done.returncode, done.stdout, done.stderr, written)

    return call


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """Write a script and return its path."""

    def write(text: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
