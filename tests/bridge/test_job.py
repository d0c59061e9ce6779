from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from npu_lab.bridge import job
from tests.bridge.conftest import words

VARIABLES = words("""
    JOB_ID RANK_ID POD_NAME RANK_SIZE CM_WORKER_SIZE RANK_TABLE_FILE
    LOCAL_CHECKPOINT_DIR
""")
FILE = {
    "device_info": {"Index": 3},
    "rank_table_file": "table.json",
    "rank_size": 8,
    "local_checkpoint_dir": "old",
}


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    job.forget()
    yield
    job.forget()


def start_file(folder: Path, **changed: Any) -> str:
    path = folder / "job.json"
    path.write_text(json.dumps(FILE | changed), "utf-8")
    return str(path)


@pytest.mark.parametrize("given", [None, ""])
def test_without_a_job_id_the_text_names_it(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    if given is not None:
        monkeypatch.setenv("JOB_ID", given)
    with pytest.raises(ValueError, match=r"Load job info failed.*`JOB_ID`"):
        job.read()


def test_the_environment_tells_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOB_ID", "10086")
    monkeypatch.setenv("RANK_ID", "1")
    monkeypatch.setenv("RANK_SIZE", "2")
    monkeypatch.setenv("RANK_TABLE_FILE", "table.json")
    monkeypatch.setenv("LOCAL_CHECKPOINT_DIR", "old")
    assert job.read() == job.Job(1, 2, "table.json", "old")
    monkeypatch.setenv("RANK_ID", "0")
    assert job.read().index == 1
    job.forget()
    assert job.read().index == 0


def test_the_name_of_the_pod_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOB_ID", "1")
    monkeypatch.setenv("RANK_ID", "1")
    monkeypatch.setenv("POD_NAME", "5")
    assert job.read() == job.Job(5, 1)


def test_a_rank_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOB_ID", "1")
    monkeypatch.setenv("RANK_ID", "-1")
    with pytest.raises(ValueError, match=r"RANK_ID.*'-1'"):
        job.read()
    monkeypatch.setenv("RANK_ID", "2")
    assert job.read().index == 2  # nothing was kept of the first


def test_a_start_file_needs_no_environment(tmp_path: Path) -> None:
    assert job.read(start_file(tmp_path)) == job.Job(3, 8, "table.json", "old")


def test_a_file_that_is_not_there_leaves_the_environment(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"JOB_ID"):
        job.read(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("changed", "error", "named"),
    [
        ({"device_info": {}}, TypeError, "device_info.Index"),
        ({"device_info": {"Index": -1}}, ValueError, "device_info.Index"),
        ({"rank_table_file": None}, ValueError, "rank_table_file"),
        ({"rank_size": 0}, ValueError, "rank_size"),
        ({"rank_size": "8"}, TypeError, "rank_size"),
    ],
)
def test_a_fault_in_the_file_is_named(
    tmp_path: Path, changed: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=rf"job\.json: {named}"):
        job.read(start_file(tmp_path, **changed))


@pytest.mark.usefixtures("no_extra")
def test_several_ranks_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert job.several("Hook") is None
    monkeypatch.setenv("RANK_SIZE", "2")
    with pytest.raises(NotImplementedError, match=r"Hook: .*2 ranks.*Unset"):
        job.several("Hook")


def test_several_ranks_get_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from npu_lab.extras import distributed

    assert job.several("Hook", 1) is None
    assert job.several("Hook", 2) is distributed
    monkeypatch.setenv("CM_WORKER_SIZE", "2")
    assert job.several("Hook") is distributed


@pytest.mark.parametrize("name", ["RANK_SIZE", "CM_WORKER_SIZE"])
@pytest.mark.parametrize("given", ["two", "0", "-1", "1.5"])
def test_a_number_of_ranks_that_is_none_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str
) -> None:
    monkeypatch.setenv(name, given)
    with pytest.raises(ValueError, match=f"{name} is '{given}'"):
        job.rank_size()


@pytest.mark.usefixtures("no_extra")
def test_a_chinese_reader_is_told_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    with pytest.raises(ValueError, match=r"`JOB_ID`.*：请在创建"):
        job.read()
    monkeypatch.setenv("RANK_SIZE", "2")
    with pytest.raises(NotImplementedError, match="Hook：作业有 2 个 rank"):
        job.several("Hook")
