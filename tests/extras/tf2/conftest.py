"""A fresh device in the mode of TensorFlow 2 for each test."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import npu_lab
from npu_lab.extras.tf2.state import STATE
from tests.eager import eager

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all of them: what graphs leave behind in a process does not go with them."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("eager")


VARIABLES = (
    "NPU_LOOP_SIZE",
    "ASCEND_DEVICE_ID",
    "RANK_SIZE",
    "RANK_ID",
    "RANK_TABLE_FILE",
    "CM_WORKER_SIZE",
    "CM_CHIEF_IP",
    "CM_CHIEF_PORT",
    "CM_CHIEF_DEVICE",
    "NPU_ENABLE_PERF",
    "NPU_DEBUG",
    "NPU_DUMP_GRAPH",
)


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    """Other tests of the same process may have put it into graph mode."""
    with eager():
        yield


@pytest.fixture
def device2(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The device, active in tf2 mode."""
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "log"))
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    npu_lab.deactivate()
    yield npu_lab.activate(mode="tf2")
    npu_lab.deactivate()


@pytest.fixture
def npu(device2: Any) -> Any:
    """The module npu_device, freshly imported."""
    del device2
    return importlib.import_module("npu_device")


@pytest.fixture
def opened(npu: Any) -> Any:
    """The same with the device opened, as the default."""
    npu.open().as_default()
    assert STATE.handle is not None
    return npu
