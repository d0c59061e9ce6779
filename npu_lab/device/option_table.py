"""The session options of the NPU adapter, as data: one row for each key it reads.

A row says from which proto field the adapter reads the key, what counts when the key is
absent, which values it takes, what it does with a bad one, and what the option does
here. The facts follow the adapter's source of 2026; `options` interprets the rows.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Field = Literal["b", "i", "s"]
Value = bool | int | str | None
Fault = Literal["fatal", "internal", "invalid", "clamp"]


@dataclass(frozen=True)
class Described:
    """Allowed values that a list cannot hold: words in two languages, and a test."""

    en: str
    zh: str
    accepts: Callable[[str], bool]


Allowed = tuple[Value, ...] | range | Described | None


@dataclass(frozen=True)
class Option:
    """One session option.

    Attributes:
        key: its name in `parameter_map`.
        field: the proto field it is read from: "b", "i" or "s".
        default: what counts when the key is absent; None where it is then left unset.
        allowed: the values it takes; None where everything passes.
        fault: what the adapter does with another value: "fatal" ends the process,
            "internal" and "invalid" raise the TensorFlow errors of these names, "clamp"
            takes the nearest allowed value; None: it does not look.
        effect: what it does in the lab; "" for nothing.
        effect_zh: the same in Chinese.
        meaning: what it does on a real NPU.
        only_with: it is looked at only when one of these options is switched on.
        wrong_field: how a value in another field reads: as "zero" (empty, False), as
            the "default" (then an empty text does, too), or not at all: "invalid".
        environment: a variable that gives the value when the key is absent.
        deprecated: None, or the key to use instead ("" where there is none).
    """

    key: str
    field: Field
    default: Value
    allowed: Allowed
    fault: Fault | None
    effect: str
    meaning: str
    only_with: tuple[str, ...] = ()
    wrong_field: Literal["zero", "default", "invalid"] = "zero"
    environment: str = ""
    deprecated: str | None = None
    effect_zh: str = ""


MOST_DUMP_STEPS = 100


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text, re.ASCII) is not None


def _is_usable_folder(path: str) -> bool:
    # Path.is_dir raises where a name is too long or a folder above is closed.
    return os.path.isdir(path) and os.access(path, os.R_OK | os.W_OK)  # noqa: PTH112


def _are_dump_steps(text: str) -> bool:
    groups = text.split("|")
    if not text:
        return True
    if len(groups) > MOST_DUMP_STEPS:
        return False
    # Steps are 64-bit numbers.
    if not all(re.fullmatch(r"[0-9]{1,19}(-[0-9]{1,19})?", one) for one in groups):
        return False
    ends = [[int(end) for end in one.split("-")] for one in groups]
    return all(len(pair) == 1 or pair[0] < pair[1] for pair in ends)


FOLDER = Described(
    "an existing folder that can be read and written",
    "已经存在且可读写的目录",
    _is_usable_folder,
)
DUMP_STEPS = Described(
    f'at most {MOST_DUMP_STEPS} steps or rising ranges, such as "0|5|10-20"',
    f"最多 {MOST_DUMP_STEPS} 个步数或递增区间，例如 0|5|10-20",
    _are_dump_steps,
)
SHAPES = Described(
    'names with shapes, such as "data:1,-1;label:1,-1"',
    "名称与 shape，例如 data:1,-1;label:1,-1",
    _matches(r"[^;]+:-?\d+(,-?\d+)*(;[^;]+:-?\d+(,-?\d+)*)*;?"),
)
DIMENSIONS = Described(
    'sizes per profile, such as "20,20;40,40"',
    "各档位的维度，例如 20,20;40,40",
    _matches(r"\d+(,\d+)*(;\d+(,\d+)*)*;?"),
)
DEVICES = Described(
    'device numbers, such as "0,1"',
    "以逗号分隔的设备编号，例如 0,1",
    _matches(r"\d+(,\d+)*"),
)
JOB = Described(
    'a task type other than "ps" and "default"',
    "ps 和 default 以外的任务类型",
    lambda text: text not in ("ps", "default"),
)

NO_UPPER_END = 2**63
FROM_ZERO = range(NO_UPPER_END)
FROM_ONE = range(1, NO_UPPER_END)
DUMPS = ("enable_dump", "enable_dump_debug")
DYNAMIC = ("dynamic_input",)
PROFILING = json.dumps(
    {
        "output": "./",
        "training_trace": "on",
        "task_time": "on",
        "hccl": "on",
        "aicpu": "on",
        "aic_metrics": "PipeUtilization",
        "msproftx": "off",
    }
)
"""What the adapter profiles unless `profiling_options` says otherwise."""

IMPLEMENTATIONS = (
    "high_precision",
    "high_performance",
    "high_precision_for_all",
    "high_performance_for_all",
)
PRECISIONS = (
    "force_fp32",
    "allow_fp32_to_fp16",
    "force_fp16",
    "must_keep_origin_dtype",
    "allow_mix_precision",
    "cube_fp16in_fp32out",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
    "allow_fp32_to_bf16",
)
PRECISIONS_V2 = (
    "fp16",
    "origin",
    "cube_fp16in_fp32out",
    "mixed_float16",
    "mixed_bfloat16",
    "cube_hif8",
    "mixed_hif8",
)
MIXED_PRECISIONS = (
    "allow_mix_precision",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
)
MIXED_PRECISIONS_V2 = ("mixed_float16", "mixed_bfloat16", "mixed_hif8")

# fmt: off
ROWS: tuple[Option, ...] = (
    # Those with an effect in the lab
    Option("use_off_line", "b", True, None, None,
           "False: everything runs on the host, no loop",
           "the NPU takes the graph; otherwise TensorFlow keeps it",
           effect_zh="为 False 时全部在 Host 侧执行，没有循环"),
    Option("enable_data_pre_proc", "b", False, None, None,
           "True: GetNext is sunk and delivers a batch to every iteration",
           "sink GetNext; the host fills a queue in the background",
           deprecated="",
           effect_zh="为 True 时 GetNext算子下沉，每次迭代各取一个 batch"),
    Option("iterations_per_loop", "i", 1, FROM_ONE, "fatal",
           "above 1: permits the loop",
           "training steps per host call; must equal the loaded count",
           effect_zh="大于 1 时允许循环"),
    Option("mix_compile_mode", "b", False, None, None,
           "True: no loop",
           "mixed compute: operators without NPU support stay on the host",
           effect_zh="为 True 时没有循环"),
    Option("graph_run_mode", "i", 1, (0, 1), "fatal",
           "0: no loop",
           "0 inference, 1 training",
           effect_zh="为 0 时没有循环"),
    Option("dynamic_input", "b", False, None, None,
           "True: dynamic_graph_execute_mode counts",
           "shapes of inputs may change from call to call",
           deprecated="",
           effect_zh="为 True 时 dynamic_graph_execute_mode 起作用"),
    Option("dynamic_graph_execute_mode", "s", "dynamic_execute",
           ("dynamic_execute", "lazy_recompile"), "internal",
           "lazy_recompile: an error with iterations_per_loop above 1",
           "one compiled graph for all shapes, or a new one for each shape",
           only_with=DYNAMIC, deprecated="",
           effect_zh="lazy_recompile 与大于 1 的 iterations_per_loop 同用时报错"),
    # Precision
    Option("precision_mode", "s", "", PRECISIONS, "invalid",
           "computes the operators of a table in float16 or bfloat16",
           "which types operators compute in; unset: the product's own choice",
           effect_zh="用 float16 或 bfloat16 计算表中的算子"),
    Option("precision_mode_v2", "s", "", PRECISIONS_V2, "invalid",
           "computes the operators of a table in float16 or bfloat16",
           "the newer form of precision_mode; never both",
           effect_zh="用 float16 或 bfloat16 计算表中的算子"),
    Option("modify_mixlist", "s", "", None, None,
           "moves operators of the table",
           "JSON file that moves operators between the lists of mixed precision",
           effect_zh="调整表中算子所属的名单"),
    Option("op_precision_mode", "s", "", None, None, "",
           "ini file with a precision for single operators"),
    Option("customize_dtypes", "s", "", None, None,
           "the types of single operators of the table, under a precision mode",
           "file with input and output types for single operators",
           effect_zh="精度模式下，表中单个算子的类型"),
    Option("op_select_implmode", "s", "", IMPLEMENTATIONS, "fatal", "",
           "accurate or fast implementations of operators",
           deprecated="op_precision_mode"),
    Option("optypelist_for_implmode", "s", "", None, None, "",
           "operator types that op_select_implmode is for",
           deprecated="op_precision_mode"),
    Option("deterministic", "i", 0, (0, 1), None, "",
           "1: the same input gives the same result on the same hardware"),
    # Dumps and debugging
    Option("enable_dump", "b", False, None, None,
           "True: writes .npy files with a .json beside",
           "write inputs and outputs of operators to dump_path",
           effect_zh="为 True 时写出 .npy 文件及同名 .json"),
    Option("enable_dump_debug", "b", False, None, None,
           "True: writes .npy files where an operator overflows",
           "write the data of operators that overflow to dump_path",
           effect_zh="为 True 时，算子溢出则写出 .npy 文件"),
    Option("dump_path", "s", "", FOLDER, "internal", "where dumps are written",
           "the folder of dumps", only_with=DUMPS,
           effect_zh="dump 数据的目录"),
    Option("dump_step", "s", "", DUMP_STEPS, "fatal",
           "these training steps of a session only, counted from 0",
           "the steps that are dumped; empty: all", only_with=("enable_dump",),
           effect_zh="只 dump 会话中的这些训练 step，从 0 计数"),
    Option("dump_mode", "s", "output", ("input", "output", "all"), "fatal",
           "what enable_dump writes",
           "dump inputs, outputs or both", only_with=("enable_dump",),
           effect_zh="enable_dump 写出的内容"),
    Option("dump_debug_mode", "s", "all",
           ("aicore_overflow", "atomic_overflow", "all"), "fatal",
           "atomic_overflow: sums only",
           "which kinds of overflow are looked for",
           only_with=("enable_dump_debug",),
           effect_zh="为 atomic_overflow 时只检测求和"),
    Option("dump_data", "s", "tensor", ("tensor", "stats"), "internal",
           "stats: figures in statistic.csv instead of tensors",
           "dump whole tensors, or figures about them",
           effect_zh="为 stats 时在 statistic.csv 中写统计值，不写 tensor"),
    Option("dump_layer", "s", "", None, None, "these operators only",
           "names of the operators to dump, separated by blanks",
           effect_zh="只 dump 这些算子"),
    Option("enable_exception_dump", "i", 2, (0, 1, 2), "internal", "",
           "dump of a failing operator: 0 none, 1 full, 2 light"),
    Option("op_debug_level", "i", None, range(5), None, "",
           "files kept from compiling operators",
           deprecated="op_debug_config"),
    Option("op_debug_config", "s", "", None, None, "",
           "file with checks for compiled operators"),
    Option("debug_dir", "s", "", None, None, "",
           "folder of the files that op_debug_level keeps"),
    Option("quant_dumpable", "s", "", ("0", "1"), None, "",
           "1: inputs of quantisation can be dumped"),
    Option("export_compile_stat", "i", 1, (0, 1, 2), "invalid", "",
           "fusion_result.json: 0 never, 1 at exit, 2 after compiling",
           wrong_field="default"),
    # Profiling and tuning
    Option("profiling_mode", "b", False, None, None,
           "True: a PROF_* folder with the times of iterations and operators",
           "profile the training", environment="PROFILING_MODE",
           effect_zh="为 True 时生成 PROF_* 目录，含迭代与算子的耗时"),
    Option("profiling_options", "s", PROFILING, None, None,
           "output, training_trace, task_time, fp_point, bp_point, storage_limit",
           "what to profile, as JSON; empty: the built-in choice",
           only_with=("profiling_mode",), wrong_field="default",
           environment="PROFILING_OPTIONS",
           effect_zh="支持 output、training_trace、task_time 等键"),
    Option("aoe_mode", "s", "", ("", "1", "2", "4"), "internal", "",
           "automatic tuning: 1 subgraphs, 2 operators, 4 gradient splitting",
           environment="AOE_MODE"),
    Option("work_path", "s", "./", FOLDER, "fatal", "",
           "folder of the automatic tuning", only_with=("aoe_mode",)),
    Option("distribute_config", "s", "", None, None, "",
           "file for tuning on several machines", only_with=("aoe_mode",)),
    Option("aoe_config_file", "s", "", None, None, "",
           "file with settings of the automatic tuning"),
    Option("auto_tune_mode", "s", "", None, None, "",
           "the tuning that came before aoe_mode"),
    # Compiling
    Option("jit_compile", "s", "auto", ("auto", "true", "false"), "invalid", "",
           "compile operators at run time, or take ready-made ones",
           wrong_field="invalid"),
    Option("op_compiler_cache_mode", "s", "enable",
           ("enable", "force", "disable"), None, "",
           "use, renew or ignore the cache of compiled operators"),
    Option("op_compiler_cache_dir", "s", "", None, None, "",
           "folder of the cache of compiled operators"),
    Option("graph_compiler_cache_dir", "s", "", None, None, "",
           "folder of the cache of compiled graphs"),
    Option("fusion_switch_file", "s", "", None, None, "",
           "JSON file that switches fusion rules on and off"),
    Option("enable_scope_fusion_passes", "s", "", None, None, "",
           "names of the scope fusion passes to apply"),
    Option("buffer_optimize", "s", "l2_optimize",
           ("l2_optimize", "off_optimize"), "fatal", "",
           "keep data in the L2 cache"),
    Option("enable_small_channel", "i", 0, (0, 1), None, "",
           "faster convolutions with few channels; always on for inference"),
    Option("enable_compress_weight", "b", False, None, None, "",
           "compress weights; not together with compress_weight_conf"),
    Option("compress_weight_conf", "s", "", None, None, "",
           "file that names the nodes whose weights are compressed"),
    Option("external_weight", "b", False, None, None, "",
           "keep weights in files beside the compiled graph"),
    Option("frozen_variable", "b", False, None, None, "",
           "treat variables of an inference graph as constants"),
    Option("variable_format_optimize", "b", None, None, None, "",
           "store variables in a layout that suits the NPU",
           deprecated=""),
    Option("oo_level", "s", "O3", None, None, "",
           "how much the graph is optimised"),
    Option("oo_constant_folding", "b", True, None, None, "",
           "compute constant parts of the graph when compiling",
           wrong_field="default"),
    Option("optimization_switch", "s", "", None, None, "",
           "switch single passes of the graph optimisation"),
    Option("topo_sorting_mode", "i", None, None, None, "",
           "order of operators: breadth first, depth first or other"),
    Option("insert_op_file", "s", "", None, None, "",
           "file that adds pre-processing operators to the graph"),
    Option("const_input", "s", "", None, None, "",
           "inputs that are treated as constants"),
    Option("lower_functional_ops", "b", False, None, None, "",
           "turn functional control flow into the older form"),
    # Changing shapes
    Option("dynamic_inputs_shape_range", "s", "", None, None, "",
           "ranges of the dimensions that change",
           only_with=DYNAMIC, deprecated=""),
    Option("compile_dynamic_mode", "b", False, None, None, "",
           "compile every graph as one whose shapes change"),
    Option("shape_generalization_mode", "s", "STRICT",
           ("STRICT", "FULL", "ADAPTIVE"), "invalid", "",
           "when a compiled graph may serve other shapes",
           wrong_field="invalid"),
    Option("input_shape", "s", "", SHAPES, "fatal", "",
           "shapes of the inputs, -1 for the sizes in dynamic_dims"),
    Option("dynamic_dims", "s", "", DIMENSIONS, "fatal", "",
           "the profiles of sizes that occur"),
    Option("dynamic_node_type", "i", -1, (0, 1), "fatal", "",
           "what the profiles are for: 0 Dataset, 1 placeholder"),
    Option("compile_hybrid_mode", "i", None, (0, 1), "internal", "",
           "1: profiles and changing shapes together"),
    Option("all_tensor_not_empty", "b", False, None, None, "",
           "promise that no tensor is empty"),
    # Mixed compute and placement
    Option("in_out_pair", "s", "", None, None, "",
           "names that enclose the part of the graph for the NPU"),
    Option("in_out_pair_flag", "b", True, None, None, "",
           "True: the enclosed part goes to the NPU; False: the rest does"),
    Option("variable_placement", "s", "Device", ("Device", "Host"), None,
           "with Host the input pipeline may read variables",
           "where variables live; Host needs mixed compute",
           effect_zh="为 Host 时数据预处理可以读取变量"),
    Option("session_device_id", "i", -1, FROM_ZERO, "fatal", "",
           "the device of this session"),
    Option("device_type", "s", "default_device_type", None, None, "",
           "kind of core that computes"),
    Option("soc_config", "s", "", None, None, "",
           "name of the product to compile for"),
    Option("aicore_num", "s", "", None, None, "",
           "how many cube and vector cores are used"),
    # Memory and streams
    Option("graph_memory_max_size", "s", "", None, None, "",
           "once the memory for graphs; ignored today"),
    Option("variable_memory_max_size", "s", "", None, None, "",
           "once the memory for variables; ignored today"),
    Option("static_memory_policy", "i", 0, (0, 2, 3, 4), None, "",
           "how memory of the device is set aside"),
    Option("atomic_clean_policy", "i", 0, (0, 1), None, "",
           "clear the workspace all at once or per operator"),
    Option("variable_use_1g_huge_page", "i", 0, (0, 1, 2), "invalid", "",
           "use huge pages for variables"),
    Option("memory_optimization_policy", "s", "", None, None, "",
           "trade time for memory"),
    Option("stream_max_parallel_num", "s", "", None, None, "",
           "streams in parallel, per engine"),
    Option("auto_multistream_parallel_mode", "s", "", None, None, "",
           "spread a graph over several streams"),
    Option("ac_parallel_enable", "s", "", ("0", "1"), None, "",
           "1: CPU operators of the device run beside the others"),
    Option("graph_max_parallel_model_num", "i", 1, FROM_ONE, "internal", "",
           "inference: calls of one graph at the same time"),
    Option("input_fusion_size", "i", 131072, range(32 * 1024 * 1024 + 1), "clamp", "",
           "inputs below this size in bytes are copied together"),
    Option("input_batch_cpy", "b", False, None, None, "",
           "copy all inputs of a call in one batch"),
    Option("graph_slice", "s", "", ("auto", "manual"), "internal", "",
           "cut the graph to save memory"),
    # Time limits
    Option("stream_sync_timeout", "i", -1, None, None, "",
           "wait for a stream at most so many ms; -1: for ever"),
    Option("event_sync_timeout", "i", -1, None, None, "",
           "wait for an event at most so many ms; -1: for ever"),
    Option("op_wait_timeout", "i", None, None, None, "",
           "seconds an operator waits for another; the device's own limit is 120"),
    Option("op_execute_timeout", "i", None, None, None,
           "a sunk GetNext that waits longer (seconds) fails with E30008",
           "seconds an operator may take, GetNext included",
           effect_zh="下沉的 GetNext算子等待超过该秒数时以 E30008 失败"),
    Option("graph_exec_timeout", "i", 600000, None, None, "",
           "milliseconds a graph may take"),
    Option("hccl_timeout", "i", None, None, None, "",
           "seconds the ranks wait for each other; the library's own limit is 1836"),
    # Several devices
    Option("hcom_parallel", "b", True, None, None, "",
           "exchange gradients while computing"),
    Option("hcom_multi_mode", "b", False, None, None, "",
           "communicate in several modes at once"),
    Option("is_tailing_optimization", "b", False, None, None, "",
           "hide the exchange of the last gradients"),
    Option("HCCL_algorithm", "s", "", None, None, "",
           "algorithm of the collective communication"),
    Option("local_rank_id", "i", -1, range(8), "internal", "",
           "this process among those that share a list of devices"),
    Option("local_device_list", "s", "", DEVICES, "internal", "",
           "the devices that local_rank_id chooses from"),
    Option("job", "s", "localhost", JOB, "invalid", "",
           "task type in a cluster of TensorFlow servers"),
    Option("task_index", "i", 0, FROM_ZERO, "fatal", "",
           "task number in a cluster of TensorFlow servers"),
    Option("enable_graph_parallel", "b", False, None, None, "",
           "split one graph over several devices"),
    Option("graph_parallel_option_path", "s", "", None, None, "",
           "file that says how the graph is split"),
    Option("resource_config_path", "s", "", None, None, "",
           "file that describes the machines of a deployment"),
    Option("experimental_logical_device_cluster_deploy_mode", "s", "LB", None, None, "",
           "how logical devices share the work"),
    Option("experimental_logical_device_id", "s", "", None, None, "",
           "the logical devices of the deployment"),
    Option("experimental_model_deploy_mode", "s", "", None, None, "",
           "how a model is deployed on devices"),
    Option("experimental_model_deploy_devicelist", "s", "", None, None, "",
           "the devices a model is deployed on"),
    Option("experimental_accelerate_train_mode", "s", "", None, None, "",
           "train in lower precision up to a step or a loss, such as fast|step|0.9"),
)
# fmt: on

OPTIONS: Mapping[str, Option] = MappingProxyType({row.key: row for row in ROWS})

WRITTEN_BUT_NEVER_READ = frozenset({"enable_reduce_precision", "min_group_size"})
"""Keys that the vendor's own Estimator writes and the adapter does not know."""
