from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

import npu_lab
from npu_lab import lab
from npu_lab.device import Device
from npu_lab.lab.cell_runs import CellRun
from npu_lab.trace.verdict import IN_EFFECT, NOT_EFFECTIVE, NOT_IN_EFFECT

SUNK = {"iterations_per_loop": 10, "enable_data_pre_proc": True}


def codes(judged: CellRun) -> list[str]:
    found = [d for verdict in judged.verdicts for d in verdict.diagnostics]
    return [one.code for one in (*judged.others, *found)]


@pytest.mark.parametrize(
    ("given", "state", "data", "expected"),
    [
        ({}, NOT_IN_EFFECT, "fresh", []),
        (SUNK, IN_EFFECT, "fresh", []),
        ({"iterations_per_loop": 10}, IN_EFFECT, "repeated", ["SINK005"]),
        ({**SUNK, "loaded": 5}, IN_EFFECT, "fresh", ["SINK007"]),
        ({**SUNK, "loaded": 1}, NOT_EFFECTIVE, "fresh", ["SINK021"]),
        ({**SUNK, "data": "fed"}, IN_EFFECT, "repeated", ["SINK004"]),
        ({**SUNK, "setter": "dropped"}, NOT_IN_EFFECT, "fresh", ["SINK001"]),
        ({**SUNK, "setter": "not loaded"}, NOT_IN_EFFECT, "fresh", ["SINK020"]),
        ({**SUNK, "setter": "not called"}, NOT_IN_EFFECT, "fresh", ["SINK006"]),
        ({"loaded": 10}, NOT_IN_EFFECT, "fresh", ["SINK017"]),
        ({**SUNK, "use_off_line": False}, NOT_IN_EFFECT, "fresh", ["SINK024"]),
        ({**SUNK, "mix_compile_mode": True}, NOT_IN_EFFECT, "fresh", ["SINK010"]),
        ({**SUNK, "graph_run_mode": 0}, NOT_IN_EFFECT, "fresh", ["SINK025"]),
        ({**SUNK, "iterations_per_lop": 5}, IN_EFFECT, "fresh", ["SINK023"]),
        ({**SUNK, "mix_compile_mode": None}, IN_EFFECT, "fresh", []),
    ],
    ids=str,
)
def test_state_data_and_reasons(
    given: dict[str, Any], state: str, data: str, expected: list[str]
) -> None:
    judged = lab.judge_options(**given)
    (verdict,) = judged.verdicts
    assert (verdict.state, verdict.data) == (state, data)
    assert codes(judged) == expected
    for diagnostic in verdict.diagnostics:
        assert diagnostic.mend in str(judged)
        assert diagnostic.code in judged.html


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"iterations_per_loop": 0}, "SINK032"),
        ({"iterations_per_loop": "10"}, "SINK032"),
        ({**SUNK, "data": "one-shot"}, "SINK009"),
        ({"precision_mode": "half"}, "SINK036"),
        ({**SUNK, "dynamic_input": True,
          "dynamic_graph_execute_mode": "lazy_recompile"}, "SINK035"),
    ],
    ids=str,
)  # fmt: skip
def test_what_the_real_stack_refuses(given: dict[str, Any], code: str) -> None:
    judged = lab.judge_options(**given)
    assert judged.verdicts == ()
    assert codes(judged) == [code]
    assert code in str(judged)
    assert code in judged.html


@pytest.mark.parametrize(
    "name", ["op_execute_timeout", "variable_placement", "precision_mode"]
)
def test_what_cannot_be_judged_is_told_in_words(name: str) -> None:
    values = {
        "op_execute_timeout": 10,
        "variable_placement": "Host",
        "precision_mode": "allow_mix_precision",
    }
    told = str(lab.judge_options(**SUNK, **{name: values[name]}))  # type: ignore[arg-type]
    assert f"{name}  " in told
    assert name not in str(lab.judge_options(**SUNK))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["setter", "data"])
def test_an_unknown_choice_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be one of"):
        lab.judge_options(**{name: "nothing"})  # type: ignore[arg-type]


def test_nothing_but_a_refusal_is_swallowed() -> None:
    with pytest.raises(ValueError, match="out of range"):
        lab.judge_options(iterations_per_loop=2**70)


@pytest.mark.parametrize(
    ("n", "preprocess", "loaded"), [(10, True, 10), (10, False, 10), (10, True, 5)]
)
@pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
def test_the_device_says_the_same(
    device: Device,
    build_model: Callable[[], Any],
    npu_config: Callable[[int], Any],
    n: int,
    preprocess: bool,
    loaded: int,
) -> None:
    import npu_lab.tf1 as tf

    config = npu_config(n)
    custom = config.graph_options.rewrite_options.custom_optimizers[0]
    custom.parameter_map["enable_data_pre_proc"].b = preprocess
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        from npu_bridge.estimator.npu import util

        iterator, train_op, _ = build_model()
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        session.run(util.set_iteration_per_loop(session, train_op, loaded))
    (real,) = device.loops
    judged = lab.judge_options(
        iterations_per_loop=n, enable_data_pre_proc=preprocess, loaded=loaded
    )
    assert str(judged) == str(real)


def test_options_need_no_device() -> None:
    npu_lab.deactivate()
    assert "in effect" in str(lab.judge_options(**SUNK))  # type: ignore[arg-type]


def test_the_option_explorer_shows_the_verdict_of_its_controls() -> None:
    panel = lab.option_explorer()
    assert "in effect" in panel.verdict.value
    children = panel.children
    panel.controls["enable_data_pre_proc"].value = False
    assert "SINK005" in panel.verdict.value
    panel.controls["iterations_per_loop"].value = 0
    assert "SINK032" in panel.verdict.value
    panel.controls["iterations_per_loop"].value = 5
    assert "SINK007" in panel.verdict.value
    assert panel.children == children
    assert str(panel.judged()) in panel.text
    assert "lab.judge_options" in panel.text


def test_every_control_has_the_name_of_what_it_sets() -> None:
    controls = lab.option_explorer().controls
    assert all(one.description == name for name, one in controls.items())
    assert not any(isinstance(one, ipywidgets.Output) for one in controls.values())


@pytest.fixture
def trained(
    device: Device, build_model: Callable[[], Any], npu_config: Callable[[int], Any]
) -> Device:
    lab.measure(build_model, npu_config, 10, steps=10, repeats=1)
    return device


def test_log_lines_are_filtered(trained: Device) -> None:
    keyword, marker, every = (
        lab.log_table(lines=lines)  # type: ignore[arg-type]
        for lines in ("keyword", "marker", "all")
    )
    assert all("Insert op success" in r.message for r in keyword.records)
    assert len(marker.records) == 8
    assert len(marker.records) < len(keyword.records) < len(every.records)
    assert str(marker).count("> INFO") == 8
    assert "markers: 8" in str(keyword)
    assert {r.module for r in lab.log_table(lines="all", module="GE").records} == {"GE"}
    found = lab.log_table(text="STREAMACTIVE").records
    assert found
    assert all("StreamActive" in r.message for r in found)


def test_no_time_and_no_process_in_the_lines(trained: Device) -> None:
    (record, *_) = lab.log_table().records
    assert str(record.pid) not in str(lab.log_table()).replace(
        str(trained.log.folder), ""
    )
    assert f"{record.time:%H:%M}" not in str(lab.log_table())


def test_another_folder_is_named(trained: Device, tmp_path: Path) -> None:
    here = lab.log_table(trained.log.folder, lines="marker")
    assert f"Lines of the host log in {trained.log.folder}: 8;" in str(here)
    assert f"No line of the host log in {tmp_path / 'none'}" in str(
        lab.log_table(tmp_path / "none")
    )
    assert "this process" in str(lab.log_table(text="no such line"))


def test_a_long_log_is_counted_whole_and_its_end_shown(
    trained: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npu_lab.lab.explorers.MOST_LINES", 3)
    shown = str(lab.log_table(lines="marker")).splitlines()
    assert len(shown) == 4
    assert "log: 8;" in shown[-1]
    assert "markers: 8" in shown[-1]
    assert "the last 3" in shown[-1]


def test_an_unknown_kind_of_lines_is_an_error() -> None:
    with pytest.raises(ValueError, match="lines must be one of keyword, marker, all"):
        lab.log_table(lines="markers")  # type: ignore[arg-type]


def test_the_log_explorer_filters_in_place(trained: Device) -> None:
    panel = lab.log_explorer()
    assert "ge_global_step" in panel.shown.value
    panel.lines.value = "marker"
    assert "ge_global_step" not in panel.shown.value
    assert str(lab.log_table(lines="marker").html) in panel.shown.value
    panel.contains.value = "loopcond"
    assert panel.shown.value.count("<strong>") == 2
    panel.lines.value, panel.contains.value = "all", ""
    assert set(dict(panel.module.options)) == {"all", "GE", "FMK"}
    panel.module.value = "FMK"
    assert "GE  Insert" not in panel.shown.value
    assert panel.text.startswith("[")
