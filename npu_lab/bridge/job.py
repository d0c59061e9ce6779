"""The job: which rank of how many this process is, and where its checkpoints are.

It is read once in a process, from the environment or from a `job_start_file`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab import language
from npu_lab.bridge import checks
from npu_lab.bridge.extra import extra

MESSAGES = {
    "no job": {
        "en": "Load job info failed, please check whether `JOB_ID` is set in"
        " environment variable: os.environ['JOB_ID'] = '10086', or another number,"
        " before the NPUEstimator is made.",
        "zh": "Load job info failed, please check whether `JOB_ID` is set in"
        " environment variable：请在创建 NPUEstimator 之前设置环境变量，例如"
        " os.environ['JOB_ID'] = '10086'。",
    },
    "rank": {
        "en": "The rank's number, POD_NAME or else RANK_ID, is {given}, but must be an"
        " int of 0 or more.",
        "zh": "POD_NAME（或 RANK_ID）为 {given}，但必须是大于等于 0 的整数。",
    },
    "ranks": {
        "en": "{name}: the job has {ranks} ranks (RANK_SIZE, CM_WORKER_SIZE or"
        " rank_size of job_start_file), but npu_lab.extras.distributed, which trains on"
        " several, is not installed. Unset the variable to train on one device.",
        "zh": "{name}：作业有 {ranks} 个 rank（RANK_SIZE、CM_WORKER_SIZE 或"
        " job_start_file 中的 rank_size），但未安装用于多个 rank 训练的"
        " npu_lab.extras.distributed。"
        "请取消该环境变量，在单个 Device 上训练。",
    },
    "rank size": {
        "en": "{name} is {given}, but must be an int of 1 or more.",
        "zh": "{name} 为 {given}，但必须是大于等于 1 的整数，即 rank 的数量。",
    },
}


@dataclass(frozen=True)
class Job:
    """This process within its job; None for what was not given."""

    index: int
    rank_size: int
    rank_table_file: str | None = None
    local_checkpoint_dir: str | None = None


_read: list[Job] = []


def read(job_start_file: str = "") -> Job:
    """The job that this process read first; later changes have no effect.

    `forget` lets it be read anew.

    Raises:
        ValueError: JOB_ID is not set, or a value is missing or not of its kind.
        TypeError: a number is not an int.
    """
    if not _read:
        path = Path(job_start_file or "")
        _read.append(_of_file(path) if path.is_file() else _of_environment())
    return _read[0]


def forget() -> None:
    """Let the job be read anew, as in a new process."""
    _read.clear()


def rank_size() -> int:
    """The number of ranks from the environment.

    Raises:
        ValueError: it is no number of 1 or more, or given twice.
    """
    given = checks.get_ranksize()
    if not given.isdecimal() or int(given) < 1:
        name = "RANK_SIZE" if os.environ.get("RANK_SIZE") else "CM_WORKER_SIZE"
        raise ValueError(_text("rank size", name=name, given=repr(given)))
    return int(given)


def several(name: str, ranks: int | None = None) -> Any:
    """What carries out training on several ranks; None where there is one.

    Args:
        name: what asks for it, for an error.
        ranks: their number, by default the environment's.

    Raises:
        NotImplementedError: there are several, and it is not installed.
    """
    ranks = ranks or rank_size()
    if ranks == 1:
        return None
    found = extra("distributed")
    if found is None:
        raise NotImplementedError(_text("ranks", name=name, ranks=ranks))
    return found


def _of_file(path: Path) -> Job:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    device = content.get("device_info") or {}
    where = f"{path}: "
    checks.check_nonnegative_integer(device.get("Index"), f"{where}device_info.Index")
    checks.check_not_none(content.get("rank_table_file"), f"{where}rank_table_file")
    checks.check_positive_integer(content.get("rank_size"), f"{where}rank_size")
    return Job(
        index=device["Index"],
        rank_size=content["rank_size"],
        rank_table_file=content["rank_table_file"],
        local_checkpoint_dir=content.get("local_checkpoint_dir"),
    )


def _of_environment() -> Job:
    given = os.environ.get
    if not given("JOB_ID"):
        raise ValueError(_text("no job"))
    index = given("POD_NAME") or given("RANK_ID") or "0"
    if not index.isdecimal():
        raise ValueError(_text("rank", given=repr(index)))
    return Job(
        index=int(index),
        rank_size=rank_size(),
        rank_table_file=given("RANK_TABLE_FILE"),
        local_checkpoint_dir=given("LOCAL_CHECKPOINT_DIR"),
    )


def _text(key: str, **facts: object) -> str:
    return MESSAGES[key][language.current()].format(**facts)
