"""The command `npu-lab launch`: its arguments, and the lines for a real machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab import cli
from npu_lab.extras.distributed.launcher import plan

OURS = ("ASCEND_", "RANK_", "CM_", "HCCL_", "JOB_ID")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of a job is exported."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ranks", "2", "nothing.py"], "npu-lab: nothing.py: no such script"),
        (["script.py"], "npu-lab: ranks is None, but must be"),
        (["--ranks", "0", "script.py"], "npu-lab: ranks is 0, but must be"),
        (["--ranks", "two", "script.py"], "argument --ranks"),
        (
            ["--ranks", "2", "--table", "no.json", "script.py"],
            "RANK_TABLE_FILE=no.json",
        ),
        (
            ["--ranks", "2", "--report", "no/f.json", "script.py"],
            "--report no/f.json: ",
        ),
        (["--ranks", "2", "--connect-timeout", "0", "script.py"], "connect_timeout is"),
        (["--ranks", "2"], "SCRIPT"),
    ],
)
def test_wrong_usage_is_status_2(capsys, arguments, message):
    Path("script.py").touch()
    assert cli.main(["launch", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


def test_the_help_names_the_options_and_statuses(capsys):
    assert cli.main(["launch", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for option in ("--ranks", "--table", "--folder", "--report", "--print-commands"):
        assert option in said
    assert "130 after Ctrl-C" in said


def test_nothing_of_tensorflow_is_loaded():
    code = (
        "import sys; from npu_lab.extras.launch.__main__ import main;"
        "main(['--help']); print('tensorflow' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def printed(capsys, *arguments: str) -> str:
    assert cli.main(["launch", "--print-commands", *arguments]) == 0
    return capsys.readouterr().out


def carried_out(commands: str, tmp_path: Path) -> dict[str, str]:
    """What each rank prints where `python3` prints its environment and arguments."""
    programs = tmp_path / "programs"
    programs.mkdir()
    fake = programs / "python3"
    fake.write_text(
        '#!/bin/sh\necho "$RANK_ID/$RANK_SIZE" "$ASCEND_DEVICE_ID" "$JOB_ID"'
        ' "$RANK_TABLE_FILE" "$@"\n'
    )
    fake.chmod(0o755)
    subprocess.run(
        ["bash", "-eu"],
        input=commands,
        text=True,
        check=True,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
    )
    return {path.name: path.read_text() for path in sorted(tmp_path.glob("*.log"))}


def test_the_commands_are_those_of_the_documentation(capsys, tmp_path: Path):
    said = printed(capsys, "--ranks", "2", "my script.py", "--n", "a b")
    assert "npu_lab" not in said
    assert not list(tmp_path.iterdir())  # nothing was run or written
    table = tmp_path / "rank_table.json"
    assert carried_out(said, tmp_path) == {
        f"rank_{rank}.log": f"{rank}/2 {rank} 10087 {table} my script.py --n a b\n"
        for rank in (0, 1)
    }


def test_the_commands_of_each_server_stand_together(capsys, tmp_path, monkeypatch):
    content = plan.content(2)
    first = content["server_list"][0]
    for device in first["device"]:
        device["device_id"] = str(int(device["device_id"]) + 4)
    second = json.loads(json.dumps(first))
    second["server_id"] = "lab-node-1"
    for number, device in enumerate(second["device"], 2):
        device["rank_id"] = str(number)
        device["device_ip"] = f"192.168.51.{number}"
    content |= {"server_list": [first, second], "server_count": "2"}
    table = tmp_path / "table.json"
    table.write_text(json.dumps(content))
    monkeypatch.setenv("JOB_ID", "mine")
    said = printed(capsys, "--table", str(table), "train.py")
    assert said.count("# server ") == said.count("\nwait\n") == 2
    _, later = said.split("# server lab-node-1")
    assert carried_out("#" + later, tmp_path) == {
        f"rank_{rank}.log": f"{rank}/4 {rank + 2} mine {table} train.py\n"
        for rank in (2, 3)
    }


def test_the_commands_need_a_right_table(capsys, tmp_path: Path):
    assert cli.main(["launch", "--print-commands", "--ranks", "99", "train.py"]) == 2
    assert "ranks is 99" in capsys.readouterr().err


def test_a_script_runs_as_two_ranks(npu_lab, script, tmp_path: Path):
    path = script("import os, sys; print('rank', os.environ['RANK_ID'], sys.argv[1:])")
    done = npu_lab("launch", "--ranks", 2, "--folder", "job", path, "--n", 10)
    assert done.status == 0, done.err
    assert f"npu-lab: 2 ranks of {path}; logs and reports in {tmp_path}/job" in done.err
    for rank in (0, 1):
        assert f"[rank {rank}] rank {rank} ['--n', '10']\n" in done.out
    assert "npu-lab: all 2 ranks ended well, in " in done.err


def test_in_chinese(npu_lab, script):
    path = script("raise SystemExit(5)")
    done = npu_lab("launch", "--ranks", 1, path, env={"NPU_LAB_LANG": "zh"})
    assert done.status == 5
    assert "rank 0 最先失败，尚未完成第一步：以退出码 5 结束" in done.err
