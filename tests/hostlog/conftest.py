"""Logs in a temporary folder, and graphs to log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab.hostlog import CompiledGraph, HostLog

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "en")


@pytest.fixture
def make_log(tmp_path):
    """A factory of started logs in `tmp_path`; keywords are environment variables."""
    logs = []

    def make(level="1", **environ):
        environ.setdefault("ASCEND_PROCESS_LOG_PATH", str(tmp_path))
        if level is not None:
            environ["ASCEND_GLOBAL_LOG_LEVEL"] = level
        logs.append(HostLog(environ).start())
        return logs[-1]

    yield make
    for log in logs:
        log.close()


@pytest.fixture
def make_graph():
    """A factory of graphs: by default one that holds a loop fed from the host."""

    def make(graph_id=1, **changes):
        facts = {
            "iterations_per_loop": 10,
            "mix_compile_mode": False,
            "need_iteration": True,
            "training_mode": True,
            "known_shapes": True,
            "loop": True,
        }
        return CompiledGraph(graph_id, **{**facts, **changes})

    return make


@pytest.fixture
def run_python(tmp_path):
    """Run code in a fresh interpreter; variables given as None are unset."""

    def run(code, **changes):
        environ = {
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "NPU_LAB_LANG": "en",
            **changes,
        }
        environ = {name: text for name, text in environ.items() if text is not None}
        return subprocess.run(
            [sys.executable, "-c", code],
            env=environ,
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run
