"""What the launcher starts as a rank: `npu-lab run`, which tells how far it is."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Sequence

from npu_lab import cli
from npu_lab.extras.distributed.launcher import progress
from npu_lab.extras.distributed.launcher.progress import Stage


def main(arguments: Sequence[str]) -> int:
    """Run as `npu-lab run` does with these arguments."""
    sys.path.insert(0, "")  # in whose place the script's folder is put
    progress.begin()
    signal.signal(signal.SIGTERM, _end)
    status = cli.main(["run", *arguments])
    progress.reach(Stage.ENDED, status)
    return status


def _end(number: int, frame: object) -> None:
    """End at once, but with the report: a call may be waiting for ranks that ended."""
    del frame
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
