"""The command `python -m npu_lab.extras.tune`."""

from __future__ import annotations

import sys

from npu_lab.extras.tuning.tune.command import main

if __name__ == "__main__":
    sys.exit(main())
