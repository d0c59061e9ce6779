"""A fresh emulated device for each test, with the log in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import npu_lab

if TYPE_CHECKING:
    from npu_lab.device import Device


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "log"))
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    npu_lab.deactivate()
    yield npu_lab.activate(view=True)
    npu_lab.deactivate()
