"""Reading a rank table: each fault is an error that names the field and its value."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npu_lab.extras.distributed import rank_table
from npu_lab.extras.distributed.rank_table import Entry, RankTableError
from tests.extras.distributed.conftest import table


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    def file(content: Any) -> Path:
        path = tmp_path / "table.json"
        path.write_text(json.dumps(content), "utf-8")
        return path

    return file


def servers(*counts: int) -> dict[str, Any]:
    """A correct table with so many devices on each server."""
    made, rank = table(0), 0
    made["server_list"] = []
    for number, count in enumerate(counts):
        devices = []
        for device in range(count):
            ip = f"10.1.{number}.{device}"
            devices.append(
                {"device_id": str(device), "device_ip": ip, "rank_id": str(rank)}
            )
            rank += 1
        server = {"server_id": f"10.0.0.{number + 1}", "device": devices}
        made["server_list"].append(server)
    made["server_count"] = str(len(counts))
    return made


def test_a_correct_table_is_read(write: Any) -> None:
    read = rank_table.read(write(table(2)))
    assert read.entries == (
        Entry(0, "lab-node-0", 0, "lab-node-0", "192.168.50.10"),
        Entry(1, "lab-node-0", 1, "lab-node-0", "192.168.50.11"),
    )
    assert read.one_server
    assert read.on_server(1) == [0, 1]


def test_several_servers_have_their_ranks_in_order(write: Any) -> None:
    content = servers(2, 2)
    content["server_list"].reverse()
    content["server_list"][0]["host_ip"] = "10.9.9.9"
    read = rank_table.read(write(content))
    assert [e.rank for e in read.entries] == [0, 1, 2, 3]
    assert [e.host for e in read.entries] == ["10.0.0.1"] * 2 + ["10.9.9.9"] * 2
    assert not read.one_server
    assert read.on_server(2) == [2, 3]


def test_a_table_of_super_pods_is_read(write: Any) -> None:
    content = servers(16)
    content["version"] = "1.2"
    content["server_list"][0]["host_ip"] = "10.0.0.1"
    content["super_pod_list"] = []
    for device in content["server_list"][0]["device"]:
        device |= {"super_device_id": "7", "host_port": f"50{device['rank_id']:0>3}"}
    read = rank_table.read(write(content))
    assert read.entries[15].host_port == 50015
    assert len(read.entries) == 16


def changed(where: str, value: Any, *, of: dict[str, Any] | None = None) -> Any:
    content = copy.deepcopy(of or servers(2, 2))
    *path, last = [int(p) if p.isdecimal() else p for p in where.split(".")]
    place: Any = content
    for part in path:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return content


DEVICE = "server_list.0.device.1"
FAULTS = [
    ("status", "initializing", r'status is "initializing", but must be "completed"'),
    ("status", None, "status is null"),
    ("version", "3.0", r'version is "3.0", but must be one of 1.0, 1.2'),
    ("server_count", "3", r'server_count is "3", but server_list has 2 servers'),
    ("server_count", 2, "server_count is 2"),
    ("server_list", "x", r'server_list is "x", but must be \[...\]'),
    ("server_list.1", [], r"server_list\[1\] is \[\]"),
    ("server_list.0.server_id", None, r"server_list\[0\].server_id is null"),
    ("server_list.0.server_id", "x" * 65, "at most 64 characters"),
    (
        "server_list.1.server_id",
        "10.0.0.1",
        r'\[1\].server_id is "10.0.0.1".*\[0\] has',
    ),
    ("server_list.0.host_ip", "nowhere", r'host_ip is "nowhere".*IP address'),
    ("server_list.0.device", [], "at least one device"),
    ("server_list.1.device.1", None, r"len\(server_list\[1\].device\) is 1.*first, 2"),
    (f"{DEVICE}.device_id", "9", r'device\[1\].device_id is "9".* 0 to 7'),
    (f"{DEVICE}.device_id", 1, r"device\[1\].device_id is 1, .*string"),
    (f"{DEVICE}.device_id", "0", r'device\[1\].device_id is "0".*device\[0\] has'),
    (f"{DEVICE}.device_ip", "10.1.0.0", r'device\[1\].device_ip is "10.1.0.0".*device'),
    (f"{DEVICE}.device_ip", "10.1.0.300", r'device_ip is "10.1.0.300".*IP address'),
    (f"{DEVICE}.rank_id", "-1", r'device\[1\].rank_id is "-1"'),
    (f"{DEVICE}.rank_id", "0", r'device\[1\].rank_id is "0".*device\[0\] has'),
    (f"{DEVICE}.rank_id", "7", r'device\[1\].rank_id is "7".*; 3 is missing|1 is miss'),
    (f"{DEVICE}.rank_id", None, r"device\[1\].rank_id is null"),
    (DEVICE, 3, r"device\[1\] is 3, but must be \{...\}"),
]


@pytest.mark.parametrize(("where", "value", "message"), FAULTS)
def test_a_fault_is_named_with_field_and_value(
    write: Any, where: str, value: Any, message: str
) -> None:
    path = write(changed(where, value))
    with pytest.raises(RankTableError, match=message) as raised:
        rank_table.read(path)
    assert str(raised.value).startswith(str(path))


def test_ranks_of_a_server_follow_each_other(write: Any) -> None:
    content = servers(2, 2)
    first, second = (server["device"] for server in content["server_list"])
    first[1]["rank_id"], second[0]["rank_id"] = "2", "1"
    with pytest.raises(RankTableError, match=r"rank_id is .*server by server"):
        rank_table.read(write(content))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, write: Any) -> None:
    with pytest.raises(RankTableError, match=r"RANK_TABLE_FILE=.*no such.json: No"):
        rank_table.read(tmp_path / "no such.json")
    path = write([])
    with pytest.raises(RankTableError, match=r"rank table is \[\]"):
        rank_table.read(path)
    path.write_text('{"status": ', "utf-8")
    with pytest.raises(RankTableError, match=r"no JSON: .*line 1"):
        rank_table.read(path)
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(RankTableError, match="RANK_TABLE_FILE="):
        rank_table.read(path)


def test_a_chinese_reader_is_told_in_chinese(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    with pytest.raises(RankTableError, match='status 为 "initializing"，但必须是'):
        rank_table.read(write(changed("status", "initializing")))
