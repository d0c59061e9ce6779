"""The command `python -m npu_lab.extras.grade`."""

from __future__ import annotations

import sys

from npu_lab.extras.grade.command import main

if __name__ == "__main__":
    sys.exit(main())
