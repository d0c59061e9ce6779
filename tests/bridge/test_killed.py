"""A training that is killed again and again ends where an undisturbed one does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npu_lab.tf1 as tf
from tests.bridge import killing
from tests.project.tree import ROOT


def values(folder: Path) -> dict[str, Any]:
    newest = tf.train.latest_checkpoint(str(folder))
    assert newest == str(folder / f"model.ckpt-{killing.STEPS}")
    reader = tf.train.load_checkpoint(newest)
    names = sorted(reader.get_variable_to_shape_map())
    return {name: reader.get_tensor(name) for name in names}


@pytest.mark.slow
def test_a_training_that_is_killed_goes_on_from_its_last_whole_checkpoint(
    tmp_path: Path,
) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.bridge.killing", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    codes = json.loads((tmp_path / "codes.json").read_text("utf-8"))
    assert codes == [-signal.SIGKILL] * killing.KILLS + [0, 0]
    lines = (tmp_path / "told.txt").read_text("utf-8").splitlines()
    begun = [tuple(map(int, line.split())) for line in lines]
    assert [wanted for wanted, _ in begun] == [first for _, first in begun]
    assert len({first for _, first in begun}) > killing.KILLS / 3
    killed, whole = values(tmp_path / "killed"), values(tmp_path / "whole")
    assert list(killed) == list(whole)
    for name, value in whole.items():
        assert np.array_equal(value, killed[name]), name
