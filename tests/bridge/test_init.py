from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from npu_lab import bridge
from npu_lab.bridge.finder import Finder


class Log:
    def __init__(self) -> None:
        self.starts = 0

    def start(self) -> None:
        self.starts += 1


class StubDevice:
    def __init__(self) -> None:
        self.log = Log()


@pytest.fixture
def stub() -> Iterator[Any]:
    bridge.uninstall()
    yield StubDevice()
    bridge.uninstall()


def finders() -> list[Any]:
    return [f for f in sys.meta_path if isinstance(f, Finder)]


def vendor_modules() -> list[str]:
    return [n for n in sys.modules if n.partition(".")[0] in {"npu_bridge", "hccl"}]


@pytest.mark.parametrize("name", ["npu_bridge", "npu_bridge.npu_init", "hccl"])
def test_without_a_device_there_is_no_such_module(stub: Any, name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


def test_install_twice_leaves_one_finder(stub: Any) -> None:
    bridge.install(stub)
    bridge.install(stub)
    assert len(finders()) == 1


def test_uninstall_twice_leaves_nothing_behind(stub: Any) -> None:
    bridge.install(stub)
    importlib.import_module("npu_bridge.estimator.npu.util")
    importlib.import_module("hccl.manage.api")
    assert vendor_modules()
    bridge.uninstall()
    bridge.uninstall()
    assert finders() == []
    assert vendor_modules() == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("npu_bridge")


def test_another_device_takes_over(stub: Any) -> None:
    bridge.install(stub)
    importlib.import_module("npu_bridge")
    other: Any = StubDevice()
    bridge.install(other)
    importlib.import_module("npu_bridge")
    assert len(finders()) == 1
    assert (stub.log.starts, other.log.starts) == (1, 1)


def test_only_the_first_import_starts_the_log(stub: Any) -> None:
    bridge.install(stub)
    assert stub.log.starts == 0
    importlib.import_module("npu_bridge.estimator.npu.util")
    importlib.import_module("npu_bridge.hccl.hccl_ops")
    assert stub.log.starts == 1


def test_after_a_new_install_the_import_starts_the_log_again(stub: Any) -> None:
    for starts in (1, 2):
        bridge.install(stub)
        importlib.import_module("npu_bridge")
        assert stub.log.starts == starts
        bridge.uninstall()


def test_the_communication_library_alone_does_not_start_the_log(stub: Any) -> None:
    bridge.install(stub)
    importlib.import_module("hccl.manage.api")
    assert stub.log.starts == 0


def test_the_package_has_the_version_of_the_adapter(stub: Any) -> None:
    bridge.install(stub)
    npu_bridge: Any = importlib.import_module("npu_bridge")
    helper = importlib.import_module("npu_bridge.helper.helper")
    assert npu_bridge.__version__ == helper.version == "v1.15.0"


def test_an_unknown_name_of_the_package_is_an_attribute_error(stub: Any) -> None:
    bridge.install(stub)
    with pytest.raises(AttributeError, match="npu_session"):
        _ = bridge.npu_session
    bridge.uninstall()
    with pytest.raises(AttributeError, match="npu_init"):
        _ = bridge.npu_init
