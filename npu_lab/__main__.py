"""`python -m npu_lab` is the command `npu-lab`."""

import sys

from npu_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
