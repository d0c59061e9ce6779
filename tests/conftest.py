"""A fresh emulated device for each test, with the log in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import npu_lab

if TYPE_CHECKING:
    from npu_lab.device import Device


# Lessons on the migration tool; the others run without its extra.
WITH_LIBCST = ("08/", "08_", "09/", "09_")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of lessons whose extra is not installed."""
    if find_spec("libcst") is None:
        skip = pytest.mark.skip(reason="the lesson needs npu-lab[migrate]")
        for item in items:
            if any(f"[{name}" in item.name for name in WITH_LIBCST):
                item.add_marker(skip)


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "log"))
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    npu_lab.deactivate()
    yield npu_lab.activate(view=True)
    npu_lab.deactivate()
