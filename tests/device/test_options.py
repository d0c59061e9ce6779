"""Reading the session options; most tests are made from the table itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

import pytest

from npu_lab import language
from npu_lab._tensorflow import tf
from npu_lab.device.option_table import OPTIONS, Described, Option
from npu_lab.device.options import (
    VENDOR,
    SessionOptions,
    allows,
    find_npu_optimizer,
)
from npu_lab.diagnostics import CATALOGUE

ERRORS = {
    "fatal": ValueError,
    "internal": tf.errors.InternalError,
    "invalid": tf.errors.InvalidArgumentError,
}
ZERO = {"b": False, "i": 0, "s": ""}
TYPES = {"b": bool, "i": int, "s": str}
# A value for each row whose allowed values are words, and one that is not allowed.
DESCRIBED = {
    "dump_path": (".", "no/such/folder"),
    "work_path": (".", "no/such/folder"),
    "dump_step": ("0|5|10-20", "0|20-10"),
    "input_shape": ("data:1,-1;label:1,-1", "data"),
    "dynamic_dims": ("20,20;40,40", "20;x"),
    "local_device_list": ("0,1", "0;1"),
    "job": ("worker", "ps"),
}
# What else must be set so that the adapter looks at a key and is content.
PROFILES = {"input_shape": "x:1,-1", "dynamic_dims": "2;4", "dynamic_node_type": 1}
COMPANIONS: dict[str, dict[str, object]] = {
    "dump_path": {"enable_dump": True},
    "dump_step": {"enable_dump": True, "dump_path": "."},
    "dump_mode": {"enable_dump": True, "dump_path": "."},
    "dump_debug_mode": {"enable_dump_debug": True, "dump_path": "."},
    "enable_dump": {"dump_path": "."},
    "enable_dump_debug": {"dump_path": "."},
    "profiling_options": {"profiling_mode": True},
    "work_path": {"aoe_mode": "2"},
    "distribute_config": {"aoe_mode": "2"},
    "dynamic_graph_execute_mode": {"dynamic_input": True},
    "dynamic_inputs_shape_range": {"dynamic_input": True},
    "modify_mixlist": {"precision_mode": "allow_mix_precision"},
    "optypelist_for_implmode": {"op_select_implmode": "high_precision"},
    "in_out_pair": {"mix_compile_mode": True},
    "compile_hybrid_mode": PROFILES,
    **{
        key: {name: value for name, value in PROFILES.items() if name != key}
        for key in PROFILES
    },
}

ALL = pytest.mark.parametrize("row", OPTIONS.values(), ids=OPTIONS.keys())


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "en")
    monkeypatch.delenv("AOE_MODE", raising=False)


def only(choose: Callable[[Option], object]) -> pytest.MarkDecorator:
    rows = [row for row in OPTIONS.values() if choose(row)]
    assert rows, "no row left to test"
    return pytest.mark.parametrize("row", rows, ids=[row.key for row in rows])


def put(parameter: Any, field: str, value: object) -> None:
    setattr(parameter, field, value.encode() if isinstance(value, str) else value)


def add_optimizer(
    config: Any, values: dict[str, object], name: str = "NpuOptimizer"
) -> None:
    optimizer = config.graph_options.rewrite_options.custom_optimizers.add()
    optimizer.name = name
    for key, value in values.items():
        field = OPTIONS[key].field if key in OPTIONS else "b"
        put(optimizer.parameter_map[key], field, value)


def config_with(**values: object) -> Any:
    config = tf.compat.v1.ConfigProto()
    add_optimizer(config, values)
    return config


def read(**values: object) -> SessionOptions:
    options = SessionOptions.from_config(config_with(**values))
    assert options is not None
    return options


def good_value(row: Option) -> object:
    """A value that is allowed and, where there is a choice, not the default."""
    if isinstance(row.allowed, Described):
        return DESCRIBED[row.key][0]
    if row.allowed is not None:
        return next(one for one in reversed(row.allowed) if one != row.default)
    return {"b": not row.default, "i": 7, "s": "some/text"}[row.field]


def bad_value(row: Option) -> object:
    if isinstance(row.allowed, Described):
        return DESCRIBED[row.key][1]
    if isinstance(row.allowed, range):
        return row.allowed.start - 1
    return {"i": 99, "s": "nonsense"}[row.field]


def wrong_fields(row: Option) -> list[str]:
    return [field for field in ("b", "i", "s", "f") if field != row.field]


def test_the_table_holds_every_key_of_the_adapter() -> None:
    assert len(OPTIONS) == 106
    fields = [row.field for row in OPTIONS.values()]
    assert (fields.count("b"), fields.count("i"), fields.count("s")) == (21, 24, 61)
    with_effect = {row.key for row in OPTIONS.values() if row.effect}
    assert with_effect == {row.key for row in OPTIONS.values() if row.effect_zh}
    assert with_effect == {
        "profiling_mode",
        "profiling_options",
        "op_execute_timeout",
        "variable_placement",
        "use_off_line",
        "enable_data_pre_proc",
        "iterations_per_loop",
        "mix_compile_mode",
        "graph_run_mode",
        "dynamic_input",
        "dynamic_graph_execute_mode",
        "precision_mode",
        "precision_mode_v2",
        "modify_mixlist",
        "customize_dtypes",
        "enable_dump",
        "enable_dump_debug",
        "dump_path",
        "dump_step",
        "dump_mode",
        "dump_debug_mode",
        "dump_data",
        "dump_layer",
    }


@ALL
def test_rows_agree_with_themselves(row: Option) -> None:
    assert row.meaning
    assert row.default is None or type(row.default) is TYPES[row.field]
    assert set(row.only_with) <= OPTIONS.keys()
    assert not row.deprecated or row.deprecated in OPTIONS
    if row.fault:
        assert row.allowed is not None
    if isinstance(row.allowed, tuple):
        assert {type(one) for one in row.allowed} == {TYPES[row.field]}


@ALL
def test_a_value_in_its_field_is_read_back(row: Option) -> None:
    value = good_value(row)
    options = read(**COMPANIONS.get(row.key, {}), **{row.key: value})
    assert options[row.key] == value
    assert type(options[row.key]) is TYPES[row.field]
    assert row.key in options.given
    assert options.diagnostics == ()


@ALL
@pytest.mark.parametrize("position", range(3))
def test_a_value_in_a_wrong_field_reads_as_zero_and_warns(
    row: Option, position: int
) -> None:
    field = wrong_fields(row)[position]
    config = config_with(**COMPANIONS.get(row.key, {}))
    custom_op = find_npu_optimizer(config)[0]
    put(custom_op.parameter_map[row.key], field, {"b": True, "s": "1"}.get(field, 1))
    counts = row.default if row.wrong_field == "default" else ZERO[row.field]
    if row.wrong_field == "invalid":
        with pytest.raises(tf.errors.InvalidArgumentError, match=row.key) as raised:
            SessionOptions.from_config(config)
        assert "field s" in str(raised.value)
        return
    zero_is_bad = row.fault is not None and not allows(row.allowed, counts)
    if zero_is_bad:
        with pytest.raises(ERRORS[row.fault], match="SINK022") as raised:
            SessionOptions.from_config(config)
        assert raised.value.diagnostic.code in ("SINK032", "SINK036")
        return
    options = SessionOptions.from_config(config)
    assert options[row.key] == counts
    (found,) = options.diagnostics
    assert found.code == "SINK022"
    assert found.facts["key"] == row.key
    assert (found.facts["given"], found.facts["expected"]) == (field, row.field)
    assert found.facts["effective"] == (
        f'"{counts}"' if row.field == "s" else str(counts)
    )


def test_use_off_line_as_a_number_is_off() -> None:
    config = config_with()
    find_npu_optimizer(config)[0].parameter_map["use_off_line"].i = 1
    options = SessionOptions.from_config(config)
    assert options.use_off_line is False
    assert "False" in options.diagnostics[0].message


def test_a_key_that_was_only_looked_at_is_there_without_a_value() -> None:
    config = config_with()
    assert not find_npu_optimizer(config)[0].parameter_map["use_off_line"].b
    options = SessionOptions.from_config(config)
    assert options.use_off_line is False
    assert options.diagnostics[0].facts["given"] == ""
    assert "(none)" in options.diagnostics[0].text("en")


def test_defaults() -> None:
    options = read()
    assert options.values == {key: row.default for key, row in OPTIONS.items()}
    assert options == SessionOptions()
    assert (options.given, options.diagnostics) == (frozenset(), ())
    assert options.use_off_line is True
    assert options.enable_data_pre_proc is False
    assert options.iterations_per_loop == 1
    assert options.mix_compile_mode is False
    assert options.graph_run_mode == 1
    assert options.dynamic_input is False
    assert options.dynamic_graph_execute_mode == "dynamic_execute"


def test_typed_properties_follow_the_values() -> None:
    options = read(
        use_off_line=False,
        enable_data_pre_proc=True,
        iterations_per_loop=10,
        mix_compile_mode=True,
        graph_run_mode=0,
        dynamic_input=True,
        dynamic_graph_execute_mode="lazy_recompile",
    )
    assert options.use_off_line is False
    assert options.enable_data_pre_proc is True
    assert options.iterations_per_loop == 10
    assert options.mix_compile_mode is True
    assert options.graph_run_mode == 0
    assert options.dynamic_input is True
    assert options.dynamic_graph_execute_mode == "lazy_recompile"


@only(lambda row: row.fault in ERRORS)
def test_a_bad_value_raises_what_the_adapter_does(row: Option) -> None:
    value = bad_value(row)
    with pytest.raises(ERRORS[row.fault]) as raised:
        read(**COMPANIONS.get(row.key, {}), **{row.key: value})
    error = raised.value
    code = "SINK032" if row.key == "iterations_per_loop" else "SINK036"
    assert error.diagnostic.code == code
    assert CATALOGUE[code].severity == "error"
    assert row.key in str(error)
    assert str(value) in str(error)
    if code == "SINK036":
        assert error.diagnostic.facts["key"] == row.key
        assert error.diagnostic.facts["vendor"] == VENDOR[row.fault]
    assert str(error.diagnostic) in str(error)


@only(lambda row: row.fault is None and row.allowed is not None)
def test_a_value_that_the_adapter_does_not_check_passes(row: Option) -> None:
    assert read(**{row.key: bad_value(row)})[row.key] == bad_value(row)


@only(lambda row: row.only_with and row.fault)
def test_an_option_that_is_not_looked_at_is_not_checked(row: Option) -> None:
    assert read(**{row.key: bad_value(row)})[row.key] == bad_value(row)


@pytest.mark.parametrize("value", [0, -1])
def test_iterations_per_loop_below_one(value: int) -> None:
    with pytest.raises(ValueError, match=f"SINK032 iterations_per_loop is {value}"):
        read(iterations_per_loop=value)


@pytest.mark.parametrize(
    ("value", "counts"), [(-5, 0), (0, 0), (33554432, 33554432), (99999999, 33554432)]
)
def test_input_fusion_size_is_moved_into_its_range(value: int, counts: int) -> None:
    options = read(input_fusion_size=value)
    assert options["input_fusion_size"] == counts
    codes = [found.code for found in options.diagnostics]
    assert codes == ([] if value == counts else ["SINK037"])


@pytest.mark.parametrize(
    ("value", "fine"),
    [
        ("", True),
        ("7", True),
        ("1-2", True),
        ("2-2", False),
        ("1-2-3", False),
        ("a", False),
        ("1,2", False),
        ("|".join(map(str, range(100))), True),
        ("|".join(map(str, range(101))), False),
    ],
)
def test_dump_step(value: str, fine: bool) -> None:
    arguments = {"enable_dump": True, "dump_path": ".", "dump_step": value}
    if fine:
        assert read(**arguments)["dump_step"] == value
    else:
        with pytest.raises(ValueError, match="dump_step"):
            read(**arguments)


@pytest.mark.parametrize("switch", ["enable_dump", "enable_dump_debug"])
def test_a_dump_needs_a_path(switch: str) -> None:
    with pytest.raises(tf.errors.InternalError, match="dump_path") as raised:
        read(**{switch: True})
    assert "existing folder" in raised.value.diagnostic.text("en")
    assert "目录" in raised.value.diagnostic.text("zh")


def test_a_dump_path_must_be_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(tf.errors.InternalError, match="dump_path"):
        read(enable_dump=True, dump_path=str(file))
    assert read(enable_dump=True, dump_path=str(tmp_path))["dump_path"] == str(tmp_path)


@pytest.mark.parametrize(
    ("values", "error", "key"),
    [
        (
            {"precision_mode": "force_fp16", "precision_mode_v2": "fp16"},
            tf.errors.InternalError,
            "precision_mode_v2",
        ),
        ({"modify_mixlist": "m.json"}, tf.errors.InternalError, "modify_mixlist"),
        (
            {"modify_mixlist": "m.json", "precision_mode": "force_fp16"},
            tf.errors.InternalError,
            "modify_mixlist",
        ),
        (
            {"modify_mixlist": "m.json", "precision_mode_v2": "fp16"},
            tf.errors.InternalError,
            "modify_mixlist",
        ),
        ({"optypelist_for_implmode": "LRN"}, ValueError, "optypelist_for_implmode"),
        (
            {"enable_compress_weight": False, "compress_weight_conf": "c.cfg"},
            ValueError,
            "compress_weight_conf",
        ),
        ({"input_shape": "x:1,-1"}, ValueError, "input_shape"),
        ({"dynamic_dims": "2;4"}, ValueError, "input_shape"),
        (
            {"dynamic_dims": "2;4", "dynamic_node_type": 1},
            ValueError,
            "input_shape",
        ),
        ({**PROFILES, "mix_compile_mode": True}, ValueError, "input_shape"),
        ({"compile_hybrid_mode": 1}, tf.errors.InternalError, "compile_hybrid_mode"),
        (
            {**PROFILES, "dynamic_node_type": 0, "compile_hybrid_mode": 1},
            tf.errors.InternalError,
            "compile_hybrid_mode",
        ),
        ({"in_out_pair": "a;b"}, tf.errors.InternalError, "in_out_pair"),
    ],
)
def test_options_that_exclude_or_need_each_other(
    values: dict[str, object], error: type[Exception], key: str
) -> None:
    with pytest.raises(error) as raised:
        read(**values)
    assert raised.value.diagnostic.code == "SINK036"
    assert raised.value.diagnostic.facts["key"] == key


@pytest.mark.parametrize(
    "values",
    [
        {"modify_mixlist": "m.json", "precision_mode": "allow_mix_precision_bf16"},
        {"modify_mixlist": "m.json", "precision_mode_v2": "mixed_hif8"},
        {"compile_hybrid_mode": 0},
        {**PROFILES, "compile_hybrid_mode": 1},
        {**PROFILES, "mix_compile_mode": True, "use_off_line": False},
        {"in_out_pair": "a;b", "use_off_line": False},
        {"enable_dump": True, "enable_dump_debug": True, "dump_path": "."},
    ],
)
def test_combinations_that_pass(values: dict[str, object]) -> None:
    assert read(**values).given == values.keys()


LAZY = {"dynamic_input": True, "dynamic_graph_execute_mode": "lazy_recompile"}


def test_lazy_recompile_allows_no_loop() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="SINK035") as raised:
        read(**LAZY, iterations_per_loop=10)
    assert "lazy_recompile" in str(raised.value)
    assert "10" in raised.value.diagnostic.message


@pytest.mark.parametrize(
    "values",
    [
        {**LAZY, "iterations_per_loop": 1},
        {**LAZY, "iterations_per_loop": 10, "dynamic_input": False},
        {**LAZY, "iterations_per_loop": 10, "use_off_line": False},
        {"dynamic_input": True, "iterations_per_loop": 10},
    ],
)
def test_lazy_recompile_alone_is_no_error(values: dict[str, object]) -> None:
    assert read(**values).iterations_per_loop == values["iterations_per_loop"]


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("iteration_per_loop", "iterations_per_loop"),
        ("Iterations_Per_Loop", "iterations_per_loop"),
        ("use_offline", "use_off_line"),
        ("mixed_compile_mode", "mix_compile_mode"),
        ("zzz", ""),
    ],
)
def test_an_unknown_key_is_ignored_with_a_suggestion(key: str, suggestion: str) -> None:
    options = read(**{key: True})
    (found,) = options.diagnostics
    assert found.code == "SINK023"
    assert found.facts == {"key": key, "suggestion": suggestion}
    assert key not in options.given
    assert options.values == SessionOptions().values


@pytest.mark.parametrize("key", ["enable_reduce_precision", "min_group_size"])
def test_keys_that_the_vendor_writes_in_vain_are_no_misspelling(key: str) -> None:
    assert read(**{key: True}).diagnostics == ()


def test_no_optimizer_means_no_options() -> None:
    config = tf.compat.v1.ConfigProto()
    assert SessionOptions.from_config(None) is None
    assert SessionOptions.from_config(config) is None
    add_optimizer(config, {"iterations_per_loop": 0}, name="Other")
    assert SessionOptions.from_config(config) is None
    assert find_npu_optimizer(config) == find_npu_optimizer(None) == []


def test_of_two_optimizers_the_later_wins_key_by_key() -> None:
    config = config_with(iterations_per_loop=10, mix_compile_mode=True)
    add_optimizer(config, {"use_off_line": False}, name="Other")
    add_optimizer(config, {"iterations_per_loop": 5, "enable_data_pre_proc": True})
    options = SessionOptions.from_config(config)
    assert len(find_npu_optimizer(config)) == 2
    assert options.iterations_per_loop == 5
    assert options.mix_compile_mode is True
    assert options.enable_data_pre_proc is True
    assert options.use_off_line is True


def test_reading_does_not_change_the_config() -> None:
    config = config_with(iterations_per_loop=10, use_offline=True)
    before = config.SerializeToString(deterministic=True)
    SessionOptions.from_config(config)
    assert config.SerializeToString(deterministic=True) == before


def test_small_channels_are_on_for_inference() -> None:
    assert read(graph_run_mode=0, enable_small_channel=0)["enable_small_channel"] == 1
    assert read(graph_run_mode=1)["enable_small_channel"] == 0


def test_empty_profiling_options_are_the_built_in_ones() -> None:
    built_in = json.loads(
        read(profiling_mode=True, profiling_options="")["profiling_options"]
    )
    assert built_in["aic_metrics"] == "PipeUtilization"


def test_aoe_mode_comes_from_the_environment_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AOE_MODE", "2")
    assert read()["aoe_mode"] == "2"
    assert read(aoe_mode="4")["aoe_mode"] == "4"
    assert "aoe_mode" not in read().given
    monkeypatch.setenv("AOE_MODE", "9")
    with pytest.raises(tf.errors.InternalError, match="aoe_mode"):
        read()


def test_deprecated_keys_in_use() -> None:
    options = read(op_debug_level=1, enable_data_pre_proc=True, use_off_line=True)
    assert options.deprecated == ("enable_data_pre_proc", "op_debug_level")
    assert OPTIONS["op_debug_level"].deprecated == "op_debug_config"


def test_a_missing_option_is_named_with_the_closest_one() -> None:
    with pytest.raises(KeyError, match="Did you mean 'use_off_line'"):
        read()["use_offline"]
