"""Who this process is: by a rank table, or without one by the coordinator."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npu_lab.bridge import job
from npu_lab.extras.distributed import groups, ranks
from tests.extras.distributed.conftest import OURS, free_ports, table

Environ = dict[str, str]


@pytest.fixture(autouse=True)
def _a_new_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import os

    for name in [n for n in os.environ if n.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    job.forget()
    ranks.forget()
    groups.forget()
    yield
    job.forget()
    ranks.forget()
    groups.forget()


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`environ(NAME="value", ...)`: read a correct job of two ranks, so changed."""
    path = tmp_path / "table.json"
    path.write_text(json.dumps(table(2)), "utf-8")

    def read(**changed: str | None) -> ranks.Ranks:
        given: dict[str, str | None] = {
            "RANK_TABLE_FILE": str(path),
            "RANK_ID": "1",
            "RANK_SIZE": "2",
            "JOB_ID": "10086",
            **changed,
        }
        for name, value in given.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
        return ranks.current()

    return read


def test_without_variables_there_is_one_rank() -> None:
    known = ranks.current()
    assert (known.rank, known.size, known.local) == (0, 1, [0])


def test_a_rank_table_tells_all(environ: Any) -> None:
    known = environ()
    assert (known.rank, known.size, known.local) == (1, 2, [0, 1])
    assert known.addresses == ("127.0.0.1:60000", "127.0.0.1:60001")
    assert environ(RANK_ID="0") is known, "read once in a process"


def test_the_ports_begin_where_the_variable_says(environ: Any) -> None:
    known = environ(HCCL_IF_BASE_PORT="23000")
    assert known.addresses == ("127.0.0.1:23000", "127.0.0.1:23001")


def test_a_table_may_have_one_rank(environ: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(table(1)), "utf-8")
    known = environ(RANK_TABLE_FILE=str(path), RANK_ID="0", RANK_SIZE="1", JOB_ID=None)
    assert (known.rank, known.size) == (0, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"JOB_ID": None}, "`JOB_ID`"),
        ({"CM_WORKER_SIZE": "2"}, "RANK_TABLE_FILE, RANK_ID, RANK_SIZE and CM_WORKER"),
        ({"CM_CHIEF_IP": "10.0.0.5"}, "RANK_SIZE and CM_CHIEF_IP are both set"),
        ({"RANK_SIZE": "4"}, r"RANK_SIZE is 4, but .*table.json lists 2 devices"),
        ({"RANK_SIZE": "two"}, "RANK_SIZE is 'two'"),
        ({"RANK_SIZE": None}, "RANK_SIZE is not set"),
        ({"RANK_ID": "2"}, "RANK_ID is 2, but the ranks of 2 are 0 to 1"),
        ({"RANK_ID": "one"}, "RANK_ID is one"),
        ({"RANK_ID": None}, "RANK_ID is not set"),
        ({"RANK_TABLE_FILE": None}, "RANK_TABLE_FILE is not set"),
        ({"RANK_TABLE_FILE": "/no/such"}, "RANK_TABLE_FILE=/no/such: No such file"),
        ({"HCCL_IF_BASE_PORT": "80"}, "HCCL_IF_BASE_PORT is '80'.* from 1024 to"),
    ],
)
def test_a_wrong_variable_is_named(
    environ: Any, changed: dict[str, str | None], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        environ(**changed)


def test_the_device_of_the_table_is_used(environ: Any) -> None:
    with pytest.warns(
        RuntimeWarning, match="ASCEND_DEVICE_ID is 5.* rank 1 the device 1"
    ):
        known = environ(ASCEND_DEVICE_ID="5")
    assert known.table.entries[known.rank].device == 1


class TestCoordinator:
    def environment(self, port: int, device: int, **changed: str) -> Environ:
        return {
            "CM_CHIEF_IP": "127.0.0.1",
            "CM_CHIEF_PORT": str(port),
            "CM_CHIEF_DEVICE": "3",
            "CM_WORKER_SIZE": "3",
            "CM_WORKER_IP": "127.0.0.1",
            "ASCEND_DEVICE_ID": str(device),
            "HCCL_CONNECT_TIMEOUT": "20",
            **changed,
        }

    def meet(self, *environments: Environ) -> list[Any]:
        """What each process reads, or the error that it gets."""
        results: list[Any] = [None] * len(environments)

        def one(number: int) -> None:
            try:
                results[number] = ranks.read(environments[number])
            except (ValueError, OSError) as error:
                results[number] = error

        threads = [
            threading.Thread(target=one, args=[n]) for n in range(len(environments))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return results

    @pytest.fixture(autouse=True)
    def _job(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JOB_ID", "10086")

    def test_gives_each_its_rank_by_device(self) -> None:
        port = free_ports(1)
        found = self.meet(*(self.environment(port, device) for device in (5, 3, 4)))
        assert [known.rank for known in found] == [2, 0, 1]
        assert {known.addresses for known in found} == {
            ("127.0.0.1:60003", "127.0.0.1:60004", "127.0.0.1:60005")
        }

    def test_refuses_a_device_twice(self) -> None:
        port = free_ports(1)
        for found in self.meet(*(self.environment(port, d) for d in (4, 3, 4))):
            assert "ASCEND_DEVICE_ID is 4" in str(found)

    def test_says_when_not_all_come(self) -> None:
        limit = {"HCCL_CONNECT_TIMEOUT": "0.5"}
        (found,) = self.meet(self.environment(free_ports(1), 3, **limit))
        assert isinstance(found, TimeoutError)
        assert "the 3 ranks did not meet there within 0.5 s" in str(found)
        (found,) = self.meet(self.environment(free_ports(1), 4, **limit))
        assert isinstance(found, TimeoutError)
        assert "CM_CHIEF_DEVICE" in str(found)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("CM_CHIEF_IP", "nowhere"),
            ("CM_WORKER_IP", "nowhere"),
            ("CM_CHIEF_PORT", "65521"),
            ("CM_CHIEF_DEVICE", "x"),
            ("CM_WORKER_SIZE", "32769"),
            ("ASCEND_DEVICE_ID", "16"),
            ("HCCL_CONNECT_TIMEOUT", "-1"),
        ],
    )
    def test_names_a_wrong_variable(self, name: str, value: str) -> None:
        environment = self.environment(1, 3, **{name: value})
        with pytest.raises(ValueError, match=f"{name} is '?{value}"):
            ranks.read(environment)

    @pytest.mark.parametrize(
        "name", ["CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_WORKER_IP", "ASCEND_DEVICE_ID"]
    )
    def test_names_a_missing_variable(self, name: str) -> None:
        environment = self.environment(1, 3)
        del environment[name]
        with pytest.raises(ValueError, match=f"{name} is not set"):
            ranks.read(environment)
