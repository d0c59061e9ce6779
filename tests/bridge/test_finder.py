from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import npu_lab.bridge
from npu_lab.device import Device

PAIRS = [
    ("npu_bridge", "npu_lab.bridge"),
    ("npu_bridge.npu_init", "npu_lab.bridge.npu_init"),
    ("npu_bridge.estimator.npu.util", "npu_lab.bridge.estimator.npu.util"),
    ("npu_bridge.hccl.hccl_ops", "npu_lab.bridge.hccl.hccl_ops"),
    ("hccl", "npu_lab.bridge.hccl"),
    ("hccl.manage.api", "npu_lab.bridge.hccl.manage.api"),
    ("hccl.split.api", "npu_lab.bridge.hccl.split.api"),
]
OURS_ONLY = [
    "npu_bridge.checks",
    "npu_bridge.run_config_table",
    "npu_bridge.run_config",
    "npu_bridge.job",
    "npu_bridge.config_classes",
    "npu_bridge.extra",
    "npu_bridge.channels",
    "npu_bridge.finder",
    "npu_bridge.later",
    "npu_bridge.later_names",
    "npu_bridge.loop_variables",
    "npu_bridge.marks",
    "npu_bridge.hccl.manage",
    "npu_bridge.hccl.manage.api",
    "npu_bridge.hccl.split",
    "hccl.hccl_ops",
    "npu_bridge.no_such_module",
]


@pytest.mark.parametrize(("alias", "real"), PAIRS)
def test_both_names_give_one_module(device: Device, alias: str, real: str) -> None:
    module = importlib.import_module(alias)
    assert module is importlib.import_module(real)
    assert module is sys.modules[alias]
    assert module.__name__ == real
    assert module.__spec__ is not None
    assert module.__spec__.name == real


def test_every_way_to_write_the_import_gives_one_module(device: Device) -> None:
    import npu_bridge.estimator.npu.util as by_path
    from npu_bridge.estimator.npu import util as from_package
    from npu_bridge.npu_init import util as exported

    assert by_path is from_package is exported


def test_a_relative_reload_keeps_the_module_in_place(device: Device) -> None:
    module = importlib.import_module("npu_bridge.helper.helper")
    assert importlib.reload(module) is module
    assert importlib.import_module("npu_bridge.helper.helper") is module


@pytest.mark.parametrize("name", OURS_ONLY)
def test_what_the_vendor_does_not_have_is_not_found(device: Device, name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name[:15]}"):
        importlib.import_module(name)
    assert name not in sys.modules


def test_every_module_that_is_not_the_vendors_is_hidden() -> None:
    # A file of our own beside the vendor's would else pass for one of hers.
    package = Path(npu_lab.bridge.__file__ or "").parent
    top = {p.stem for p in package.glob("*.py")} - {"__init__", "npu_init"}
    assert {f"npu_bridge.{name}" for name in top} <= set(OURS_ONLY)


def test_other_imports_are_left_alone(device: Device) -> None:
    assert importlib.util.find_spec("npu_bridge_of_somebody_else") is None
    assert importlib.import_module("wave").__name__ == "wave"
