"""JupyterLab on a copy of the notebooks, and a real browser to look at it with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from npu_lab.lab.notebooks import METADATA

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
RUN_SECONDS = 150
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'


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


@pytest.fixture(scope="session")
def jupyterlab(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JupyterLab]:
    """One JupyterLab for all tests, in a folder with a copy of the notebooks."""
    folder = tmp_path_factory.mktemp("jupyterlab")
    # Pages of one context share what they have loaded.
    context = browser.new_context(viewport={"width": 1280, "height": 1100})
    with _serving(folder) as (address, token):
        yield JupyterLab(context, folder, address, token)
        context.close()


@dataclass
class JupyterLab:
    """A running JupyterLab, and the browser's context that looks at it."""

    context: Any
    folder: Path
    address: str
    token: str

    @contextmanager
    def opened(self, path: str, cells: Sequence[str] = ()) -> Iterator[Any]:
        """The page of a notebook, with a kernel; `cells` are written to it before.

        When it is left, neither the page nor a cell may have met an error.
        """
        if cells:
            made = new_notebook(cells=[*map(new_code_cell, cells)], metadata=METADATA)
            nbformat.write(made, self.folder / path)
        page = self.context.new_page()
        page.set_default_timeout(RUN_SECONDS * 1000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        try:
            # A workspace of its own: no notebook of another test is opened again.
            space = f"lab/workspaces/{uuid4().hex}/tree"
            page.goto(f"{self.address}{space}/{path}?token={self.token}")
            page.locator(".jp-Notebook .jp-Cell").first.wait_for()
            # The indicator says "Idle" before there is a kernel, too.
            page.get_by_text(re.compile(r"^Python 3 .*\| Idle$")).wait_for()
            yield page
            assert errors == []
            assert page.locator(STDERR).count() == 0
        finally:
            page.close()
            self._end_kernels()

    def _end_kernels(self) -> None:
        asked = {"headers": {"Authorization": f"token {self.token}"}}
        sessions = f"{self.address}api/sessions"
        for session in self.context.request.get(sessions, **asked).json():
            self.context.request.delete(f"{sessions}/{session['id']}", **asked)


def run_all(page: Any) -> None:
    """Run > Run All Cells."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.get_by_text(re.compile(r"^Python 3 .*\| Busy$")).wait_for()


def barriers(
    page: Any, within: Sequence[str] = (), without: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """What axe finds serious or critical: its rules, with the first places of each.

    `within` are selectors of the parts to look at, `without` of those to leave out;
    none: the whole page.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = {"include": [*(within or ["html"])], "exclude": [*without]}
    return {
        one["id"]: [node["target"] for node in one["nodes"]][:3]
        for one in axe.run(page, context=context).response["violations"]
        if one["impact"] in {"serious", "critical"}
    }


def screenshots() -> Path:
    """Where pictures of pages are kept: in NPU_LAB_SCREENSHOTS, else in build."""
    default = ROOT / "build" / "screenshots"
    folder = Path(os.environ.get("NPU_LAB_SCREENSHOTS", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, str]]:
    """JupyterLab in a folder with a copy of the notebooks: its address and token."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    environment = _environment(folder)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        yield _wait_for(server, Path(environment["JUPYTER_RUNTIME_DIR"]))
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
