"""JupyterLab on a copy of the notebooks, and a real browser to look at it with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_SECONDS = 90


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium; without it or playwright, the tests are skipped."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def jupyterlab(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Start JupyterLab; the fixture turns a notebook's path into its address."""
    with serving(tmp_path) as address:
        yield address


@contextmanager
def serving(folder: Path) -> Iterator[Callable[[str], str]]:
    """JupyterLab in a folder with a copy of the notebooks."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    environment = _environment(folder)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        address, token = _wait_for(server, Path(environment["JUPYTER_RUNTIME_DIR"]))
        yield lambda path: f"{address}lab/tree/{path}?token={token}"
    finally:
        server.terminate()  # it ends its kernels
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _environment(folder: Path) -> dict[str, str]:
    """Settings of their own, so that those of the user play no part."""
    settings = folder / "settings"
    # Cells that are out of sight stay in the page.
    _write(
        settings / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings",
        {"windowingMode": "none"},
    )
    theme = {"theme": os.environ.get("NPU_LAB_TEST_THEME", "JupyterLab Light")}
    _write(
        settings / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings",
        theme,
    )
    _write(
        settings
        / "@jupyterlab"
        / "apputils-extension"
        / "notification.jupyterlab-settings",
        {"fetchNews": "false", "checkForUpdates": False},
    )
    (folder / "home").mkdir()
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")},
        "HOME": str(folder / "home"),
        "PYTHONPATH": path,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def _wait_for(server: subprocess.Popen[bytes], runtime: Path) -> tuple[str, str]:
    """Address and token, from the file the server writes once it listens."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                facts = json.loads(file.read_text(encoding="utf-8"))
            except ValueError:  # half written
                continue
            return facts["url"], facts["token"]
        time.sleep(0.2)
    log = (runtime.parent / "server.log").read_text(encoding="utf-8")
    pytest.fail(f"JupyterLab did not start:\n{log[-3000:]}")
