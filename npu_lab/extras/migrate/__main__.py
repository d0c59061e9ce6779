"""The command `python -m npu_lab.extras.migrate`."""

from __future__ import annotations

import sys

from npu_lab.extras.migrate.command import main

if __name__ == "__main__":
    sys.exit(main())
