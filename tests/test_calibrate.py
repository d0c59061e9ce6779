"""`npu-lab doctor --calibrate`: the figures of this computer, measured and kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab import calibrate, cli, doctor, profile_files
from npu_lab.timing import TimingModel


def doctor_command(home: Path) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    places = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    return subprocess.run(
        [sys.executable, "-m", "npu_lab", "doctor", "--calibrate", "--json"],
        env={**kept, **places, "NPU_LAB_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.alone
def test_the_computer_is_measured_and_its_profile_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = doctor_command(tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["calibration"]
    assert found["held_out"] == calibrate.HELD_OUT
    numbers = {str(n) for n in (*calibrate.NUMBERS, calibrate.HELD_OUT)}
    assert found["seconds_per_step"].keys() == found["errors"].keys() == numbers
    assert abs(found["errors"][str(calibrate.HELD_OUT)]) < 1  # a generous bound
    # Nothing else is left in the user's folders but Keras's own settings.
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.name for path in files} <= {"this_machine.toml", "keras.json"}

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    model = TimingModel.from_profile("this_machine")
    profile = profile_files.read("this_machine")
    assert str(profile.path) == found["profile"]
    assert {one.provenance for one in profile.figures.values()} == {"measured"}
    for name, (value, _) in found["figures"].items():
        assert getattr(model, name) == value
    assert model.step_seconds > 0
    assert model.launch_seconds > 0


MADE = TimingModel(0.001, launch_seconds=0.01)


@pytest.fixture
def measured() -> calibrate.Calibration:
    fit = TimingModel.fit(MADE.curve(calibrate.NUMBERS).items())
    numbers = sorted((*calibrate.NUMBERS, calibrate.HELD_OUT))
    seconds = MADE.curve(numbers)
    seconds[calibrate.HELD_OUT] /= 1.1
    return calibrate.Calibration(seconds, fit)


def test_every_number_divides_the_steps() -> None:
    assert all(
        calibrate.STEPS % n == 0 for n in (*calibrate.NUMBERS, calibrate.HELD_OUT)
    )
    assert calibrate.HELD_OUT not in calibrate.NUMBERS


@pytest.mark.parametrize(
    ("language", "held_out"), [("en", "held out"), ("zh", "未参与")]
)
def test_the_error_is_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch,
    measured: calibrate.Calibration,
    language: str,
    held_out: str,
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    lines = calibrate.lines(measured, Path("x.toml"))
    (line,) = [line for line in lines if held_out in line]
    assert "N = 20" in line
    assert "+10.0%" in line
    assert "x.toml" in lines[-1]


def test_a_profile_that_cannot_be_written_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    measured: calibrate.Calibration,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "file"))
    monkeypatch.setattr(calibrate, "calibrate", lambda: measured)
    assert cli.main(["doctor", "--calibrate", "--json"]) == 1
    told = capsys.readouterr()
    assert "the profile was not written" in told.err
    assert "calibration" not in json.loads(told.out)


def test_where_the_lab_cannot_run_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setattr(
        doctor, "examine", lambda: [doctor.Finding(doctor.PROBLEM, "numpy", "none")]
    )
    monkeypatch.setattr(calibrate, "calibrate", lambda: pytest.fail("measured"))
    assert cli.main(["doctor", "--calibrate"]) == 1
    assert "Not calibrated" in capsys.readouterr().err
