"""`npu-lab run --trace FILE`, and `npu-lab trace show|view` on what it wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npu_lab import trace_files

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def recorded(npu_lab: Callable[..., Any], tmp_path: Path) -> Path:
    shutil.copy(SCRIPTS / "supervised_softmax.py", tmp_path / "script.py")
    ran = npu_lab("run", "--trace", "trace.json", "script.py", env={"LANG": "C"})
    assert ran.status == 0, ran.err
    assert ran.report["device_iterations"] > 0
    trace = json.loads((tmp_path / "trace.json").read_text("utf-8"))
    names = [e["name"].split()[0] for e in trace["traceEvents"] if e["ph"] == "X"]
    assert names.count("iteration") >= ran.report["device_iterations"]
    assert names.count("host") == ran.report["session_runs"]
    return tmp_path / "trace.json"


def test_a_line_of_the_log_leads_to_its_call_and_back(
    recorded: Path, npu_lab: Callable[..., Any]
) -> None:
    everything = npu_lab("trace", "show", recorded)
    assert everything.status == 0
    lines = everything.out.splitlines()
    marker = next(n for n, line in enumerate(lines) if "StreamSwitch" in line)
    place = lines[marker].strip().split(": ")[0]
    head = next(line for line in reversed(lines[:marker]) if line[0] != " ")
    by_line = npu_lab("trace", "show", "--line", place, recorded).out
    number = head.split(":")[0].removeprefix("host call ")
    assert by_line.startswith(head)
    assert place in by_line
    assert npu_lab("trace", "show", "--call", number, recorded).out == by_line
    assert len(by_line.splitlines()) < len(lines)


def test_what_is_not_there_is_told(recorded: Path, npu_lab: Callable[..., Any]) -> None:
    for arguments, said in (
        (["--call", "9999"], "no host call 9999"),
        (["--line", "nothing.log:1"], "0 lines of the log"),
    ):
        refused = npu_lab("trace", "show", *arguments, recorded)
        assert refused.status == 2
        assert said in refused.err


@pytest.mark.parametrize(
    "content", [None, b"\xff", b"[1]", b"{}", b"not json", b'{"traceEvents": 5}']
)
@pytest.mark.parametrize("way", ["show", "view"])
def test_another_file_is_refused(
    npu_lab: Callable[..., Any], tmp_path: Path, content: bytes | None, way: str
) -> None:
    file = tmp_path / "some.json"
    if content is not None:
        file.write_bytes(content)
    refused = npu_lab("trace", way, file)
    assert refused.status == 2
    assert "some.json" in refused.err
    assert "Traceback" not in refused.err


def test_a_folder_that_is_not_there_is_told_before_the_script_runs(
    npu_lab: Callable[..., Any], script: Callable[[str], Path]
) -> None:
    refused = npu_lab("run", "--trace", "none/t.json", script("print('ran')"))
    assert refused.status == 2
    assert "ran" not in refused.out


def test_the_trace_is_served_on_loopback(tmp_path: Path) -> None:
    pytest.importorskip("viztracer")
    file = tmp_path / "t.json"
    file.write_text('{"traceEvents": []}')
    command = [sys.executable, "-m", "npu_lab", "trace", "view", "--no-browser", file]
    served = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = served.stderr.readline()
        address = next(w for w in line.split() if w.startswith("http")).rstrip(";")
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}/localtrace") as answer:
            assert answer.read() == file.read_bytes()
            allowed = answer.headers["Content-Security-Policy"]
        assert allowed == trace_files.ONLY_HERE
        taken = address.rpartition(":")[2]
        again = subprocess.run(
            [*command, "--port", taken], capture_output=True, text=True, check=False
        )
        assert again.returncode == 2
        assert taken in again.stderr
    finally:
        served.terminate()
        served.wait(timeout=20)


def test_without_the_package_its_name_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "viztracer.viewer", None)
    (tmp_path / "t.json").write_text('{"traceEvents": []}')
    with pytest.raises(trace_files.TraceFileError, match="viztracer"):
        trace_files.server(tmp_path / "t.json")
