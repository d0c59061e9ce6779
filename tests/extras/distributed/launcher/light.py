"""A rank without TensorFlow, which starts at once; scripts move it on by themselves."""

from __future__ import annotations

import json
import runpy
import sys
import traceback
from pathlib import Path

from npu_lab.extras.distributed.launcher import progress


def main(arguments: list[str]) -> int:
    progress.begin()
    report = Path(arguments[arguments.index("--report") + 1])
    script = next(i for i, word in enumerate(arguments) if word.endswith(".py"))
    sys.argv = arguments[script:]
    status, error = 0, None
    try:
        runpy.run_path(arguments[script], run_name="__main__")
    except SystemExit as stop:
        status = stop.code or 0
    except BaseException as problem:  # noqa: BLE001
        traceback.print_exc()
        status = 130 if isinstance(problem, KeyboardInterrupt) else 1
        error = {"type": type(problem).__name__, "message": str(problem)}
    told = {"exit": "error" if status else "ok", "error": error, "loops": []}
    report.write_text(json.dumps(told), "utf-8")
    progress.reach(progress.Stage.ENDED, status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
