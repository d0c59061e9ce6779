"""`npu-lab doctor`: what it finds, and that a real fault is seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from npu_lab import _texts, doctor
from tests.project.tree import ROOT, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def found(
    environ: dict[str, str] | None = None, **how: Any
) -> dict[str, doctor.Finding]:
    findings = doctor.examine(environ or {}, **how)
    return {finding.subject: finding for finding in findings}


def versions(**changed: str | None) -> Callable[[str], str]:
    """Look up versions: those installed, but for those given; None is not there."""

    def version(name: str) -> str:
        value = changed.get(name, "")
        if value is None:
            raise metadata.PackageNotFoundError(name)
        return value or metadata.version(name)

    return version


def test_here_nothing_is_wrong(tmp_path: Path) -> None:
    findings = found({"HOME": str(tmp_path)})
    states = {subject: finding.state for subject, finding in findings.items()}
    assert doctor.PROBLEM not in states.values(), findings
    assert findings["tensorflow"].message == metadata.version("tensorflow")
    assert states["ASCEND_GLOBAL_LOG_LEVEL"] == states["JOB_ID"] == doctor.NOTE


@pytest.mark.parametrize("name", doctor.PACKAGES)
def test_a_missing_package_is_a_problem(name: str) -> None:
    finding = found(version=versions(**{name: None}))[name]
    assert finding.state == doctor.PROBLEM
    assert f"pip install '{name}{doctor.PACKAGES[name]}'" in finding.message


@pytest.mark.parametrize(
    ("name", "version", "state"),
    [
        ("tensorflow", "2.20.0", "problem"),
        ("tensorflow", "2.21.1", "ok"),
        ("tensorflow", "2.22.0rc1", "problem"),
        ("tensorflow", "3.0", "problem"),
        ("numpy", "1.26.4", "problem"),
        ("numpy", "3.0.0", "ok"),
        ("jupyterlab", "5.0.0", "problem"),
        ("ipywidgets", "7.8.5", "problem"),
        ("jupyterlab_widgets", "1.1.11", "problem"),
    ],
)
def test_versions_that_fit_and_do_not(name: str, version: str, state: str) -> None:
    finding = found(version=versions(**{name: version}))[name]
    assert finding.state == state
    assert version in finding.message


@pytest.mark.parametrize(
    ("python", "state"),
    [("3.9.18", "problem"), ("3.11.0", "ok"), ("3.13.9", "ok"), ("3.14.0", "problem")],
)
def test_python_must_be_a_supported_one(python: str, state: str) -> None:
    assert found(python=python)["Python"].state == state


def test_what_is_supported_is_what_the_project_declares() -> None:
    assert SpecifierSet(doctor.PYTHON) == SpecifierSet(PROJECT["requires-python"])
    declared = [Requirement(line) for line in PROJECT["dependencies"]]
    assert {one.name for one in declared} <= doctor.PACKAGES.keys()
    for one in declared:
        for version in ("0", "2", "2.21", "2.22", "3.10", "4.5", "5", "8.1", "8.9"):
            wanted = doctor.PACKAGES[one.name]
            assert doctor._fits(version, wanted) == one.specifier.contains(version), one
    pinned = {
        pin.name.replace("-", "_"): pin for pin in pins(ROOT / "requirements/lab.txt")
    }
    for name, wanted in doctor.PACKAGES.items():
        (pin,) = pinned[name].specifier
        assert SpecifierSet(wanted).contains(Version(pin.version)), name


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [
        ("ASCEND_GLOBAL_LOG_LEVEL", "", "note"),
        ("ASCEND_GLOBAL_LOG_LEVEL", "0", "ok"),
        ("ASCEND_GLOBAL_LOG_LEVEL", "1", "ok"),
        ("ASCEND_GLOBAL_LOG_LEVEL", "3", "note"),
        ("ASCEND_GLOBAL_LOG_LEVEL", "5", "problem"),
        ("ASCEND_GLOBAL_LOG_LEVEL", "INFO", "problem"),
        ("JOB_ID", "lab-1_b", "ok"),
        ("JOB_ID", "10086", "ok"),
        ("JOB_ID", "0lab", "problem"),
        ("JOB_ID", "my job", "problem"),
        ("JOB_ID", "lab\n", "problem"),
        ("ASCEND_DEVICE_ID", "", "ok"),
        ("ASCEND_DEVICE_ID", "7", "ok"),
        ("ASCEND_DEVICE_ID", "-1", "problem"),
        ("ASCEND_DEVICE_ID", "npu0", "problem"),
        ("TF_USE_LEGACY_KERAS", "1", "ok"),
        ("TF_USE_LEGACY_KERAS", "0", "note"),
        ("TF_CPP_MIN_LOG_LEVEL", "0", "ok"),
        ("TF_CPP_MIN_LOG_LEVEL", "quiet", "note"),
    ],
)
def test_variables(name: str, value: str, state: str) -> None:
    finding = found({name: value})[name]
    assert finding.state == state
    assert (value or "not set").strip() in finding.message


@pytest.mark.parametrize(
    ("names", "state"),
    [
        ([], "ok"),
        (["RANK_SIZE", "RANK_ID", "RANK_TABLE_FILE"], "ok"),
        (["CM_WORKER_SIZE", "CM_CHIEF_IP"], "ok"),
        (["RANK_SIZE", "CM_WORKER_SIZE"], "problem"),
        (["RANK_ID", "CM_WORKER_SIZE"], "problem"),
        (["RANK_TABLE_FILE", "CM_CHIEF_IP"], "problem"),
    ],
)
def test_a_rank_table_and_its_substitute_exclude_each_other(
    names: list[str], state: str
) -> None:
    finding = found(dict.fromkeys(names, "2"))["RANK_*, CM_*"]
    assert finding.state == state
    assert all(name in finding.message for name in names)


def test_where_the_log_will_go(tmp_path: Path) -> None:
    own = tmp_path / "not" / "yet"
    finding = found({"ASCEND_PROCESS_LOG_PATH": str(own), "ASCEND_WORK_PATH": "/x"})
    assert finding["host log"] == ("ok", "host log", f"goes to {own}")
    finding = found({"ASCEND_WORK_PATH": str(own)})
    assert finding["host log"].message == f"goes to {own / 'log'}"
    file = tmp_path / "file"
    file.touch()
    finding = found({"ASCEND_PROCESS_LOG_PATH": str(file / "log")})
    assert finding["host log"].state == doctor.PROBLEM
    finding = found({"HOME": str(own), "ASCEND_SLOG_PRINT_TO_STDOUT": "1"})
    assert finding["host log"].state == doctor.NOTE


def test_too_little_memory_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_PHYS_PAGES": 2**18, "SC_PAGE_SIZE": 2**12}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    assert found()["memory"].state == doctor.NOTE
    assert found()["memory"].message.startswith("1.0 GiB: ")
    monkeypatch.delattr(os, "sysconf")
    assert found()["memory"].message == "unknown"


def test_what_a_real_machine_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SET_ENV", __file__)
    here = {
        setting.name: setting.here
        for setting in doctor.real_machine({"TFPLUGIN_INSTALL_PATH": "/opt/tfplugin"})
    }
    assert here.pop(f"source {__file__}")
    assert here.pop("TFPLUGIN_INSTALL_PATH")
    assert here.keys() >= {"PYTHONPATH", "JOB_ID", "ASCEND_DEVICE_ID"}
    assert not any(here.values())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_line_is_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    bad = {"JOB_ID": "0", "RANK_ID": "0", "CM_WORKER_SIZE": "2"}
    findings = doctor.examine(bad, python="3.9.0")
    shown = doctor.lines(findings, doctor.real_machine({}))
    column = ["en", "zh"].index(language)
    for state in ("ok", "note", "problem"):
        word = _texts.TEXTS[state][column]
        assert sum(line.startswith(word) for line in shown) == sum(
            finding.state == state for finding in findings
        )
    assert _texts.TEXTS["problems"][column].format(count=3) in shown
    assert _texts.TEXTS["real machine"][column] in shown


def doctor_command(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    return subprocess.run(
        [sys.executable, "-m", "npu_lab", "doctor", *arguments],
        env={**kept, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_says_and_shows_by_its_status_that_all_is_well(
    tmp_path: Path,
) -> None:
    done = doctor_command(HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "Nothing prevents the lab from running." in done.stdout
    assert "TFPLUGIN_INSTALL_PATH [not here]" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_command_fails_on_a_problem_for_people_and_machines(
    tmp_path: Path,
) -> None:
    bad = {"HOME": str(tmp_path), "ASCEND_DEVICE_ID": "first"}
    done = doctor_command(**bad)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("problem")]
    assert "export ASCEND_DEVICE_ID=0" in line
    done = doctor_command("--json", **bad)
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["ok"] is False
    (finding,) = [f for f in result["findings"] if f["state"] == "problem"]
    assert finding["subject"] == "ASCEND_DEVICE_ID"
    assert {"name", "here", "meaning"} == result["real_machine"][0].keys()


def test_the_command_imports_no_tensorflow() -> None:
    program = (
        "import sys, npu_lab.cli as cli\n"
        "cli.main(['doctor'])\n"
        "sys.exit(bool({'tensorflow', 'keras', 'IPython'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, stdout=subprocess.DEVNULL
    )
    assert done.returncode == 0
