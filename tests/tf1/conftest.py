"""Runs programs in a fresh interpreter, where TensorFlow has not been started yet."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import npu_lab.tf1
from npu_lab.tf1 import process

ROOT = Path(npu_lab.__file__).resolve().parents[1]

# Importing the view by name, as above, has entered it; other tests know nothing of it
process.leave("npu_lab.tf1")


@pytest.fixture
def run(tmp_path):
    """Run source text as `script.py` in `tmp_path`; return what it printed.

    The program must end well and write nothing to stderr, unless told otherwise.
    """

    def run(source, *, fails=False, flags=(), **environment):
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(source), "utf-8")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
        done = subprocess.run(
            [sys.executable, *flags, str(script)],
            env={**clean, "PYTHONPATH": str(ROOT), **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        if fails:
            assert done.returncode != 0, done.stdout
            return done.stderr
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    return run
