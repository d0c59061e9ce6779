"""Say how many lines of each module tests run, after `coverage run`.

    make coverage
    make coverage ARGS="tests/extras"     other tests than those of the core

Pure modules and the device must have 90 % of their lines run; the status is 1 where one
has not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.project.test_layers import PURE  # noqa: E402

LEAST = 90.0  # per cent
HELD = (*sorted(PURE), "device")


def percentages(report: Path) -> dict[str, tuple[int, float]]:
    """The lines, and the percentage of them that were run, of each module."""
    files = json.loads(report.read_text("utf-8"))["files"]
    package = "npu_lab/"
    return {
        path.partition(package)[2]: (
            facts["summary"]["num_statements"],
            facts["summary"]["percent_covered"],
        )
        for path, facts in sorted(files.items())
    }


def is_held(module: str) -> bool:
    """Whether a module, a path below the package, must reach the limit."""
    return module.partition("/")[0].removesuffix(".py") in HELD


def main() -> int:
    """Print a line for each module, lowest first; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage.json"
        command = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(path)]
        subprocess.run(command, cwd=ROOT, check=True)
        modules = percentages(path)
    low = 0
    for module, (lines, per_cent) in sorted(modules.items(), key=lambda m: m[1][1]):
        if not lines:
            continue
        missed = is_held(module) and per_cent < LEAST
        low += missed
        print(f"{per_cent:6.1f} %  {lines:5}  {module}{'  BELOW' * missed}")
    total = sum(lines for lines, _ in modules.values())
    run = sum(lines * per_cent / 100 for lines, per_cent in modules.values())
    print(f"{run / max(total, 1):7.1%}  {total:5}  in all; {low} below {LEAST:g} %")
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main())
