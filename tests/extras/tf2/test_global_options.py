"""`global_options()`: every option, its default, what it takes, and its errors."""

from __future__ import annotations

import json
import logging

import pytest

from npu_lab.extras.tf2.option_table import (
    DEPRECATED,
    EXPERIMENTAL,
    EXPERIMENTAL_NESTED,
    NESTED,
    OPTIONS,
)

PRECISIONS = [
    "force_fp32",
    "allow_fp32_to_fp16",
    "force_fp16",
    "must_keep_origin_dtype",
    "allow_mix_precision",
    "cube_fp16in_fp32out",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
    "allow_fp32_to_bf16",
]
PRECISIONS_2 = [
    "fp16",
    "origin",
    "cube_fp16in_fp32out",
    "mixed_float16",
    "mixed_bfloat16",
    "cube_hif8",
    "mixed_hif8",
]
SWITCH = [True, False]
ANY = None
# The documented rows: name, default, what it takes.
ROWS = {
    "graph_run_mode": (1, [0, 1]),
    "precision_mode": (None, PRECISIONS),
    "precision_mode_v2": (None, PRECISIONS_2),
    "modify_mixlist": (None, ANY),
    "op_precision_mode": (None, ANY),
    "customize_dtypes": (None, ANY),
    "fusion_switch_file": (None, ANY),
    "enable_scope_fusion_passes": (None, ANY),
    "op_compiler_cache_mode": ("enable", ["enable", "disable", "force"]),
    "op_compiler_cache_dir": (None, ANY),
    "debug_dir": (None, ANY),
    "op_debug_config": (None, ANY),
    "graph_compiler_cache_dir": (None, ANY),
    "enable_exception_dump": (2, [0, 1, 2]),
    "deterministic": (0, [0, 1]),
    "hcom_parallel": (True, SWITCH),
    "hcom_multi_mode": (None, ANY),
    "is_tailing_optimization": (False, SWITCH),
    "enable_small_channel": (False, SWITCH),
    "jit_compile": ("auto", ["true", "false", "auto"]),
    "input_fusion_size": (131072, ANY),
    "compile_dynamic_mode": (False, SWITCH),
    "shape_generalization_mode": ("STRICT", ["STRICT", "FULL", "ADAPTIVE"]),
    "topo_sorting_mode": (None, [0, 1, None]),
    "overflow_flag": (1, [0, 1]),
    "stream_sync_timeout": (-1, ANY),
    "event_sync_timeout": (-1, ANY),
    "execute_times": (-1, ANY),
    "graph_exec_timeout": (None, ANY),
    "external_weight": (False, SWITCH),
    "input_batch_cpy": (False, SWITCH),
    "all_tensor_not_empty": (False, SWITCH),
    "oo_constant_folding": (True, SWITCH),
    "oo_level": ("O3", ["O0", "O1", "O2", "O3"]),
    "optimization_switch": (None, ANY),
    "auto_multistream_parallel_mode": (None, ANY),
    "aicore_num": (None, ANY),
    "export_compile_stat": (1, [0, 1, 2]),
    "stream_max_parallel_num": (None, ANY),
    "ac_parallel_enable": (None, ["0", "1"]),
    "quant_dumpable": (None, ["0", "1"]),
    "graph_memory_max_size": (None, ANY),
    "variable_memory_max_size": (None, ANY),
    "variable_format_optimize": (None, SWITCH),
    "op_select_implmode": (None, ["high_performance", "high_precision"]),
    "optypelist_for_implmode": (None, ANY),
    "op_debug_level": (None, [0, 1, 2, 3, 4]),
    "dump_config.enable_dump": (False, SWITCH),
    "dump_config.dump_path": (None, ANY),
    "dump_config.dump_step": (None, ANY),
    "dump_config.dump_mode": ("output", ["input", "output", "all"]),
    "dump_config.enable_dump_debug": (False, SWITCH),
    "dump_config.dump_debug_mode": (
        "all",
        ["aicore_overflow", "atomic_overflow", "all"],
    ),
    "dump_config.dump_data": ("tensor", ["tensor", "stats"]),
    "dump_config.dump_layer": (None, ANY),
    "profiling_config.enable_profiling": (False, SWITCH),
    "aoe_config.aoe_mode": (None, ["1", "2", "4"]),
    "aoe_config.work_path": ("./", ANY),
    "aoe_config.aoe_config_file": (None, ANY),
    "memory_config.atomic_clean_policy": (0, [0, 1]),
    "memory_config.static_memory_policy": (0, [0, 1, 2, 3, 4]),
    "memory_config.variable_use_1g_huge_page": (0, [0, 1, 2]),
    "experimental.multi_branches_config.input_shape": (None, ANY),
    "experimental.multi_branches_config.dynamic_node_type": (None, ["0"]),
    "experimental.multi_branches_config.dynamic_dims": (None, ANY),
    "experimental.logical_device_deploy_config.logical_device_cluster_deploy_mode": (
        "LB",
        ["LB", "SINGLE"],
    ),
    "experimental.logical_device_deploy_config.logical_device_id": (None, ANY),
    "experimental.model_deploy_config.model_deploy_mode": (None, ANY),
    "experimental.model_deploy_config.model_deploy_devicelist": (None, ANY),
    "experimental.graph_memory_optimize_config.recompute": (None, ["auto", "manual"]),
    "experimental.graph_memory_optimize_config.graph_slice": (None, ["auto"]),
    "experimental.resource_config_path": (None, ANY),
    "experimental.graph_parallel_option_path": (None, ANY),
    "experimental.enable_graph_parallel": (False, SWITCH),
}
NOWHERE = object()


def place(npu, dotted):
    """The object that has the option, and the option's name."""
    *path, name = dotted.split(".")
    holder = npu.global_options()
    for part in path:
        holder = getattr(holder, part)
    return holder, name


def as_text(value):
    return None if value is None else str(int(value) if value in SWITCH else value)


def test_the_table_is_whole():
    nested = [f"{n}.{k}" for n, rows in NESTED.items() for k in rows]
    inner = [
        f"experimental.{n}.{k}" for n, rows in EXPERIMENTAL_NESTED.items() for k in rows
    ]
    direct = [f"experimental.{k}" for k in EXPERIMENTAL]
    here = {*OPTIONS, *nested, *inner, *direct}
    assert here - {"profiling_config.profiling_options"} == set(ROWS)


@pytest.mark.parametrize("dotted", ROWS)
def test_an_option(npu, dotted):
    holder, name = place(npu, dotted)
    default, allowed = ROWS[dotted]
    assert getattr(holder, name).value == as_text(default)
    for value in allowed or ("anything", 12, None):
        setattr(holder, name, value)
        assert getattr(holder, name).value == as_text(value)
    if allowed is not None:
        same = type(default)() if default is not None else NOWHERE
        wrong = {int: 99, str: "no such value", bool: 7}.get(type(default), NOWHERE)
        kind = ValueError if isinstance(wrong, type(default)) else TypeError
        with pytest.raises(kind, match=name):
            setattr(holder, name, wrong)
        del same
        with pytest.raises((TypeError, ValueError), match=name):
            setattr(holder, name, NOWHERE)
        assert getattr(holder, name).value == as_text(allowed[-1])


def test_of_another_type_it_is_a_type_error_else_a_value_error(npu):
    options = npu.global_options()
    with pytest.raises(ValueError, match=r"oo_level.*O9"):
        options.oo_level = "O9"
    with pytest.raises(TypeError, match="oo_level"):
        options.oo_level = 3
    with pytest.raises(TypeError, match="precision_mode"):  # its default is None
        options.precision_mode = "fp99"
    with pytest.raises(ValueError, match="precision_mode"):
        options.precision_mode = None


def test_one_and_zero_pass_for_true_and_false(npu):
    options = npu.global_options()
    options.hcom_parallel = 0
    assert options.hcom_parallel.value == "0"
    options.hcom_parallel = 1
    assert options.hcom_parallel.value == "1"


def test_what_is_read_is_an_object_with_the_value_as_text(npu):
    options = npu.global_options()
    assert options.graph_run_mode != 1
    assert options.hcom_parallel.value == "1"
    assert options.external_weight.value == "0"
    assert options.precision_mode.value is None
    assert options.input_fusion_size.value == "131072"


@pytest.mark.parametrize(
    "name",
    [
        "enable_data_pre_proc",
        "iterations_per_loop",
        "mix_compile_mode",
        "use_off_line",
        "no_such_option",
    ],
)
def test_there_is_no_such_option(npu, name):
    with pytest.raises(ValueError, match=name):
        setattr(npu.global_options(), name, True)


def test_there_is_no_such_nested_option(npu):
    with pytest.raises(ValueError, match=r"dump_config.*no option 'dump_rate'"):
        npu.global_options().dump_config.dump_rate = 1


def test_a_nested_configuration_cannot_be_replaced(npu):
    with pytest.raises(ValueError, match="dump_config"):
        npu.global_options().dump_config = 1


def test_it_is_one_object(npu):
    assert npu.global_options() is npu.global_options()


def test_the_profiling_options_are_those_of_tensorflow_1(npu):
    from npu_lab.device.option_table import OPTIONS as TF1_OPTIONS

    found = npu.global_options().profiling_config.profiling_options.value
    assert found == str(TF1_OPTIONS["profiling_options"].default)
    if found.startswith("{"):
        assert json.loads(found)


@pytest.mark.parametrize("name", DEPRECATED)
def test_a_deprecated_option_is_told_in_one_line_at_open(npu, caplog, name):
    value = (OPTIONS[name].allowed or ("x",))[0]
    setattr(npu.global_options(), name, value)
    with caplog.at_level(logging.WARNING, "npu_device"):
        npu.open()
    (line,) = [r.getMessage() for r in caplog.records]
    assert name in line
    assert DEPRECATED[name] in line
    assert "\n" not in line


def test_without_deprecated_options_nothing_is_told(npu, caplog):
    npu.global_options().deterministic = 1
    with caplog.at_level(logging.WARNING, "npu_device"):
        npu.open()
    assert not caplog.records


def test_set_after_the_open_it_is_too_late(npu, caplog):
    npu.open()
    with caplog.at_level(logging.WARNING, "npu_device"):
        npu.global_options().deterministic = 1
    assert "before npu.open()" in caplog.text


def test_the_run_context_takes_its_options_only(npu):
    with pytest.raises(ValueError, match="run_context_options"), npu.npu_run_context(1):
        pass


def test_the_run_context_uses_the_recomputation(npu):
    from npu_lab.extras.tf2.state import STATE

    options = npu.configs.run_context_options()
    options.experimental.graph_memory_optimize_config.recompute = "manual"
    with npu.npu_run_context(options):
        assert STATE.recompute.value == "manual"
    assert STATE.recompute is None
    with npu.npu_run_context():
        assert STATE.recompute is None
    with pytest.raises(TypeError, match="recompute"):
        options.experimental.graph_memory_optimize_config.recompute = "never"
