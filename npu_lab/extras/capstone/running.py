"""Runs a version of the script in a process of its own, and keeps what it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab import files

DELAY = 0.001
"""Injected wait of a host call, seconds."""
LONGEST = 600  # seconds
TAIL = 6  # lines of what a failed script wrote


@dataclass(frozen=True)
class Ran:
    """One run.

    Attributes:
        folder: where it ran, and what it left: `report.json`, `trace.json`.
        report: what `npu-lab run --report` says.
        seconds: of the whole process, measured.
        said: the last lines it wrote.
    """

    folder: Path
    report: dict[str, Any]
    seconds: float
    said: str

    @property
    def failed(self) -> bool:
        """Whether it ended by an error."""
        return bool(self.report.get("exit") != "ok")

    @property
    def checkpoint(self) -> str | None:
        """The newest checkpoint it left."""
        found = [one for one in self.folder.rglob("*.index") if one.is_file()]
        newest = max(found, key=lambda one: one.stat().st_mtime_ns, default=None)
        return None if newest is None else str(newest.with_suffix(""))


def digest(script: str) -> str:
    """The SHA-256 of a script's text."""
    return hashlib.sha256(script.encode()).hexdigest()


def run(script: str, folder: Path) -> Ran:
    """Run a script in a sub-folder of `folder`; a version is run once.

    Raises:
        OSError: the folder cannot be written.
    """
    place = folder / digest(script)[:12]
    done = place / "done.json"
    if done.exists():
        kept = json.loads(done.read_text("utf-8"))
        return Ran(place, kept["report"], kept["seconds"], kept["said"])
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "train.py").write_text(script, "utf-8")
    command = [sys.executable, "-m", "npu_lab", "run", "--link-delay", str(DELAY)]
    command += ["--report", "report.json", "--trace", "trace.json", "train.py"]
    begun = time.monotonic()
    finished = subprocess.run(
        command,
        cwd=place,
        env=_environment(place),
        capture_output=True,
        check=False,
        timeout=LONGEST,
    )
    seconds = time.monotonic() - begun
    lines = (finished.stdout + finished.stderr).decode("utf-8", "replace").splitlines()
    said = "\n".join(lines[-TAIL:])
    report: dict[str, Any] = {"exit": "error", "error": {"type": "", "message": said}}
    if (place / "report.json").exists():
        report = json.loads((place / "report.json").read_text("utf-8"))
    ran = Ran(place, report, seconds, said)
    kept = {"report": report, "seconds": seconds, "said": said}
    files.replace(done, json.dumps(kept))
    return ran


def _environment(place: Path) -> dict[str, str]:
    """Of this process, with a host log of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    return {
        **kept,
        "ASCEND_GLOBAL_LOG_LEVEL": "1",
        "ASCEND_PROCESS_LOG_PATH": str(place / "plog"),
    }
