"""Started in the project's folder, JupyterLab opens the index and asks nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest

from npu_lab import _course
from tests.project.tree import ROOT

NOTIFICATIONS = "@jupyterlab/apputils-extension:notification"


@pytest.fixture
def course(tmp_path):
    path = tmp_path / _course.FIRST_PAGE
    path.parent.mkdir()
    path.write_text("{}")
    return tmp_path


def server(root, **changed):
    settings = {"default_url": "/lab", "file_to_run": "", "browser": ""}
    settings |= {"root_dir": str(root), "open_browser": True}
    return SimpleNamespace(**settings | changed)


def test_the_server_opens_on_the_index(course):
    app = server(course)
    _course._load_jupyter_server_extension(app)
    assert app.default_url == f"/lab/tree/{_course.FIRST_PAGE}"


@pytest.mark.parametrize(
    "chosen", [{"file_to_run": "other.ipynb"}, {"default_url": "/tree"}]
)
def test_what_the_user_asked_for_stays(course, chosen):
    app = server(course, **chosen)
    before = app.default_url
    _course._load_jupyter_server_extension(app)
    assert app.default_url == before


def test_another_folder_opens_as_always(tmp_path):
    app = server(tmp_path)
    _course._load_jupyter_server_extension(app)
    assert app.default_url == "/lab"


@pytest.mark.parametrize("found", [True, False])
def test_a_browser_is_opened_only_where_there_is_one(tmp_path, monkeypatch, found):
    def get(name):
        if not found:
            raise _course.webbrowser.Error(name)

    monkeypatch.setattr(_course.webbrowser, "get", get)
    app = server(tmp_path)
    _course._load_jupyter_server_extension(app)
    assert app.open_browser is found


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address that JupyterLab prints when it starts in the project's folder."""
    home = tmp_path_factory.mktemp("home")
    hidden = ("JUPYTER", "IPYTHON", "DISPLAY", "WAYLAND")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    # As root only with leave, and on a port of its own.
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--port=0"]
    command += ["--ServerApp.port_retries=0", "--no-browser"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**environment, "HOME": str(home), "JUPYTER_PREFER_ENV_PATH": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    watch = threading.Timer(60, process.kill)
    watch.start()
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            found = re.search(r"http://(127\.0\.0\.1|localhost):\d+/lab\S*", line)
            if found:
                threading.Thread(target=process.stdout.read, daemon=True).start()
                yield found[0]
                return
        pytest.fail("JupyterLab printed no address:\n" + "".join(said))
    finally:
        watch.cancel()
        process.terminate()
        process.wait(20)


def page(address, patience=20):
    """What the server answers; it prints its address a moment before it listens."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.read().decode()
    except urllib.error.URLError:
        if not patience:
            raise
        time.sleep(0.5)
        return page(address, patience - 1)


def test_the_printed_address_leads_to_the_index(address):
    assert f"/lab/tree/{_course.FIRST_PAGE}?" in address
    assert "jupyter-config-data" in page(address)


def test_jupyterlab_does_not_ask_for_news(address):
    base, _, token = address.partition("?")
    settings = re.sub(r"/lab/.*", f"/lab/api/settings/{NOTIFICATIONS}", base)
    schema = json.loads(page(f"{settings}?{token}"))["schema"]
    assert schema["properties"]["fetchNews"]["default"] == "false"
