"""The course from one folder of wheels, in a fresh environment without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.project.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
LESSON = """
from npu_lab import lesson
import npu_lab.extras.course.copying as copying, pathlib, sys
assert "site-packages" in copying.__file__, copying.__file__
assert len(lesson.names()) > 9
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder of commands of an environment that was made from the folder alone."""
    base = tmp_path_factory.mktemp("offline")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "wheelhouse.py", base / "wheels"], check=True
    )
    note = (base / "wheels" / "INSTALL.txt").read_text("utf-8")
    command = next(line.split() for line in note.splitlines() if "pip install" in line)
    venv.create(base / "npu_lab_env", with_pip=True)
    command = [part.strip('"').replace("WHEELHOUSE", "wheels") for part in command]
    # Should pip ask an index all the same, there is none.
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9", "PIP_CONFIG_FILE": os.devnull}
    subprocess.run([*command, "--quiet"], check=True, cwd=base, env=alone() | nowhere)
    return base / "npu_lab_env" / "bin"


def alone() -> dict[str, str]:
    """The variables without those that lead Python elsewhere."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}


def run(folder: Path, *command: str, cwd: Path) -> str:
    ran = subprocess.run(
        [folder / command[0], *command[1:]],
        cwd=cwd,
        env=alone() | {"HOME": str(cwd)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_package_is_that_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    run(installed, "python", "-c", LESSON, cwd=tmp_path)


def test_a_lesson_runs_outside_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    run(installed, "npu-lab", "course", "--no-open", "here", cwd=tmp_path)
    first = tmp_path / "here" / "notebooks" / "00_start_here.ipynb"
    convert = ["jupyter", "nbconvert", "--execute", "--to", "notebook", "--inplace"]
    run(installed, *convert, str(first), cwd=tmp_path)
    assert "Insert op success" in first.read_text("utf-8")


def test_the_data_is_there(installed: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from npu_lab.datasets import mnist\nprint(len(mnist().train.images))\n",
        "utf-8",
    )
    assert int(run(installed, "python", str(script), cwd=tmp_path)) == 8000
