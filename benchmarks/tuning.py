"""Has a model tuned by `npu-lab tune`, as a user does."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import ROOT, environment

SCRIPT = Path(__file__).with_name("tuned_script.py")
STEPS = 100_000


def tuned(model: str, seconds: float) -> tuple[int, list[int]]:
    """The N that is recommended for `model`, and all that were tried."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "npu_lab", "tune", "--steps", str(STEPS)]
        command += ["--seconds", str(seconds), "--report", str(report)]
        subprocess.run(
            [*command, str(SCRIPT), model],
            check=True,
            cwd=ROOT,
            env=environment(folder) | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
        )
        found = json.loads(report.read_text("utf-8"))
    return found["recommended"], [int(n) for n in found["seconds_per_step"]]
