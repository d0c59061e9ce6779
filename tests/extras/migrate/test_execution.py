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
# TensorFlow 1.15's Estimator without a device: the view alone, nothing activated.
VIEW = """
import runpy, sys
from npu_lab.tf1 import view

view.install()
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


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


@pytest.fixture(scope="module")
def estimators():
    folder = SCRIPTS / "estimator"
    found = losses(["-c", VIEW], folder)
    assert len(found) == len(list(folder.glob("*.py"))) == 2
    return found


def migrated(source, profile, folder):
    """The migrated scripts' folder."""
    out, rep = folder / "out", folder / "rep"
    given = ["-i", source, "-o", out, "-r", rep, "--profile", profile]
    assert main([str(each) for each in given]) == 0
    (made,) = out.iterdir()
    assert all(b"npu" in path.read_bytes() for path in made.glob("*.py"))
    return made


def compare(found, originals):
    assert found.keys() == originals.keys()
    for name, values in originals.items():
        assert len(values) >= 3
        assert max(values) > 0.1
        assert found[name] == pytest.approx(values, rel=1e-5), name


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["auto", "manual"])
def test_the_losses_are_those_of_the_original(source, plain, profile, tmp_path):
    out = migrated(source, profile, tmp_path)
    compare(losses(["-m", "npu_lab", "run"], out), plain)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["auto", "manual"])
def test_the_losses_of_estimators_are(estimators, profile, tmp_path):
    out = migrated(SCRIPTS / "estimator", profile, tmp_path)
    made = "NPUEstimator(" if profile == "manual" else "npu_run_config_init("
    assert all(made in path.read_text() for path in out.glob("*.py"))
    # The adapter's own Estimator asks for the number of the job.
    compare(losses(["-m", "npu_lab", "run"], out, JOB_ID="10086"), estimators)
