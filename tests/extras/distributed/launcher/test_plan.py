"""What is wrong is told before anything is started."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from npu_lab.extras.distributed.launcher import launch, plan
from tests.extras.distributed.conftest import free_ports, table

pytestmark = pytest.mark.usefixtures("light")


@pytest.fixture
def written(tmp_path: Path):
    """Write a rank table, changed as wanted."""

    def write(size: int = 2, change=lambda content: None) -> Path:
        content = table(size)
        change(content)
        path = tmp_path / "table.json"
        path.write_text(json.dumps(content), "utf-8")
        return path

    return write


def two_servers(content):
    first = content["server_list"][0]
    second = {"server_id": "lab-node-1", "device": [dict(first["device"].pop())]}
    content["server_list"].append(second)
    content["server_count"] = "2"


def refused(script, message: str, kind: type[Exception] = ValueError, **options) -> str:
    begun = script("open(sys.argv[0] + '.begun', 'w').close()")
    with pytest.raises(kind, match=message) as caught:
        launch(begun, **options)
    assert not begun.with_name("script.py.begun").exists()
    return str(caught.value)


def test_no_script(tmp_path: Path):
    with pytest.raises(ValueError, match=r"nothing\.py: no such script"):
        launch(tmp_path / "nothing.py", ranks=2)


@pytest.mark.parametrize("ranks", [None, 0, -1, 17])
def test_a_number_of_ranks_that_there_cannot_be(script, ranks):
    refused(script, f"ranks is {ranks}, but must be", ranks=ranks)


def test_the_table_tells_how_many(script, written):
    job = launch(script("print(os.environ['RANK_SIZE'])"), table=written(3))
    assert [rank.log.read_text("utf-8") for rank in job.ranks] == ["3\n"] * 3


def test_the_table_decides_on_the_devices(script, written):
    def change(content):
        for device in content["server_list"][0]["device"]:
            device["device_id"] = str(int(device["device_id"]) + 4)

    path = script(
        "print(os.environ['ASCEND_DEVICE_ID'], os.environ['RANK_TABLE_FILE'])"
    )
    given = written(2, change)
    job = launch(path, ranks=2, table=given)
    told = [rank.log.read_text("utf-8") for rank in job.ranks]
    assert told == [f"4 {given}\n", f"5 {given}\n"]
    assert not (job.folder / "rank_table.json").exists()


def test_another_number_than_the_tables(script, written):
    refused(
        script, "ranks is 4, but .*table.json lists 2 dev", ranks=4, table=written()
    )


def test_a_wrong_table_names_the_field_and_the_value(script, written):
    given = written(2, lambda content: content.update(status="initializing"))
    refused(script, 'status is "initializing"', ranks=2, table=given)
    given = written(2, lambda c: c["server_list"][0]["device"][1].update(device_id="9"))
    refused(script, r'device\[1\].device_id is "9"', ranks=2, table=given)


def test_ranks_of_several_servers(script, written):
    refused(script, "has several servers", ranks=2, table=written(2, two_servers))


def test_a_port_that_is_taken(script, monkeypatch):
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = other.getsockname()[1]
        monkeypatch.setenv("HCCL_IF_BASE_PORT", str(port - 1))
        refused(script, f"rank 1: the port {port} is taken", OSError, ranks=2)


def test_a_port_of_the_table_that_is_taken(script, written):
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = str(other.getsockname()[1])

        def change(content):
            content["version"] = "1.2"
            content["server_list"][0]["device"][0]["host_port"] = port

        message = f"rank 0: the port {port}, which is its host_port in "
        refused(script, message, OSError, ranks=2, table=written(2, change))


@pytest.mark.parametrize("chosen", [True, False])
def test_ports_are_looked_for_or_the_users(script, monkeypatch, chosen):
    if chosen:
        monkeypatch.setenv("HCCL_IF_BASE_PORT", str(free_ports(2)))
    job = launch(script("print(os.environ['HCCL_IF_BASE_PORT'])"), ranks=2)
    first, second = (int(rank.log.read_text("utf-8")) for rank in job.ranks)
    assert first == second
    if not chosen:
        assert first in plan.PORTS


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CM_CHIEF_IP", "10.0.0.5", "CM_CHIEF_IP is 10.0.0.5 in the environment, but"),
        ("RANK_SIZE", "4", "RANK_SIZE is 4 in the environment, but there are 2 ranks"),
        ("RANK_ID", "0", "RANK_ID is 0 in the environment, but each of the 2 ranks"),
        ("ASCEND_DEVICE_ID", "1", "ASCEND_DEVICE_ID is 1 in the environment, but each"),
        ("RANK_TABLE_FILE", "/nowhere.json", "RANK_TABLE_FILE is /nowhere.json"),
        ("HCCL_CONNECT_TIMEOUT", "soon", "HCCL_CONNECT_TIMEOUT is 'soon'"),
        ("HCCL_IF_BASE_PORT", "1", "HCCL_IF_BASE_PORT is '1'"),
    ],
)
def test_what_is_exported_must_hold_for_all(
    script, written, monkeypatch, name, value, message
):
    monkeypatch.setenv(name, value)
    refused(script, message, ranks=2, table=written())


def test_what_is_exported_and_holds_is_kept(script, written, monkeypatch):
    given = written()
    wanted = {
        "RANK_TABLE_FILE": str(given),
        "RANK_SIZE": "2",
        "JOB_ID": "mine",
        "HCCL_CONNECT_TIMEOUT": "77",
        "ASCEND_GLOBAL_LOG_LEVEL": "0",
    }
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    job = launch(script(f"print([os.environ[n] for n in {list(wanted)}])"))
    assert [rank.log.read_text("utf-8") for rank in job.ranks] == [
        f"{list(wanted.values())}\n"
    ] * 2


@pytest.mark.parametrize(
    ("ranks", "asked", "given"), [(1, None, "5"), (5, None, "10"), (1, 3.5, "3.5")]
)
def test_how_long_ranks_wait_for_each_other(script, ranks, asked, given):
    path = script("print(os.environ['HCCL_CONNECT_TIMEOUT'])")
    job = launch(path, ranks=ranks, connect_timeout=asked)
    assert job.ranks[0].log.read_text("utf-8") == f"{given}\n"


def test_a_time_that_is_none(script):
    refused(script, "connect_timeout is '-1'", ranks=2, connect_timeout=-1)


def test_a_table_of_the_user_is_not_overwritten(script, tmp_path: Path):
    mine = tmp_path / "job" / "rank_table.json"
    mine.parent.mkdir()
    mine.write_text(json.dumps(table(2)), "utf-8")
    refused(script, "is there already", ranks=2, folder=mine.parent)
    assert json.loads(mine.read_text("utf-8")) == table(2)
    assert launch(script(""), table=mine, folder=mine.parent).ok


def test_a_folder_that_cannot_be_made(script, tmp_path: Path):
    (tmp_path / "file").touch()
    refused(script, "file", OSError, ranks=2, folder=tmp_path / "file" / "job")
