"""The command `python -m npu_lab.extras.launch`."""

from __future__ import annotations

import sys

from npu_lab.extras.distributed.launcher.command import main

if __name__ == "__main__":
    sys.exit(main())
