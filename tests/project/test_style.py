"""What `make lint types` would say, said by the tests, too."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.tree import ROOT


@pytest.mark.parametrize(
    "command", ["ruff check .", "ruff format --check .", "mypy"], ids=lambda c: c
)
def test_a_check_of_the_code_finds_nothing(command: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
