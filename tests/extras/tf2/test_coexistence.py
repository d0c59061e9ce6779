"""Both sides in one installation, one at a time in a process."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import npu_lab
from npu_lab import modes
from npu_lab._tensorflow import tf
from npu_lab.modes import ModeError
from npu_lab.tf1 import process

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def clean(monkeypatch, tmp_path):
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path))
    npu_lab.deactivate()
    yield
    npu_lab.deactivate()


def test_the_first_mode_holds(device2):
    assert npu_lab.activate() is device2
    assert npu_lab.activate(mode="tf2") is device2
    with pytest.raises(modes.ModeError, match=r"active in tf2 mode.*deactivate\(\)"):
        npu_lab.activate(mode="tf1")
    assert npu_lab.active_device() is device2


def test_the_view_does_not_go_with_it(device2):
    with pytest.raises(modes.ModeError, match=r"enable_v1\(\)"):
        npu_lab.activate(view=True)
    assert tf.executing_eagerly()
    assert npu_lab.active_device() is device2


def test_the_other_way_round(clean):
    device = npu_lab.activate()
    with pytest.raises(modes.ModeError, match="active in tf1 mode"):
        npu_lab.activate(mode="tf2")
    assert npu_lab.active_device() is device
    assert importlib.import_module("npu_bridge")


def test_after_deactivating_the_other_can_be_had(clean):
    npu_lab.activate(mode="tf2")
    npu_lab.deactivate()
    npu_lab.activate(mode="tf1", view=True)
    assert not tf.executing_eagerly()
    npu_lab.deactivate()
    npu_lab.activate(mode="tf2")
    assert tf.executing_eagerly()
    assert importlib.import_module("npu_device")


@pytest.mark.parametrize(
    "name", ["npu_bridge", "npu_bridge.npu_init", "hccl.manage.api"]
)
def test_the_packages_of_tensorflow_1_are_refused(device2, name):
    del device2
    with pytest.raises(ImportError, match=r"belongs to TensorFlow 1.*enable_v1\(\)"):
        importlib.import_module(name)


@pytest.mark.parametrize("name", ["npu_device", "npu_device.train"])
def test_the_package_of_tensorflow_2_is_refused(clean, name):
    npu_lab.activate()
    with pytest.raises(ImportError, match=r"belongs to TensorFlow 2.*tf2"):
        importlib.import_module(name)


def test_without_a_device_neither_is_there(clean):
    for name in ("npu_device", "npu_bridge"):
        with pytest.raises(ModuleNotFoundError) as caught:
            importlib.import_module(name)
        assert not isinstance(caught.value, modes.ModeError)


def test_there_is_no_other_mode(clean):
    with pytest.raises(ValueError, match="tf3"):
        npu_lab.activate(mode="tf3")
    assert npu_lab.active_device() is None


def test_without_the_extra(clean, monkeypatch):
    from npu_lab import activation

    monkeypatch.setattr(activation, "extra", lambda _: None)
    with pytest.raises(modes.ModeError, match="not installed"):
        npu_lab.activate(mode="tf2")
    assert npu_lab.active_device() is None


def test_a_notebook(clean, capsys):
    from npu_lab.extras import tf2

    magics = []
    shell = SimpleNamespace(register_magic_function=lambda *a: magics.append(a[-1]))
    tf2.load_ipython_extension(shell)
    assert "npu_device" in capsys.readouterr().out
    assert magics == ["npu_run", "npu_log", "npu_check"]
    assert tf.executing_eagerly()
    assert importlib.import_module("npu_device")
    tf2.unload_ipython_extension(shell)
    assert npu_lab.active_device() is None


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("import npu_device as npu", "tf2"),
        ("from npu_device.compat.v1.npu_init import *", "tf2"),
        ("def main():\n    import npu_device", "tf2"),
        ("import os, npu_device.train", "tf2"),
        ("from npu_bridge.npu_init import *", "tf1"),
        ("# import npu_device", "tf1"),
        ("text = 'import npu_device'", "tf1"),
        ("from .npu_device import x", "tf1"),
        ("import npu_device (", "tf1"),
        ("\0", "tf1"),
    ],
)
def test_the_mode_of_a_program(text, mode):
    assert modes.of_program(text) == mode


# npu-lab run


def command(name, tmp_path, *options):
    environment = os.environ | {"NPU_LAB_LANG": "en"}
    for one in ("ASCEND_PROCESS_LOG_PATH", "NPU_LOOP_SIZE", "RANK_SIZE"):
        environment.pop(one, None)
    report = tmp_path / "report.json"
    wanted = ["run", *options, "--report", str(report), str(SCRIPTS / name)]
    ended = subprocess.run(
        [sys.executable, "-m", "npu_lab", *wanted],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return ended, json.loads(report.read_text())


def test_run_knows_a_script_of_tensorflow_2(tmp_path):
    ended, report = command("loops.py", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert report["training_calls"] == 3
    assert report["device_iterations"] == report["batches_pulled"] == 19
    loops = {loop["fetches"][0]: loop for loop in report["loops"]}
    assert loops["loop"]["mode"] == "NPU_LOOP"
    assert loops["loss_loop"]["mode"] == "BUILTIN_LOOP"
    assert {w["code"] for w in report["warnings"]} == {"SINK077", "SINK079"}
    assert report["log"]["markers"] > 0
    assert "Start run ge graph 0 pin to cpu, loop size 5" in ended.stderr


def test_run_stops_after_some_calls(tmp_path):
    ended, report = command("loops.py", tmp_path, "--calls", "1")
    assert report["training_calls"] == 1
    assert ended.returncode == 0, ended.stderr


def test_run_writes_a_trace(tmp_path):
    path = tmp_path / "trace.json"
    ended, _ = command("loops.py", tmp_path, "--trace", str(path))
    assert ended.returncode == 0, ended.stderr
    events = json.loads(path.read_text())["traceEvents"]
    assert sum(e["name"].startswith("iteration") for e in events) == 19


def test_run_goes_by_the_door_to_tensorflow_1(tmp_path):
    ended, report = command("compat.py", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "weight 0.107374" in ended.stdout  # 0.8 ** 10
    assert report["device_iterations"] == 10
    assert report["training_calls"] == 1


def test_a_process_in_graph_mode_is_refused_with_the_mend() -> None:
    process.enter("a script")
    try:
        with pytest.raises(ModeError, match=r"import npu_lab\.tf1.*new process"):
            npu_lab.activate(mode="tf2")
        assert npu_lab.active_device() is None
    finally:
        process.leave("a script")
    npu_lab.activate(mode="tf2")
