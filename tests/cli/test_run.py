"""`npu-lab run`: unchanged scripts, what is said of them, and exit statuses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
DOCUMENTED = Path(__file__).parents[3] / "shared" / "cases" / "seed_scripts"
BOTH_WAYS = ["fed_softmax.py", "supervised_softmax.py"]


def documented(name: str) -> Path:
    path = DOCUMENTED / name
    if not path.is_file():
        pytest.skip(f"the documentation's script {name} is not on this machine")
    return path


def copy_at_1(path: Path, folder: Path) -> Path:
    """A copy of the script with every loop size of 10 replaced by 1."""
    text = path.read_text("utf-8")
    for old, new in {
        ".i = 10": ".i = 1",
        ", 10)  #": ", 1)  #",
        "opt, 10)": "opt, 1)",
        "N = 2, 100, 10": "N = 2, 100, 1",
    }.items():
        text = text.replace(old, new)
    target = folder / f"at_1_{path.name}"
    target.write_text(text, encoding="utf-8")
    return target


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_fed_script_runs_sunk_on_repeated_data(
    npu_lab: Callable[..., Any], name: str
) -> None:
    ran = npu_lab("run", SCRIPTS / name)
    assert ran.status == 0, ran.err
    assert ran.out.splitlines()[-1] == "last loss is finite: True"
    report = ran.report
    assert report["exit"] == "ok"
    assert report["error"] is None
    assert report["session_runs"] == 1 + 4 + 160
    assert report["training_calls"] == 160
    assert report["device_iterations"] == 1600
    assert report["batches_pulled"] == 0
    (loop,) = report["loops"]
    assert loop["fetches"] == ["IterationOp", "Mean"]
    assert loop["iterations_per_loop"] == 10
    assert loop["in_effect"] is True
    assert loop["data"] == "repeated"
    assert [d["code"] for d in loop["diagnostics"]] == ["SINK004"]
    assert [w["code"] for w in report["warnings"]] == ["SINK004"]
    assert report["log"]["markers"] == 5
    assert report["log"]["flow_control_lines"] == 9
    assert report["log"]["keyword_lines"] == 15


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_script_at_1_has_keyword_lines_but_no_marker(
    npu_lab: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    ran = npu_lab("run", copy_at_1(SCRIPTS / name, tmp_path))
    assert ran.status == 0, ran.err
    assert ran.report["device_iterations"] == 0
    assert ran.report["log"]["markers"] == 0
    assert ran.report["log"]["flow_control_lines"] == 0
    assert ran.report["log"]["keyword_lines"] >= 2
    assert [loop["in_effect"] for loop in ran.report["loops"]] == [False]


@pytest.mark.parametrize(
    "name",
    [
        "session_run_set_iteration_per_loop.py",
        "session_run_iteration_per_loop_var.py",
    ],
)
def test_documented_script_runs_as_it_is(
    npu_lab: Callable[..., Any], name: str
) -> None:
    ran = npu_lab("run", documented(name))
    assert ran.status == 0, ran.err
    report = ran.report
    assert report["exit"] == "ok"
    assert report["session_runs"] == 805
    assert report["training_calls"] == 800
    assert report["device_iterations"] == 8000
    (loop,) = report["loops"]
    assert loop["in_effect"] is True
    assert loop["iterations_per_loop"] == 10
    assert loop["data"] == "repeated"
    assert "SINK004" in [d["code"] for d in loop["diagnostics"]]
    assert report["log"]["markers"] == 5
    assert report["log"]["flow_control_lines"] == 9
    assert report["log"]["keyword_lines"] == 15


@pytest.mark.parametrize(
    "name",
    [
        "session_run_set_iteration_per_loop.py",
        "session_run_iteration_per_loop_var.py",
    ],
)
def test_documented_script_at_1(
    npu_lab: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    ran = npu_lab("run", copy_at_1(documented(name), tmp_path))
    assert ran.status == 0, ran.err
    assert ran.report["log"]["markers"] == 0
    assert ran.report["log"]["keyword_lines"] >= 2
    assert ran.report["training_calls"] == 800


NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_a_user_who_may_not_write_home() -> None:
    """As `nobody`: the placeholder folders lead to a scratch folder of its own."""
    start = [sys.executable, "-m", "npu_lab"]
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is for root only
        shutil.chown(folder, NOBODY["user"], NOBODY["group"])
        how = {"cwd": folder, "capture_output": True, "text": True}
        how["env"] = {"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder}
        try:
            if subprocess.run(
                [*start, "--version"], check=False, **how, **NOBODY
            ).returncode:
                pytest.skip("the user nobody may not read this checkout")
        except PermissionError:
            pytest.skip("the user nobody may not run this Python")
        script = Path(folder) / "supervised.py"
        script.write_bytes((SCRIPTS / "supervised_softmax.py").read_bytes())
        done = subprocess.run(
            [*start, "run", script], check=False, timeout=240, **how, **NOBODY
        )
    assert done.returncode == 0, done.stderr
    assert "/home/xxxx" in done.stderr
    assert not Path("/home/xxxx").exists()
    assert "markers 5" in done.stderr


def test_placeholder_folders_are_redirected_in_a_line_each(
    npu_lab: Callable[..., Any],
) -> None:
    ran = npu_lab("run", SCRIPTS / "supervised_softmax.py")
    told = [line for line in ran.err.splitlines() if "/home/xxxx" in line]
    assert len(told) == 1
    assert not Path("/home/xxxx").exists()
    assert not Path("/test").exists()


def test_compiled_line_is_printed_as_documented(npu_lab: Callable[..., Any]) -> None:
    ran = npu_lab("run", SCRIPTS / "fed_softmax.py")
    compiled = [
        line
        for line in ran.err.splitlines()
        if "The model has been compiled on the Ascend AI processor" in line
    ]
    assert len(compiled) == 6


def test_level_and_path_are_printed_and_the_users_are_kept(
    npu_lab: Callable[..., Any], tmp_path: Path
) -> None:
    ran = npu_lab(
        "run",
        SCRIPTS / "fed_softmax.py",
        env={
            "ASCEND_GLOBAL_LOG_LEVEL": "3",
            "ASCEND_PROCESS_LOG_PATH": str(tmp_path / "mine"),
        },
    )
    assert ran.report["log"]["path"] == str(tmp_path / "mine")
    assert ran.report["log"]["markers"] == 0
    assert "ASCEND_GLOBAL_LOG_LEVEL=3" in ran.err
    assert f"ASCEND_PROCESS_LOG_PATH={tmp_path / 'mine'}" in ran.err
    assert "cannot tell" in ran.err


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("import sys; sys.exit(3)", 3, "SystemExit"),
        ("import sys; sys.exit('bad')", 1, "SystemExit"),
        ("import sys; sys.exit(0)", 0, None),
        ("raise ValueError('broken')", 1, "ValueError"),
        ("def f(:\n    pass", 1, "SyntaxError"),
        ("pass", 0, None),
    ],
)
def test_status_is_the_scripts(
    npu_lab: Callable[..., Any],
    script: Callable[..., Path],
    body: str,
    status: int,
    kind: str | None,
) -> None:
    ran = npu_lab("run", script(body))
    assert ran.status == status, ran.err
    assert ran.report["exit"] == ("error" if kind else "ok")
    assert (ran.report["error"] or {}).get("type") == kind


def test_the_traceback_is_the_scripts_own(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    ran = npu_lab("run", script("x = 1\nraise ValueError('broken')\n"))
    assert "line 2" in ran.err
    assert "ValueError: broken" in ran.err
    assert "runner.py" not in ran.err


def test_script_sees_its_arguments_name_and_siblings(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    script("value = 7\n", "sibling.py")
    path = script(
        "import sys, sibling\n"
        "import tensorflow as tf\n"
        "def main(argv):\n"
        "    print(__name__, argv[1:], sibling.value, tf.__version__)\n"
        "if __name__ == '__main__':\n"
        "    tf.app.run()\n"
    )
    ran = npu_lab("run", path, "--steps", "3")
    assert ran.status == 0, ran.err
    assert ran.out.strip() == "__main__ ['--steps', '3'] 7 1.15.0"


def test_link_delay_is_reported_as_injected(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    path = script(
        "from npu_bridge.npu_init import *\n"
        "with tf.Session() as sess:\n"
        "    for _ in range(5):\n"
        "        sess.run(tf.constant(1.0))\n"
    )
    ran = npu_lab("run", "--link-delay", "0.01", path, report=False)
    assert ran.status == 0, ran.err
    assert "(injected)" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run"],
        ["run", "nowhere.py"],
        ["run", "--report", "no/such/folder/r.json", __file__],
        ["run", "--link-delay", "-1", __file__],
        ["run", "--link-delay", "soon", __file__],
        ["jump"],
    ],
)
def test_wrong_usage_is_status_2(
    npu_lab: Callable[..., Any], arguments: list[str]
) -> None:
    ran = npu_lab(*arguments, report=False)
    assert ran.status == 2
    assert ran.err.strip()
    assert "Traceback" not in ran.err


def test_log_command_judges_the_log_of_a_run(
    npu_lab: Callable[..., Any], tmp_path: Path
) -> None:
    log = {"ASCEND_PROCESS_LOG_PATH": str(tmp_path / "log")}
    npu_lab("run", SCRIPTS / "fed_softmax.py", env=log)
    assert npu_lab("log", tmp_path / "log").status == 0
    assert npu_lab("log", tmp_path / "empty").status == 3


def test_a_placeholder_in_a_module_beside_the_script_is_redirected(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    script("FOLDER = '/home/xxxx/checkpoints'\n", "paths.py")
    path = script("import os, paths\nos.makedirs(paths.FOLDER)\nprint(paths.FOLDER)\n")
    ran = npu_lab("run", path)
    assert ran.status == 0, ran.err
    assert ran.out.strip().endswith("/home/xxxx/checkpoints")
    assert ran.out.strip() != "/home/xxxx/checkpoints"
    assert ran.err.count("/home/xxxx") == 2  # the placeholder, and its new place


def test_the_report_comes_after_threads_and_exit_handlers(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    path = script(
        "import atexit, pickle, threading, time\n"
        "from npu_bridge.npu_init import *\n"
        "class Kept: pass\n"
        "graph = tf.Graph()\n"
        "with graph.as_default():\n"
        "    one = tf.constant(1.0)\n"
        "sess = tf.Session(graph=graph)\n"
        "def later():\n"
        "    time.sleep(1)\n"
        "    sess.run(one)\n"
        "def last():\n"
        "    sess.run(one)\n"
        "    print(len(pickle.dumps(Kept())) > 0)\n"
        "threading.Thread(target=later).start()\n"
        "atexit.register(last)\n"
    )
    ran = npu_lab("run", path)
    assert ran.status == 0, ran.err
    assert ran.out.strip() == "True"
    assert ran.report["session_runs"] == 2


def test_a_report_is_written_whatever_the_error_says(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    ran = npu_lab("run", script("raise ValueError('\\udc80 not text')"))
    assert ran.status == 1
    assert ran.report["error"]["type"] == "ValueError"
    odd = "class Odd(Exception):\n    def __str__(self): raise TypeError\nraise Odd\n"
    ran = npu_lab("run", script(odd))
    assert ran.status == 1
    assert ran.report["error"]["type"] == "Odd"


def test_the_script_knows_its_own_file_from_anywhere(
    npu_lab: Callable[..., Any], script: Callable[..., Path]
) -> None:
    script("import os\nos.chdir('/')\nprint(len(open(__file__).read()) > 0)\n")
    ran = npu_lab("run", "script.py")
    assert ran.status == 0, ran.err
    assert ran.out.strip() == "True"
