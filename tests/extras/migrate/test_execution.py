"""Migrated scripts run on the emulated device, with the losses of the originals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate.command import main

SCRIPTS = Path(__file__).parent / "scripts"
DRIVER = SCRIPTS / "driver.py"


def losses(command, folder, **variables):
    done = subprocess.run(
        [sys.executable, *command, str(DRIVER), str(folder)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **variables},
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
    return {line[1]: json.loads(line[2]) for line in lines if line[0] == "LOSSES"}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for path in SCRIPTS.glob("*.py"):
        if path != DRIVER:
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def plain(source):
    found = losses([], source, TF_USE_LEGACY_KERAS="1")
    assert len(found) == len(list(source.glob("*.py"))) == 10
    return found


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["auto", "manual"])
def test_the_losses_are_those_of_the_original(source, plain, profile, tmp_path):
    given = [
        "-i",
        str(source),
        "-o",
        str(tmp_path / "out"),
        "-r",
        str(tmp_path / "rep"),
    ]
    assert main([*given, "--profile", profile]) == 0
    (out,) = (tmp_path / "out").iterdir()
    assert all(b"npu" in path.read_bytes() for path in out.glob("*.py"))
    migrated = losses(["-m", "npu_lab", "run"], out)
    assert migrated.keys() == plain.keys()
    for name, values in plain.items():
        assert len(values) >= 3
        assert migrated[name] == pytest.approx(values, rel=1e-5), name
