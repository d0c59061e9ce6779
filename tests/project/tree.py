"""The project's own files, for tests that read them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "npu_lab"
GENERATED = re.compile(r"\.|__pycache__$|build$|dist$|.*\.egg-info$")


def project_files() -> list[Path]:
    """Every file that belongs to the project: what git has or would take.

    In a copy without git: every file outside of hidden and generated folders.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return list(_walk(ROOT))
    found = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in found if path.is_file()]


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield path
        elif path.name == ".ci" or not GENERATED.match(path.name):
            yield from _walk(path)


def modules(*, extras: bool = False) -> list[Path]:
    """The Python files of the package, by default without its extras."""
    found = [path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts]
    inside = PACKAGE / "extras"
    return sorted(path for path in found if extras or inside not in path.parents)


def requirement_lines(path: Path) -> list[str]:
    """The lines of a requirement file, those of the files it includes first."""
    lines: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        included = re.fullmatch(r"-r\s+(\S+)", line)
        if included:
            lines += requirement_lines(path.parent / included[1])
        elif line and not line.startswith("#"):
            lines.append(line)
    return lines


def pins(path: Path) -> list[Requirement]:
    """The requirements in a requirement file and the files it includes."""
    return [Requirement(line) for line in requirement_lines(path)]


def conda_environment() -> dict:
    """`environment.yml`, read."""
    return yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))


def conda_pip_lines() -> list[str]:
    """What `environment.yml` hands to pip, a line each."""
    parts = conda_environment()["dependencies"]
    return next(part["pip"] for part in parts if isinstance(part, dict))
