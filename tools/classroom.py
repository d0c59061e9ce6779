"""Start a class on this computer: JupyterHub with a JupyterLab for each learner.

    python tools/classroom.py

Installs the Hub's proxy from npm, once, makes passwords, once, and starts the Hub with
`classroom/jupyterhub_config.py`, which lists the variables that change it. Ctrl-C stops
the class; what the learners did stays in build/classroom.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLASSROOM = ROOT / "classroom"
LEAST_NODE = 18


class ClassError(Exception):
    """The class cannot be started; the text says why, and the mend."""


def proxy(folder: Path) -> Path:
    """The command of the proxy, which is installed if it is not there.

    Raises:
        ClassError: there is no Node.js that fits, or npm could not install it.
    """
    command = folder / "node_modules" / ".bin" / "configurable-http-proxy"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise ClassError(
            f"JupyterHub's proxy runs on Node.js {LEAST_NODE} or later, with npm: on"
            " Debian and Ubuntu, sudo apt install nodejs npm."
        )
    told = subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=True
    )
    if int(told.stdout.strip("v\n").partition(".")[0]) < LEAST_NODE:
        raise ClassError(f"{node} is {told.stdout.strip()}; it must be {LEAST_NODE}.")
    if not command.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(CLASSROOM / name, folder / name)
        install = [npm, "ci", "--no-audit", "--no-fund", "--silent"]
        if subprocess.run(install, cwd=folder, check=False).returncode:
            raise ClassError("npm could not install configurable-http-proxy.")
    return command


def password(path: Path, length: int) -> str:
    """The password kept at `path`; made, of so many characters, if there is none."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(length)[:length] + "\n", "utf-8")
    return path.read_text("utf-8").strip()


def free_port() -> int:
    """A port on loopback that nobody has."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def settings(folder: Path) -> dict[str, str]:
    """The variables of the configuration: those that are set, and what was made.

    Raises:
        ClassError: as `proxy`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    made = {
        "NPU_LAB_CLASS_FOLDER": str(folder),
        "NPU_LAB_CLASS_PROXY": str(proxy(folder / "proxy")),
        "NPU_LAB_CLASS_PASSWORD": password(folder / "learners.password", 12),
        # The Hub takes no shorter one.
        "NPU_LAB_CLASS_ADMIN": password(folder / "instructor.password", 32),
        "NPU_LAB_CLASS_HUB": str(free_port()),
        "NPU_LAB_CLASS_API": str(free_port()),
        "PYTHONPATH": str(ROOT),
    }
    return (
        made
        | {k: v for k, v in os.environ.items() if k in made}
        | {"NPU_LAB_CLASS_FOLDER": str(folder)}
    )


def main() -> int:
    """Start the class; the status is the Hub's."""
    default = ROOT / "build" / "classroom"
    folder = Path(os.environ.get("NPU_LAB_CLASS_FOLDER", default)).absolute()
    try:
        given = settings(folder)
    except (ClassError, OSError) as error:
        print(f"The class cannot start: {error}", file=sys.stderr)
        return 1
    port = os.environ.get("NPU_LAB_CLASS_PORT", "8000")
    print(f"The class is at http://127.0.0.1:{port}; learners choose a name.")
    print(f"Password: {given['NPU_LAB_CLASS_PASSWORD']}")
    print(f"User instructor: {given['NPU_LAB_CLASS_ADMIN']}", flush=True)
    command = [sys.executable, "-m", "jupyterhub"]
    command += ["--config", str(CLASSROOM / "jupyterhub_config.py")]
    try:
        return subprocess.run(
            command, cwd=folder, env=os.environ | given, check=False
        ).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
