"""The command `npu-lab ranktable`: what it writes is correct, every fault is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from npu_lab import cli, language
from npu_lab.extras.distributed import rank_table, ranks
from npu_lab.extras.ranktable import _texts, command


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """English, an empty folder, no port exported."""
    monkeypatch.delenv("HCCL_IF_BASE_PORT", raising=False)
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> int:
    return cli.main(["ranktable", *arguments])


def test_a_table_is_written_to_the_terminal_or_a_file(capsys):
    assert run("write", "--servers", "2", "--devices", "3") == 0
    captured = capsys.readouterr()
    assert "lab-node-0, lab-node-1" in captured.err  # which nobody may know
    assert run("write", "table.json", "--servers", "2", "--devices", "3") == 0
    assert capsys.readouterr().out == ""
    assert Path("table.json").read_text("utf-8") == captured.out
    entries = rank_table.read("table.json").entries
    assert [(e.server_id, e.device) for e in entries] == [
        (f"lab-node-{server}", device) for server in range(2) for device in range(3)
    ]
    assert len({e.device_ip for e in entries}) == 6
    assert list(Path().iterdir()) == [Path("table.json")]


def test_ids_addresses_and_ports_are_written():
    options = ["--server-ids", "a,b", "--host-ips", "10.0.0.1,10.0.0.2"]
    more = ["--devices", "2", "--version", "1.2", "--host-port", "6000"]
    assert run("write", "table.json", *options, *more) == 0
    table = rank_table.read("table.json")
    assert ranks.addresses(table, {}) == (
        "10.0.0.1:6000",
        "10.0.0.1:6001",
        "10.0.0.2:6002",
        "10.0.0.2:6003",
    )
    content = rank_table.content("table.json")
    (pod,) = content["super_pod_list"]
    assert [server["server_id"] for server in pod["server_list"]] == ["a", "b"]
    devices = [d for s in content["server_list"] for d in s["device"]]
    assert len({d["super_device_id"] for d in devices}) == 4


@pytest.mark.parametrize("version", rank_table.VERSIONS)
@pytest.mark.parametrize("servers", [1, 3])
def test_each_table_that_is_written_is_correct(version, servers, capsys):
    most = rank_table.VERSIONS[version]
    size = ["--servers", str(servers), "--devices", str(most), "--version", version]
    assert run("write", "table.json", *size) == 0
    assert run("check", "table.json") == 0
    said = capsys.readouterr().out
    assert f"version {version}, {servers * most} rank(s) on {servers} server" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--devices", "9"], r'device_id is "8", but a server has the devices 0 to 7'),
        (["--devices", "0"], "--devices is 0, but must be 1 or more"),
        (["--servers", "0"], "--servers is 0, but must be 1 or more"),
        (["--servers", "3", "--server-ids", "a,b"], "but --server-ids names 2: a, b"),
        (["--server-ids", "a,a"], 'server_list[1].server_id is "a"'),
        (["--server-ids", "a,"], 'server_list[1].server_id is ""'),
        (["--host-ips", "10.0.0.1,10.0.0.2"], "2 host_ip for 1 servers"),
        (["--host-ips", "10.0.0.999"], 'host_ip is "10.0.0.999"'),
        (["--host-port", "6000"], "version 1.2 only"),
        (["--version", "1.2", "--host-port", "65535"], 'host_port is "65536"'),
        (["--version", "2.0"], "invalid choice: '2.0'"),
    ],
)
def test_what_would_be_wrong_is_not_written(arguments, message, capsys):
    assert run("write", "table.json", *arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not list(Path().iterdir())


def test_a_file_that_cannot_be_written_is_named(capsys):
    assert run("write", "no/table.json") == 2
    said = capsys.readouterr().err
    assert "no/table.json: the table was not written: No such file" in said


def test_every_fault_is_shown_with_field_and_value(capsys):
    content = rank_table.table(2, 2)
    content["status"] = "initializing"
    content["server_list"][0]["device"][1]["device_id"] = "9"
    content["server_list"][1]["device"][0]["device_ip"] = "nowhere"
    content["server_list"][1]["device"][1]["rank_id"] = 3
    Path("table.json").write_text(json.dumps(content), "utf-8")
    assert run("check", "table.json") == 1
    *faults, last = capsys.readouterr().out.splitlines()
    device = "server_list[{}].device[{}]"
    assert [line.partition(", but")[0] for line in faults] == [
        'table.json: status is "initializing"',
        f'table.json: {device.format(0, 1)}.device_id is "9"',
        f'table.json: {device.format(1, 0)}.device_ip is "nowhere"',
        f"table.json: {device.format(1, 1)}.rank_id is 3",
    ]
    assert last == "table.json: 4 fault(s)"
    assert run("explain", "table.json") == 1
    assert last in capsys.readouterr().out


def test_one_fault_does_not_lead_to_others(capsys):
    content = rank_table.table(2, 2)
    del content["server_list"][0]["device"][1]["rank_id"]
    Path("table.json").write_text(json.dumps(content), "utf-8")
    assert run("check", "table.json") == 1
    assert capsys.readouterr().out.splitlines()[-1] == "table.json: 1 fault(s)"


def test_what_is_no_table_is_named(capsys):
    assert run("check", "table.json") == 2
    assert "table.json: no such file" in capsys.readouterr().err
    Path("table.json").write_text("{", "utf-8")
    assert run("check", "table.json") == 1
    assert "table.json is no JSON" in capsys.readouterr().out
    Path("table.json").write_text("[]", "utf-8")
    assert run("explain", "table.json") == 1
    assert "rank table is []" in capsys.readouterr().out


def test_each_field_and_each_rank_is_explained(capsys, monkeypatch):
    rank_table.write("it's a table.json", ["10.0.0.1", "10.0.0.2"], 2)
    monkeypatch.setenv("HCCL_IF_BASE_PORT", "7000")
    assert run("explain", "it's a table.json") == 0
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines()]
    assert ["3", "10.0.0.2", "1", "192.168.51.11", "10.0.0.2:7001"] in rows
    assert "server_list[].device[].rank_id" in said
    assert "host_port" not in said  # it is not there
    assert _texts.text("unknown") not in said
    # What is to be exported is what the ranks themselves read.
    exports = [line for line in said.splitlines() if "export" in line and "=" in line]
    for rank, export in enumerate(exports):
        shown = subprocess.run(
            ["sh", "-c", f"{export}; env"], capture_output=True, text=True, check=True
        )
        environ = dict(
            line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line
        )
        monkeypatch.setenv("RANK_SIZE", environ["RANK_SIZE"])
        monkeypatch.setenv("JOB_ID", environ["JOB_ID"])
        read = ranks.read(environ)
        assert (read.rank, read.size) == (rank, 4)
    assert len(exports) == 4


def test_a_field_that_is_not_known_is_said_to_be_so(capsys):
    content = rank_table.table()
    content["server_list"][0]["about"] = "x"
    Path("table.json").write_text(json.dumps(content), "utf-8")
    assert run("explain", "table.json") == 0
    (line,) = [
        line for line in capsys.readouterr().out.splitlines() if "[].about" in line
    ]
    assert line.endswith("not known here; of no effect")


def test_a_chinese_reader_is_told_in_chinese(capsys, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    rank_table.write("table.json", 1, 2)
    assert run("explain", "table.json") == 0
    said = capsys.readouterr().out
    assert "每个 rank 的运行位置" in said
    assert "1 个 server，2 个 rank" in said


def test_all_texts_are_in_both_languages():
    for key, texts in _texts.TEXTS.items():
        assert set(texts) == set(language.LANGUAGES), key


def test_neither_tensorflow_nor_another_extra_is_needed(tmp_path):
    rank_table.write("table.json", 1, 2)
    names = "('tensorflow', 'libcst', 'matplotlib', 'ipywidgets')"
    told = "import sys; from npu_lab.extras.ranktable import command as c;"
    told += "c.main(['explain', 'table.json']);"
    told += f"sys.exit(any(name in sys.modules for name in {names}))"
    subprocess.run([sys.executable, "-c", told], check=True, stdout=subprocess.DEVNULL)


def test_the_help_names_the_ways(capsys):
    assert command.main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(way in said for way in ("write", "check", "explain"))
