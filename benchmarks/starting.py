"""What it takes to start: one fresh Python process for each measurement."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.worker import Contestant

TIMED = """
import sys, time
start = time.perf_counter()
{statements}
print(time.perf_counter() - start, "tensorflow" in sys.modules)
"""


def fresh(statements: str, *, tensorflow: bool) -> Contestant:
    """Time `statements`; they must import TensorFlow, or must not."""

    def measure(_: float) -> dict[str, float]:
        program = TIMED.format(statements=statements)
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{statements!r} failed:\n{done.stderr}")
        seconds, imported = done.stdout.split()[-2:]
        if imported != str(tensorflow):
            raise RuntimeError(f"{statements!r}: TensorFlow imported: {imported}")
        return {"time": float(seconds)}

    return Contestant(measure)
