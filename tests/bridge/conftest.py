"""An active device, the names it brings, and a small model to train."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import npu_lab
from npu_lab._tensorflow import tf
from npu_lab.device import Device

v1 = tf.compat.v1


class CountingSession(v1.Session):  # type: ignore[misc]
    """A session that keeps what it was asked to run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fetched: list[Any] = []

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        self.fetched.append(fetches)
        return super().run(fetches, *args, **kwargs)


def words(text: str) -> list[str]:
    """Names in lines, as a list."""
    return text.split()


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "log"))
    npu_lab.deactivate()
    yield npu_lab.activate()
    npu_lab.deactivate()


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extras are not installed that give the vendor's names."""
    for name in ("distributed", "tuning"):
        monkeypatch.setitem(sys.modules, f"npu_lab.extras.{name}", None)


@pytest.fixture
def npu_init(device: Device) -> Any:
    return importlib.import_module("npu_bridge.npu_init")


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as new:
        yield new


@pytest.fixture
def weight(graph: Any) -> Any:
    return v1.get_variable("w", initializer=0.0, use_resource=True)


@pytest.fixture
def train_op(weight: Any) -> Any:
    """One step adds 1 to the weight."""
    return v1.assign_add(weight, 1.0).op
