"""Looks at a computer before work begins: versions, variables, where the log will go.

Nothing is imported or changed: versions come from what is installed, the rest from the
environment.  The rules for variables are those of the vendor's documentation.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from npu_lab._texts import text
from npu_lab.hostlog import reader

OK, NOTE, PROBLEM = "ok", "note", "problem"

# What the project supports: lowest version, and the first that is too new.
PYTHON = ">=3.11,<3.14"
PACKAGES = {
    "tensorflow": ">=2.21,<2.22",
    "tf_keras": ">=2.21,<2.22",
    "keras": ">=3.12",  # as TensorFlow asks
    "numpy": ">=2",
    "scipy": ">=1.14",
    "jupyterlab": ">=4.5,<5",
    # Two halves of one thing, one in the kernel and one in the browser.
    "ipywidgets": ">=8.1,<9",
    "jupyterlab_widgets": ">=3.0,<3.1",
    "matplotlib": ">=3.10",
}
LITTLE_MEMORY = 2.0  # GiB, assumed: TensorFlow, JupyterLab and a browser beside them

RANK_TABLE = ("RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE")
NO_RANK_TABLE = (
    "CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_SIZE", "CM_WORKER_IP",
)  # fmt: skip

# What is set before a script is started on a real machine.
SET_ENV = "/usr/local/Ascend/cann/set_env.sh"
REAL = (
    "TFPLUGIN_INSTALL_PATH",
    "PYTHONPATH",
    "JOB_ID",
    "ASCEND_DEVICE_ID",
    "ASCEND_CACHE_PATH",
    "ASCEND_WORK_PATH",
    "DUMP_GE_GRAPH",
    "DUMP_GRAPH_PATH",
)


class Finding(NamedTuple):
    """One thing that was looked at: ``ok``, ``note`` or ``problem``, with its mend."""

    state: str
    subject: str
    message: str


class Setting(NamedTuple):
    """One thing that is set up on a real machine, and whether it is here."""

    name: str
    here: bool
    meaning: str


def examine(
    environ: Mapping[str, str] = os.environ,
    version: Callable[[str], str] = metadata.version,
    python: str = platform.python_version(),
) -> list[Finding]:
    """Look at everything; a ``problem`` keeps the lab, or its evidence, from working.

    `version` gives the version of an installed package, or raises
    `importlib.metadata.PackageNotFoundError`.
    """
    return [
        _python(python),
        *(_package(name, wanted, version) for name, wanted in PACKAGES.items()),
        _legacy_keras(environ.get("TF_USE_LEGACY_KERAS", "")),
        _tensorflow_level(environ.get("TF_CPP_MIN_LOG_LEVEL", "").strip()),
        Finding(OK, "CPU", str(os.cpu_count())),
        _memory(),
        _log_level(environ.get("ASCEND_GLOBAL_LOG_LEVEL", "").strip()),
        _log_folder(environ),
        _job_id(environ.get("JOB_ID", "")),
        _device_id(environ.get("ASCEND_DEVICE_ID", "")),
        _ranks(environ),
    ]


def real_machine(environ: Mapping[str, str] = os.environ) -> list[Setting]:
    """What is set up on a real machine before a script; the lab needs none of it."""
    sourced = Setting(f"source {SET_ENV}", Path(SET_ENV).is_file(), text("set_env"))
    exported = (Setting(n, bool(environ.get(n)), text(f"real {n}")) for n in REAL)
    return [sourced, *exported]


def as_dict(findings: list[Finding], settings: list[Setting]) -> dict[str, Any]:
    """Both as plain data; ``ok`` is false when there is a problem."""
    return {
        "ok": all(finding.state != PROBLEM for finding in findings),
        "findings": [finding._asdict() for finding in findings],
        "real_machine": [setting._asdict() for setting in settings],
    }


def lines(findings: list[Finding], settings: list[Setting]) -> list[str]:
    """Both for a terminal, in the current language."""
    problems = sum(finding.state == PROBLEM for finding in findings)
    return [
        *(f"{text(f.state):8} {f.subject}: {f.message}" for f in findings),
        text("problems", count=problems) if problems else text("no problem"),
        "",
        text("real machine"),
        *(
            f"  {s.name} [{text('here' if s.here else 'not here')}]: {s.meaning}"
            for s in settings
        ),
    ]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _fits(version: str, wanted: str) -> bool:
    lowest, _, too_new = wanted.partition(",")
    found = _numbers(version)
    return _numbers(lowest) <= found and (not too_new or found < _numbers(too_new))


def _python(found: str) -> Finding:
    if _fits(found, PYTHON):
        return Finding(OK, "Python", found)
    return Finding(PROBLEM, "Python", text("bad python", found=found, wanted=PYTHON))


def _package(name: str, wanted: str, version: Callable[[str], str]) -> Finding:
    try:
        found = version(name)
    except metadata.PackageNotFoundError:
        found = ""
    if not found:  # what a broken installation says is None
        return Finding(PROBLEM, name, text("not installed", name=name, wanted=wanted))
    if _fits(found, wanted):
        return Finding(OK, name, found)
    said = text("bad version", name=name, found=found, wanted=wanted)
    return Finding(PROBLEM, name, said)


def _legacy_keras(value: str) -> Finding:
    kept = value.lower() in {"", "1", "true"}
    said = text("legacy keras" if kept else "new keras", value=_shown(value))
    return Finding(OK if kept else NOTE, "TF_USE_LEGACY_KERAS", said)


def _tensorflow_level(value: str) -> Finding:
    known = value.isdecimal() or not value
    said = text("tensorflow level" if known else "bad level 2", value=_shown(value))
    return Finding(OK if known else NOTE, "TF_CPP_MIN_LOG_LEVEL", said)


def _memory() -> Finding:
    subject = text("memory")
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return Finding(NOTE, subject, text("unknown"))
    little = size < LITTLE_MEMORY
    said = text("little memory", lowest=LITTLE_MEMORY) if little else ""
    return Finding(NOTE if little else OK, subject, f"{size:.1f} GiB{said}")


def _log_level(value: str) -> Finding:
    if value in {"0", "1"}:
        state, key = OK, "level shows"
    elif value in {"", "2", "3", "4"}:
        state, key = NOTE, "level hides"
    else:
        state, key = PROBLEM, "bad level"
    said = text(key, value=_shown(value))
    return Finding(state, "ASCEND_GLOBAL_LOG_LEVEL", said)


def _log_folder(environ: Mapping[str, str]) -> Finding:
    folder = reader.default_folder(environ).absolute()
    # Not Path.exists, which raises where a name is too long.
    there = next(p for p in (folder, *folder.parents) if os.path.exists(p))  # noqa: PTH110
    if environ.get("ASCEND_SLOG_PRINT_TO_STDOUT", "").strip() == "1":
        state, key = NOTE, "log on screen"
    elif there.is_dir() and os.access(there, os.W_OK):
        state, key = OK, "log folder"
    else:
        state, key = PROBLEM, "bad log folder"
    return Finding(state, text("host log"), text(key, folder=folder))


def _job_id(value: str) -> Finding:
    if not value:
        return Finding(NOTE, "JOB_ID", text("no job"))
    if re.fullmatch("[A-Za-z1-9_-][A-Za-z0-9_-]*", value):
        return Finding(OK, "JOB_ID", value)
    return Finding(PROBLEM, "JOB_ID", text("bad job", value=value))


def _device_id(value: str) -> Finding:
    known = re.fullmatch("[0-9]*", value)
    said = text("device" if known else "bad device", value=_shown(value))
    return Finding(OK if known else PROBLEM, "ASCEND_DEVICE_ID", said)


def _ranks(environ: Mapping[str, str]) -> Finding:
    table = [name for name in RANK_TABLE if environ.get(name)]
    others = [name for name in NO_RANK_TABLE if environ.get(name)]
    names = ", ".join(table + others)
    if table and others:
        return Finding(PROBLEM, "RANK_*, CM_*", text("ranks clash", names=names))
    return Finding(OK, "RANK_*, CM_*", text("ranks" if names else "one", names=names))


def _shown(value: str) -> str:
    return value or text("not set")
