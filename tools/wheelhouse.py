"""Gather all that an installation without a network needs: `make wheelhouse`.

Downloads the pinned packages as wheels and builds that of npu_lab, into one folder
(build/wheelhouse, or the one named). Wheels fit the platform and the Python of the
environment that gathers them, so gather on the kind of machine that will install. The
folder appears when it is whole; one that was there is replaced.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "requirements" / "lab.txt"
NOTE = """\
npu_lab without a network, for Python {version} on {platform}:

    python3 -m venv npu_lab_env
    npu_lab_env/bin/pip install --no-index --find-links {here} "npu-lab[migrate]"
    npu_lab_env/bin/npu-lab course

{here} stands for this folder.
"""


def gather(folder: Path) -> int:
    """Fill `folder` with wheels; how many there are.

    Raises:
        subprocess.CalledProcessError: pip could not get one; `folder` is as it was.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        new = Path(scratch, "new")
        new.mkdir()
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        into = ["--quiet", "--dest", str(new)]
        binary = ["--only-binary", ":all:"]
        subprocess.run([*pip, "download", *into, *binary, "-r", str(PINS)], check=True)
        into = ["--quiet", "--wheel-dir", str(new)]
        alone = ["--no-deps", "--no-build-isolation", "--no-index"]
        subprocess.run([*pip, "wheel", *into, *alone, "."], check=True, cwd=ROOT)
        version = ".".join(map(str, sys.version_info[:2]))
        note = NOTE.format(here="WHEELHOUSE", version=version, platform=sys.platform)
        (new / "INSTALL.txt").write_text(note, "utf-8")
        if folder.exists():
            folder.replace(Path(scratch, "old"))
        shutil.move(new, folder)
    return len(list(folder.glob("*.whl")))


def main() -> None:
    """Gather, and say how much there is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "build" / "wheelhouse"
    )
    folder = parser.parse_args().folder.absolute()
    count = gather(folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    print(f"{folder}: {count} wheels, {size:.0f} MB; INSTALL.txt there says how")


if __name__ == "__main__":
    main()
