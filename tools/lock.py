"""Pin every package for the lowest supported Python: `make lock`.

Reads the ranges in pyproject.toml, lets uv find versions that run on Python 3.11.2 and
later on Linux, macOS and Windows, and writes `requirements/lab.txt` and, with what
tests add, `requirements/test.txt`. The setuptools that builds the package is set to the
same pin. No hashes and no index address: the user's pip decides where packages come
from. Versions already pinned stay unless `--upgrade` is given.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
LOWEST_PYTHON = "3.11.2"
UV = "uv==0.13.9"
HEADER = "# Made by `make lock` from pyproject.toml; edit that.\n"


def compiled(kept: list[str], *arguments: str) -> list[str]:
    """The pins uv finds for pyproject.toml; versions in `kept` are preferred."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "pins.txt"
        output.write_text("\n".join(kept), encoding="utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml"]
        command += ["--universal", "--python-version", LOWEST_PYTHON]
        command += ["--fork-strategy", "fewest", "--no-header", "--no-annotate"]
        command += ["--quiet", "--output-file", str(output), *arguments]
        subprocess.run(command, check=True, cwd=ROOT)
        return output.read_text(encoding="utf-8").splitlines()


def pins_in(path: Path) -> list[str]:
    """The pins of a requirement file; none if it does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def write(path: Path, text: str) -> None:
    """Replace a file in one step."""
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main() -> None:
    """Write both requirement files and the build's pin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions"
    )
    upgrade = parser.parse_args().upgrade

    subprocess.run([sys.executable, "-m", "pip", "install", UV], check=True)
    lab_file, test_file = REQUIREMENTS / "lab.txt", REQUIREMENTS / "test.txt"
    kept = [] if upgrade else pins_in(lab_file) + pins_in(test_file)
    beside = ["--extra", "test", "--extra", "book", "--extra", "classroom"]
    # What the lessons need, those on the extras too, and then what tests add.
    everything = compiled(kept, "--extra", "migrate", *beside)
    lab = compiled(everything, "--extra", "migrate")
    added = [pin for pin in everything if pin not in lab]
    write(lab_file, HEADER + "\n".join(lab) + "\n")
    write(test_file, f"{HEADER}-r lab.txt\n" + "\n".join(added) + "\n")

    pin = next(pin for pin in lab if pin.startswith("setuptools=="))
    project = ROOT / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    write(project, re.sub(r"(?m)^requires = .*$", f'requires = ["{pin}"]', text))


if __name__ == "__main__":
    main()
