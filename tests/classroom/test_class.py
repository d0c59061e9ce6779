"""Three learners in one class: each runs the first lesson, nothing crosses."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.project.tree import ROOT
from tools import classroom

httpx = pytest.importorskip("httpx")
websocket = pytest.importorskip("websocket")
pytest.importorskip("jupyterhub")
if shutil.which("npm") is None:
    pytest.skip("the Hub's proxy needs Node.js with npm", allow_module_level=True)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
LEARNERS = {"anna": "a", "bela": "b", "chen": "c"}
START_SECONDS = 90
CELL_SECONDS = 120


@dataclass
class Class:
    """A running class, and the right to look at it through the Hub's interface."""

    folder: Path
    address: str
    token: str

    def ask(self, method: str, path: str, token: str = "", **more: Any) -> Any:
        head = {"Authorization": f"token {token or self.token}"}
        url = self.address + path
        return httpx.request(method, url, headers=head, timeout=60, **more)


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("class")
    port, token = classroom.free_port(), secrets.token_hex(16)
    given = {
        "NPU_LAB_CLASS_FOLDER": str(folder),
        "NPU_LAB_CLASS_PORT": str(port),
        "NPU_LAB_CLASS_PASSWORD": "a-class-password",
        "NPU_LAB_CLASS_TOKEN": token,
        "NPU_LAB_CLASS_MEMORY": "6",
    }
    with (folder / "hub.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, ROOT / "tools" / "classroom.py"],
            env=os.environ | given,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    started = Class(folder, f"http://127.0.0.1:{port}", token)
    try:
        _until(lambda: started.ask("GET", "/hub/api/").status_code == 200, process)
        yield started
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _until(true, process) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if true():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise AssertionError("the Hub did not start")


@pytest.fixture(scope="module")
def tokens(running: Class) -> dict[str, str]:
    """Each learner has a server, and a token of their own."""
    made = {}
    for name in LEARNERS:
        assert running.ask("POST", f"/hub/api/users/{name}").status_code == 201
        running.ask("POST", f"/hub/api/users/{name}/server")
    for name in LEARNERS:
        told = running.ask("POST", f"/hub/api/users/{name}/tokens", json={})
        made[name] = told.json()["token"]
        end = time.monotonic() + START_SECONDS
        while not running.ask("GET", f"/hub/api/users/{name}").json()["server"]:
            assert time.monotonic() < end, name
            time.sleep(0.3)
    return made


class Kernel:
    """A kernel on a learner's server."""

    def __init__(self, running: Class, name: str, token: str) -> None:
        self.session = uuid.uuid4().hex
        place = {"path": "notebooks/00_start_here.ipynb", "name": "00"}
        place |= {"type": "notebook", "kernel": {"name": "python3"}}
        made = running.ask(
            "POST", f"/user/{name}/api/sessions", token, json=place
        ).json()
        where = running.address.replace("http", "ws", 1)
        path = f"/user/{name}/api/kernels/{made['kernel']['id']}/channels"
        self.link = websocket.create_connection(
            where + path,
            timeout=CELL_SECONDS,
            header={"Authorization": f"token {token}"},
        )

    def run(self, code: str) -> str:
        """What a cell prints; an error in it is one here."""
        asked = uuid.uuid4().hex
        head = {"msg_id": asked, "msg_type": "execute_request", "version": "5.3"}
        head |= {"session": self.session, "username": "", "date": ""}
        content = {"code": code, "silent": False, "store_history": True}
        content |= {"user_expressions": {}, "allow_stdin": False}
        message = {"header": head, "parent_header": {}, "metadata": {}}
        message |= {"content": content, "channel": "shell"}
        self.link.send(json.dumps(message))
        printed = []
        while True:
            message = json.loads(self.link.recv())
            if message.get("parent_header", {}).get("msg_id") != asked:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "error":
                raise AssertionError("\n".join(content["traceback"]))
            if kind == "stream":
                printed.append(content["text"])
            if kind == "status" and content["execution_state"] == "idle":
                return "".join(printed)


@pytest.fixture(scope="module")
def kernels(running: Class, tokens) -> dict[str, Kernel]:
    """Each learner has run the whole of the first lesson, all at the same time."""
    path = running.folder / "learners" / "anna" / "notebooks" / "00_start_here.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    opened = {name: Kernel(running, name, token) for name, token in tokens.items()}
    for source in sources:
        for kernel in opened.values():
            kernel.run(source)
    for name, letter in LEARNERS.items():
        opened[name].run(f'lab.answer("00/loss", "{letter}")')
    return opened


def home(running: Class, name: str) -> Path:
    return running.folder / "learners" / name


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_s_answers_are_kept_as_theirs(running, kernels, name: str) -> None:
    kept = home(running, name) / ".local" / "share" / "npu_lab" / "progress.json"
    notes = json.loads(kept.read_text("utf-8"))
    assert notes["questions"] == {"00/loss": LEARNERS[name]}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_s_host_log_is_their_own(running, kernels, name: str) -> None:
    told = kernels[name].run(
        "import os; print(os.getpid(), os.getcwd(), os.environ['HOME'])"
    )
    pid, cwd, place = told.split()
    assert Path(cwd) == home(running, name) / "notebooks"
    assert Path(place) == home(running, name)
    plogs = list((home(running, name) / "ascend").rglob("plog-*.log"))
    assert plogs
    assert {path.name.split("-")[1].split("_")[0] for path in plogs} == {pid}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_reaches_no_one_else_s_server(running, tokens, name: str) -> None:
    for other in LEARNERS:
        path = f"/user/{other}/api/contents/notebooks"
        status = running.ask("GET", path, tokens[name]).status_code
        assert status == (200 if other == name else 403), (name, other)


def test_the_lessons_are_there_to_work_on_and_to_look_up(running, tokens) -> None:
    originals = {p.name for p in (running.folder / "originals" / "notebooks").glob("*")}
    for name in LEARNERS:
        work = home(running, name) / "notebooks"
        assert originals == {p.name for p in work.glob("*")}
        assert os.access(work / "00_start_here.ipynb", os.W_OK)
        looked_up = home(running, name) / "originals" / "00_start_here.ipynb"
        assert looked_up.stat().st_mode & 0o777 == 0o444


def test_a_program_may_take_so_much_memory_and_no_more(kernels) -> None:
    limit = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    assert int(kernels["anna"].run(limit)) == 6 * 2**30
    too_much = (
        "try:\n    bytearray(7 * 2**30)\nexcept MemoryError:\n    print('refused')"
    )
    assert kernels["anna"].run(too_much) == "refused\n"


@pytest.mark.parametrize(
    ("name", "password", "inside"),
    [
        ("dora", "a-class-password", True),
        ("dora", "guessed", False),
        ("instructor", "a-class-password", False),
        ("../anna", "a-class-password", False),
    ],
)
def test_the_door(running: Class, name: str, password: str, inside: bool) -> None:
    with httpx.Client(base_url=running.address, timeout=60) as client:
        form = client.get("/hub/login")
        assert form.status_code == 200
        sent = {"username": name, "password": password}
        sent["_xsrf"] = client.cookies["_xsrf"]
        answer = client.post("/hub/login", data=sent)
        assert (answer.status_code == 302) == inside


def test_who_watches_sees_all_learners(running: Class, tokens) -> None:
    users = {user["name"] for user in running.ask("GET", "/hub/api/users").json()}
    assert set(LEARNERS) <= users
