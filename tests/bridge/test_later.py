from __future__ import annotations

import importlib
from typing import Any

import pytest

from npu_lab.bridge import later
from npu_lab.device import Device

ROWS = [
    pytest.param(row, name, id=f"{row.module}.{name}")
    for row in later.TABLE
    for name in (row.classes + " " + row.functions).split()
    if not later.supplied(row, name)
]
SUPPLIED = [
    pytest.param(row, name, id=f"{row.module}.{name}")
    for row in later.TABLE
    for name in (row.classes + " " + row.functions).split()
    if later.supplied(row, name)
]


def find(row: later.Row, name: str) -> Any:
    module: Any = importlib.import_module(f"npu_lab.bridge.{row.module}")
    if row.module == "estimator.npu_unary_ops":
        module = module.npu_unary_ops
    return getattr(module, name)


@pytest.mark.parametrize(("row", "name"), ROWS)
def test_using_a_missing_name_says_so(row: later.Row, name: str) -> None:
    thing = find(row, name)
    feature = later.FEATURES[row.feature]["en"]
    with pytest.raises(NotImplementedError) as raised:
        thing()
    text = str(raised.value)
    assert text.startswith(name if row.exported else f"{row.module.split('.')[-1]}.")
    assert name in text
    assert feature in text
    assert "FIDELITY.md" in text
    with pytest.raises(NotImplementedError):
        thing(1, "two", three=3)


@pytest.mark.parametrize(("row", "name"), ROWS)
def test_a_missing_name_is_what_it_will_be(row: later.Row, name: str) -> None:
    thing = find(row, name)
    assert isinstance(thing, type) == (name in row.classes.split())
    assert thing.__name__ == name
    assert thing.__module__ == f"npu_lab.bridge.{row.module}"


@pytest.mark.parametrize(("row", "name"), ROWS)
def test_the_star_brings_what_the_table_says_and_no_more(
    npu_init: Any, row: later.Row, name: str
) -> None:
    if row.exported:
        assert getattr(npu_init, name) is find(row, name)
    else:
        assert getattr(npu_init, name, None) is not find(row, name)


@pytest.mark.parametrize(("row", "name"), SUPPLIED)
def test_what_an_extra_has_comes_from_there(row: later.Row, name: str) -> None:
    thing = find(row, name)
    assert thing.__module__.startswith("npu_lab.extras.")
    assert thing.__name__ == name


@pytest.mark.parametrize(("row", "name"), SUPPLIED)
def test_without_the_extra_it_says_so(
    no_extra: None, row: later.Row, name: str
) -> None:
    assert not later.supplied(row, name)
    thing = later.things(f"npu_lab.bridge.{row.module}")[name]
    with pytest.raises(NotImplementedError, match=f"{name} belongs to.*FIDELITY"):
        thing()


@pytest.mark.parametrize("module", later.MODULES)
def test_a_missing_module_says_so_however_it_is_imported(
    device: Device, module: str
) -> None:
    full = f"npu_bridge.{module}"
    package, _, last = full.rpartition(".")
    for text in (f"import {full}", f"from {package} import {last}"):
        with pytest.raises(NotImplementedError, match=f"{full} belongs to.*FIDELITY"):
            exec(text, {})  # noqa: S102
    assert full in later.names()


def test_names_are_sorted_and_complete_and_each_there_once() -> None:
    names = later.names()
    assert list(names) == sorted(set(names))
    assert len(names) == len(ROWS) + len(later.MODULES)
    assert {"npu_ops.LARS", "npu_dynamic_rnn.DynamicRNN"} <= set(names)
    supplied = {"init_resource", "npu_strategy.NPUStrategy", "hccl_ops.allreduce"}
    supplied |= {"NPUOptimizer", "npu_ops.dropout", "npu_unary_ops.gelu"}
    assert not supplied & set(names)


def test_a_class_may_be_derived_from_but_not_made() -> None:
    from npu_lab.bridge.estimator.npu.npu_dynamic_rnn import DynamicRNN

    class Mine(DynamicRNN):  # type: ignore[misc]
        def __init__(self, mine: int) -> None:
            self.mine = mine

    assert not isinstance(object(), Mine)
    with pytest.raises(NotImplementedError, match="DynamicRNN"):
        Mine(3)


def test_a_chinese_reader_is_told_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    with pytest.raises(NotImplementedError, match="NPUStrategy 属于分布式训练"):
        later.later("NPUStrategy", feature="distributed")()


def test_an_unknown_feature_is_refused_when_the_name_is_made() -> None:
    with pytest.raises(KeyError):
        later.later("Something", feature="no such feature")


@pytest.mark.parametrize(
    "module", ["npu_init", "estimator.npu_ops", "npu_cpu.npu_cpu_ops"]
)
def test_an_undocumented_name_is_an_attribute_error(module: str) -> None:
    found = importlib.import_module(f"npu_lab.bridge.{module}")
    with pytest.raises(AttributeError, match=f"npu_bridge.{module}.*'npu_session'"):
        _ = found.npu_session
    assert not hasattr(found, "npu_session_config_init")


def test_the_communication_library_is_called_by_its_own_name() -> None:
    from npu_lab.bridge.hccl.manage import api

    with pytest.raises(AttributeError, match=r"'hccl\.manage\.api'"):
        _ = api.no_such_function
