"""The global options of the adapter of TensorFlow 2, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from npu_lab.device.option_table import OPTIONS as TF1_OPTIONS
from npu_lab.device.option_table import PRECISIONS, PRECISIONS_V2


class Row(NamedTuple):
    """The default of an option, and the values it takes; None: it takes any."""

    default: Any
    allowed: tuple[Any, ...] | None = None


SWITCH = (True, False)
PATH = Row(None)
PROFILING: Any = TF1_OPTIONS["profiling_options"].default

OPTIONS: Mapping[str, Row] = {
    "graph_run_mode": Row(1, (0, 1)),
    "precision_mode": Row(None, PRECISIONS),
    "precision_mode_v2": Row(None, PRECISIONS_V2),
    "modify_mixlist": PATH,
    "op_precision_mode": PATH,
    "customize_dtypes": PATH,
    "fusion_switch_file": Row(None),
    "enable_scope_fusion_passes": Row(None),
    "op_compiler_cache_mode": Row("enable", ("enable", "disable", "force")),
    "op_compiler_cache_dir": PATH,
    "debug_dir": PATH,
    "op_debug_config": PATH,
    "graph_compiler_cache_dir": PATH,
    "enable_exception_dump": Row(2, (0, 1, 2)),
    "deterministic": Row(0, (0, 1)),
    "hcom_parallel": Row(True, SWITCH),
    "hcom_multi_mode": Row(None),
    "is_tailing_optimization": Row(False, SWITCH),
    "enable_small_channel": Row(False, SWITCH),
    "jit_compile": Row("auto", ("true", "false", "auto")),
    "input_fusion_size": Row(131072),
    "compile_dynamic_mode": Row(False, SWITCH),
    "shape_generalization_mode": Row("STRICT", ("STRICT", "FULL", "ADAPTIVE")),
    "topo_sorting_mode": Row(None, (0, 1, None)),
    "overflow_flag": Row(1, (0, 1)),
    "stream_sync_timeout": Row(-1),
    "event_sync_timeout": Row(-1),
    "execute_times": Row(-1),
    "graph_exec_timeout": Row(None),
    "external_weight": Row(False, SWITCH),
    "input_batch_cpy": Row(False, SWITCH),
    "all_tensor_not_empty": Row(False, SWITCH),
    "oo_constant_folding": Row(True, SWITCH),
    "oo_level": Row("O3", ("O0", "O1", "O2", "O3")),
    "optimization_switch": Row(None),
    "auto_multistream_parallel_mode": Row(None),
    "aicore_num": Row(None),
    "export_compile_stat": Row(1, (0, 1, 2)),
    "stream_max_parallel_num": Row(None),
    "ac_parallel_enable": Row(None, ("0", "1")),
    "quant_dumpable": Row(None, ("0", "1")),
    "graph_memory_max_size": Row(None),
    "variable_memory_max_size": Row(None),
    "variable_format_optimize": Row(None, SWITCH),
    "op_select_implmode": Row(None, ("high_performance", "high_precision")),
    "optypelist_for_implmode": Row(None),
    "op_debug_level": Row(None, (0, 1, 2, 3, 4)),
}
DEPRECATED: Mapping[str, str] = {
    "variable_format_optimize": "",
    "op_select_implmode": "op_precision_mode",
    "optypelist_for_implmode": "",
    "op_debug_level": "op_debug_config",
}
"""Options that are on the way out, and the one to use instead ("": none)."""

DUMP_MODES = ("input", "output", "all")
NESTED: Mapping[str, Mapping[str, Row]] = {
    "dump_config": {
        "enable_dump": Row(False, SWITCH),
        "dump_path": PATH,
        "dump_step": Row(None),
        "dump_mode": Row("output", DUMP_MODES),
        "enable_dump_debug": Row(False, SWITCH),
        "dump_debug_mode": Row("all", ("aicore_overflow", "atomic_overflow", "all")),
        "dump_data": Row("tensor", ("tensor", "stats")),
        "dump_layer": Row(None),
    },
    "profiling_config": {
        "enable_profiling": Row(False, SWITCH),
        "profiling_options": Row(PROFILING),
    },
    "aoe_config": {
        "aoe_mode": Row(None, ("1", "2", "4")),
        "work_path": Row("./"),
        "aoe_config_file": PATH,
    },
    "memory_config": {
        "atomic_clean_policy": Row(0, (0, 1)),
        "static_memory_policy": Row(0, (0, 1, 2, 3, 4)),
        "variable_use_1g_huge_page": Row(0, (0, 1, 2)),
    },
}
EXPERIMENTAL: Mapping[str, Row] = {
    "resource_config_path": PATH,
    "graph_parallel_option_path": PATH,
    "enable_graph_parallel": Row(False, SWITCH),
}
EXPERIMENTAL_NESTED: Mapping[str, Mapping[str, Row]] = {
    "multi_branches_config": {
        "input_shape": Row(None),
        "dynamic_node_type": Row(None, ("0",)),
        "dynamic_dims": Row(None),
    },
    "logical_device_deploy_config": {
        "logical_device_cluster_deploy_mode": Row("LB", ("LB", "SINGLE")),
        "logical_device_id": Row(None),
    },
    "model_deploy_config": {
        "model_deploy_mode": Row(None),
        "model_deploy_devicelist": Row(None),
    },
    "graph_memory_optimize_config": {
        "recompute": Row(None, ("auto", "manual")),
        "graph_slice": Row(None, ("auto",)),
    },
}
