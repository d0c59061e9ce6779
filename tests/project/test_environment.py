"""`environment.yml` gives by conda what `make env` gives."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import venv

import pytest
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.project.tree import (
    ROOT,
    conda_environment,
    conda_pip_lines,
    pins,
    requirement_lines,
)


def test_pip_gets_the_pins_of_the_requirement_files_and_the_project(tmp_path):
    # Conda writes the lines to a file in the project's folder and runs pip there.
    lines = conda_pip_lines()
    assert "-e ." in lines
    copy = tmp_path / "conda.txt"
    copy.write_text("\n".join(line for line in lines if line != "-e ."), "utf-8")
    (tmp_path / "requirements").symlink_to(ROOT / "requirements")
    wanted = requirement_lines(ROOT / "requirements" / "test.txt")
    assert requirement_lines(copy) == wanted


def test_conda_itself_brings_only_python_and_pip():
    python, pip, *rest = conda_environment()["dependencies"]
    assert pip == "pip"
    assert len(rest) == 1
    version = python.removeprefix("python=")
    assert SpecifierSet(">=3.11,<3.14").contains(f"{version}.99")
    assert conda_environment()["name"] == "npu-lab"


@pytest.mark.slow
def test_the_pip_part_resolves_to_the_pins_in_a_fresh_environment(tmp_path):
    venv.create(tmp_path / "fresh", with_pip=True)
    python = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    report = tmp_path / "report.json"
    command = [tmp_path / "fresh" / python, "-m", "pip", "install"]
    command += ["--dry-run", "--no-input", "--report", report]
    # All but one come as wheels, so no compiler is needed; that one is plain Python.
    command += ["--only-binary", ":all:", "--no-binary", "jieba"]
    for line in conda_pip_lines():
        command += shlex.split(line)
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    items = json.loads(report.read_text("utf-8"))["install"]
    found = {
        canonicalize_name(item["metadata"]["name"]): item["metadata"]["version"]
        for item in items
    }
    assert found.pop("npu-lab")
    wanted = {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in pins(ROOT / "requirements" / "test.txt")
        if pin.marker is None or pin.marker.evaluate()
    }
    assert found.keys() == wanted.keys()
    for name, version in wanted.items():
        assert Version(found[name]) == Version(version), name
