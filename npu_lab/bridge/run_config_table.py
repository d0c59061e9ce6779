"""The 88 parameters of NPURunConfig, as data: one row each, in the vendor's order.

A parameter that is also a session option takes its meaning, its proto field and its
allowed values from `device.option_table`; here stands only what the Estimator adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from npu_lab.device.option_table import OPTIONS, WRITTEN_BUT_NEVER_READ, Field


@dataclass(frozen=True)
class Parameter:
    """One parameter of NPURunConfig.

    Attributes:
        name: as a keyword, and as the session option that it is written to.
        default: what counts when it is left out; where that is None, None is not
            written.
        about: what it does, where there is no session option that says so.
        only_with: it is written only when this parameter is given as well.
        written: how a text gets into the option: as "bytes", made of anything by "str",
            or "raw", which protobuf refuses for a str.
    """

    name: str
    default: object = None
    about: str = ""
    only_with: str = ""
    written: Literal["bytes", "str", "raw"] = "bytes"

    @property
    def field(self) -> Field | None:
        """The proto field of the session option; None where nothing is written."""
        if self.name in WRITTEN_BUT_NEVER_READ:
            return "b"
        return OPTIONS[self.name].field if self.name in OPTIONS else None

    @property
    def meaning(self) -> str:
        """What it does on a real NPU."""
        return self.about or OPTIONS[self.name].meaning


_P = Parameter
# fmt: off
PARAMETERS: tuple[Parameter, ...] = (
    _P("iterations_per_loop", 1),
    _P("profiling_config", None, "a ProfilingConfig"),
    _P("model_dir", None, "folder of checkpoints and summaries"),
    _P("tf_random_seed", None, "seed of the graph"),
    _P("save_summary_steps", 0, "steps between summaries, 0 for none; only with"
       " iterations_per_loop 1"),
    _P("save_checkpoints_steps", None, "steps between checkpoints; 100 where neither"
       " this nor save_checkpoints_secs is given"),
    _P("save_checkpoints_secs", None, "seconds between checkpoints"),
    _P("session_config", None, "a ConfigProto to start from; NPUEstimator changes it"),
    _P("keep_checkpoint_max", 5, "checkpoints that are kept, 0 for all"),
    _P("keep_checkpoint_every_n_hours", 10000, "a checkpoint that is kept for ever,"
       " every so many hours"),
    _P("log_step_count_steps", 100, "session runs between lines with the loss"),
    _P("distribute", None, "a ParameterServerStrategy"),
    _P("enable_data_pre_proc", True),
    _P("precision_mode"),
    _P("enable_reduce_precision", False, "written, but read by nothing"),
    _P("variable_format_optimize"),
    _P("mix_compile_mode", False),
    _P("hcom_parallel", True),
    _P("graph_memory_max_size", written="str"),
    _P("variable_memory_max_size", written="str"),
    _P("dump_config", None, "a DumpConfig"),
    _P("stream_max_parallel_num"),
    _P("is_tailing_optimization", False),
    _P("horovod_mode", False, "True: no hook that broadcasts variables"),
    _P("graph_run_mode", 1),
    _P("op_debug_level"),
    _P("enable_scope_fusion_passes"),
    _P("enable_exception_dump", 2),
    _P("op_select_implmode"),
    _P("optypelist_for_implmode"),
    _P("dynamic_input_config", None, "a DynamicInputConfig"),
    _P("aoe_mode"),
    _P("work_path", only_with="aoe_mode"),
    _P("buffer_optimize", "l2_optimize"),
    _P("enable_small_channel", 0),
    _P("fusion_switch_file"),
    _P("enable_compress_weight", False),
    _P("compress_weight_conf"),
    _P("op_compiler_cache_mode"),
    _P("op_compiler_cache_dir"),
    _P("debug_dir"),
    _P("hcom_multi_mode", False),
    _P("dynamic_input"),
    _P("dynamic_graph_execute_mode", "dynamic_execute"),
    _P("dynamic_inputs_shape_range"),
    _P("train_distribute", None, "passed on to RunConfig"),
    _P("eval_distribute", None, "passed on to RunConfig"),
    _P("local_rank_id"),
    _P("local_device_list"),
    _P("session_device_id"),
    _P("distribute_config", only_with="aoe_mode"),
    _P("modify_mixlist"),
    _P("op_precision_mode"),
    _P("device_type", "default_device_type"),
    _P("soc_config"),
    _P("hccl_timeout"),
    _P("op_wait_timeout"),
    _P("op_execute_timeout"),
    _P("HCCL_algorithm"),
    _P("customize_dtypes"),
    _P("op_debug_config"),
    _P("memory_config", None, "a MemoryConfig"),
    _P("experimental_config", None, "an ExperimentalConfig"),
    _P("topo_sorting_mode"),
    _P("aoe_config_file"),
    _P("insert_op_file", written="raw"),
    _P("stream_sync_timeout", -1),
    _P("event_sync_timeout", -1),
    _P("external_weight", False),
    _P("deterministic", 0),
    _P("frozen_variable", False),
    _P("variable_placement", "Device"),
    _P("jit_compile", "auto"),
    _P("precision_mode_v2"),
    _P("ac_parallel_enable"),
    _P("quant_dumpable"),
    _P("input_fusion_size", 131072),
    _P("compile_dynamic_mode"),
    _P("graph_max_parallel_model_num", 1),
    _P("export_compile_stat", 1),
    _P("aicore_num"),
    _P("oo_constant_folding", True),
    _P("input_batch_cpy", False),
    _P("shape_generalization_mode", "STRICT"),
    _P("all_tensor_not_empty", False),
    _P("auto_multistream_parallel_mode"),
    _P("oo_level", "O3"),
    _P("optimization_switch"),
)
# fmt: on

PASSED_ON = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "eval_distribute",
)
"""The parameters that RunConfig has, too."""

OF_EXPERIMENTAL: Mapping[str, str] = MappingProxyType(
    {
        "logical_device_cluster_deploy_mode": (
            "experimental_logical_device_cluster_deploy_mode"
        ),
        "logical_device_id": "experimental_logical_device_id",
        "model_deploy_mode": "experimental_model_deploy_mode",
        "model_deploy_devicelist": "experimental_model_deploy_devicelist",
        "accelerate_train_mode": "experimental_accelerate_train_mode",
    }
)
"""Parameters of ExperimentalConfig whose session option has a longer name."""
