from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.bridge import config_classes, run_config
from npu_lab.bridge.config_classes import (
    DumpConfig,
    DynamicInputConfig,
    ExperimentalConfig,
    GraphMemoryOptimizeConfig,
    MemoryConfig,
    ProfilingConfig,
)
from npu_lab.bridge.run_config import NPURunConfig
from npu_lab.bridge.run_config_table import PARAMETERS
from npu_lab.device.option_table import OPTIONS, WRITTEN_BUT_NEVER_READ
from npu_lab.device.options import SessionOptions, find_npu_optimizer

FROZEN = """
iterations_per_loop=1, profiling_config=None, model_dir=None, tf_random_seed=None,
save_summary_steps=0, save_checkpoints_steps=None, save_checkpoints_secs=None,
session_config=None, keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
log_step_count_steps=100, distribute=None, enable_data_pre_proc=True,
precision_mode=None, enable_reduce_precision=False, variable_format_optimize=None,
mix_compile_mode=False, hcom_parallel=True, graph_memory_max_size=None,
variable_memory_max_size=None, dump_config=None, stream_max_parallel_num=None,
is_tailing_optimization=False, horovod_mode=False, graph_run_mode=1,
op_debug_level=None, enable_scope_fusion_passes=None, enable_exception_dump=2,
op_select_implmode=None, optypelist_for_implmode=None, dynamic_input_config=None,
aoe_mode=None, work_path=None, buffer_optimize='l2_optimize',
enable_small_channel=0, fusion_switch_file=None, enable_compress_weight=False,
compress_weight_conf=None, op_compiler_cache_mode=None, op_compiler_cache_dir=None,
debug_dir=None, hcom_multi_mode=False, dynamic_input=None,
dynamic_graph_execute_mode='dynamic_execute', dynamic_inputs_shape_range=None,
train_distribute=None, eval_distribute=None, local_rank_id=None,
local_device_list=None, session_device_id=None, distribute_config=None,
modify_mixlist=None, op_precision_mode=None, device_type='default_device_type',
soc_config=None, hccl_timeout=None, op_wait_timeout=None, op_execute_timeout=None,
HCCL_algorithm=None, customize_dtypes=None, op_debug_config=None,
memory_config=None, experimental_config=None, topo_sorting_mode=None,
aoe_config_file=None, insert_op_file=None, stream_sync_timeout=-1,
event_sync_timeout=-1, external_weight=False, deterministic=0,
frozen_variable=False, variable_placement='Device', jit_compile='auto',
precision_mode_v2=None, ac_parallel_enable=None, quant_dumpable=None,
input_fusion_size=131072, compile_dynamic_mode=None, graph_max_parallel_model_num=1,
export_compile_stat=1, aicore_num=None, oo_constant_folding=True,
input_batch_cpy=False, shape_generalization_mode='STRICT',
all_tensor_not_empty=False, auto_multistream_parallel_mode=None, oo_level='O3',
optimization_switch=None
"""
SESSION_ONLY = {
    "auto_tune_mode",
    "const_input",
    "graph_exec_timeout",
    "in_out_pair",
    "in_out_pair_flag",
    "lower_functional_ops",
    "use_off_line",
}
CLUSTER = json.dumps({"cluster": {"chief": ["a:1"], "ps": ["b:1"]}})


def options(**settings: Any) -> dict[str, Any]:
    """What is written for these settings, by key."""
    config = run_config.session_config(NPURunConfig(**settings))
    (optimizer,) = find_npu_optimizer(config)
    return {
        key: getattr(value, value.WhichOneof("value"))
        for key, value in optimizer.parameter_map.items()
    }


def strategy() -> Any:
    # Making one needs a cluster.
    kind = run_config.PARAMETER_SERVERS
    return kind.__new__(kind)


def test_names_order_and_defaults_are_the_vendors() -> None:
    signature = inspect.signature(NPURunConfig)
    text = ", ".join(map(str, signature.parameters.values()))
    assert text == " ".join(FROZEN.split())
    assert len(signature.parameters) == 88


def test_every_parameter_is_an_attribute_and_in_the_help() -> None:
    config = NPURunConfig()
    for row in PARAMETERS:
        default = 100 if row.name == "save_checkpoints_steps" else row.default
        assert getattr(config, row.name) == default
        assert f"    {row.name}: {row.meaning}." in NPURunConfig.__doc__
        assert len(row.meaning) > 9


def test_parameters_go_by_position_as_well() -> None:
    config = NPURunConfig(10, None, "folder", 7)
    assert config.iterations_per_loop == 10
    assert config.model_dir == "folder"
    assert config.tf_random_seed == 7


def test_each_session_option_has_a_parameter_or_is_for_sessions_only() -> None:
    written = {row.name for row in PARAMETERS if row.field}
    assert written - OPTIONS.keys() == {"enable_reduce_precision"}
    parts = [
        DumpConfig(True),
        ProfilingConfig(True),
        MemoryConfig(),
        ExperimentalConfig(graph_memory_optimize_config=GraphMemoryOptimizeConfig()),
        DynamicInputConfig("x:1", "1", 0, 0),
    ]
    for part in parts:
        written |= part.written().keys()
    written |= {"job", "task_index"}
    assert OPTIONS.keys() - written == SESSION_ONLY


def test_what_is_written_without_settings() -> None:
    written = options()
    expected = {
        r.name: r.default for r in PARAMETERS if r.field and r.default is not None
    }
    expected |= {"min_group_size": True, "job": "localhost", "task_index": 0}
    assert written == {
        key: value.encode() if isinstance(value, str) else value
        for key, value in expected.items()
    }
    assert written["enable_data_pre_proc"] is True
    assert written.keys() - OPTIONS.keys() == WRITTEN_BUT_NEVER_READ


def test_the_device_reads_back_what_was_given() -> None:
    config = run_config.session_config(
        NPURunConfig(
            iterations_per_loop=10,
            precision_mode="allow_mix_precision",
            op_execute_timeout=30,
            session_device_id=3,
            graph_memory_max_size=1024,
        )
    )
    read = SessionOptions.from_config(config)
    assert read.iterations_per_loop == 10
    assert read["precision_mode"] == "allow_mix_precision"
    assert read["op_execute_timeout"] == 30
    assert read["session_device_id"] == 3
    assert read["graph_memory_max_size"] == "1024"
    assert read.diagnostics == ()


def test_the_given_session_config_is_changed_and_gets_one_more_optimizer() -> None:
    given = tf.ConfigProto()
    mine = given.graph_options.rewrite_options.custom_optimizers.add(
        name="NpuOptimizer"
    )
    mine.parameter_map["iterations_per_loop"].i = 5
    mine.parameter_map["use_off_line"].b = True
    config = NPURunConfig(iterations_per_loop=10, session_config=given)
    assert run_config.session_config(config) is given
    assert len(find_npu_optimizer(given)) == 2
    assert list(given.graph_options.rewrite_options.optimizers) == [
        "pruning",
        "function",
        "constfold",
        "shape",
        "arithmetic",
        "loop",
        "dependency",
        "layout",
        "GradFusionOptimizer",
    ]
    # The later wins, key by key.
    assert SessionOptions.from_config(given).iterations_per_loop == 10


def test_both_ways_to_compress_weights_always_collide() -> None:
    config = run_config.session_config(NPURunConfig(compress_weight_conf="weights.cfg"))
    with pytest.raises(ValueError, match="compress_weight_conf"):
        SessionOptions.from_config(config)


def test_a_text_that_is_not_encoded_is_refused_by_protobuf() -> None:
    with pytest.raises(TypeError, match=r"insert_op_file='aipp.cfg' cannot be written"):
        options(insert_op_file="aipp.cfg")
    assert options(insert_op_file=b"aipp.cfg")["insert_op_file"] == b"aipp.cfg"


@pytest.mark.parametrize("settings", [{"aoe_mode": 2}, {"hccl_timeout": "long"}])
def test_a_value_of_another_type_is_a_type_error(settings: dict[str, Any]) -> None:
    (name,) = settings
    with pytest.raises(TypeError, match=f"{name}=.* cannot be written"):
        options(**settings)


def test_the_folder_of_the_tuning_is_written_only_with_the_tuning() -> None:
    tuning = {"work_path": "./", "distribute_config": "nca.cfg"}
    assert not tuning.keys() & options(**tuning).keys()
    assert tuning.keys() <= options(aoe_mode="1", **tuning).keys()


def test_the_task_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    task = {"task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(task))
    assert options()["job"] == b"worker"


@pytest.mark.parametrize(
    ("parts", "written", "absent"),
    [
        (
            {"dump_config": DumpConfig(True, "/tmp", "0|5")},
            {
                "enable_dump": True,
                "dump_path": b"/tmp",
                "dump_step": b"0|5",
                "dump_debug_mode": b"all",
            },
            {"dump_layer"},
        ),
        (
            {"dump_config": DumpConfig(dump_mode=None)},
            {"enable_dump": False},
            {"dump_mode", "dump_debug_mode", "dump_path"},
        ),
        (
            {"profiling_config": ProfilingConfig(True)},
            {"profiling_mode": True, "profiling_options": b""},
            set(),
        ),
        (
            {"profiling_config": ProfilingConfig(profiling_options="{}")},
            {"profiling_mode": False},
            {"profiling_options"},
        ),
        (
            {"memory_config": MemoryConfig(static_memory_policy=2)},
            {"static_memory_policy": 2, "atomic_clean_policy": 0},
            {"memory_optimization_policy"},
        ),
        (
            {"dynamic_input_config": DynamicInputConfig("x:-1", "1;2", 1, 0)},
            {"input_shape": b"x:-1", "dynamic_node_type": 1, "compile_hybrid_mode": 0},
            set(),
        ),
        (
            {"dynamic_input_config": DynamicInputConfig("x:-1", None, 1, 0)},
            {},
            {"input_shape", "dynamic_node_type"},
        ),
        (
            {
                "experimental_config": ExperimentalConfig(
                    graph_memory_optimize_config=GraphMemoryOptimizeConfig(
                        "auto", "manual"
                    ),
                    accelerate_train_mode="fast|step|0.9",
                )
            },
            {
                "graph_slice": b"manual",
                "experimental_accelerate_train_mode": b"fast|step|0.9",
                "experimental_logical_device_cluster_deploy_mode": b"LB",
            },
            {"recompute", "enable_graph_parallel", "graph_memory_optimize_config"},
        ),
    ],
)
def test_what_the_parts_write(
    parts: dict[str, Any], written: dict[str, Any], absent: set[str]
) -> None:
    found = options(**parts)
    assert found.items() >= written.items()
    assert not absent & found.keys()
    assert SESSION_ONLY.isdisjoint(found)


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"iterations_per_loop": None}, TypeError, "iterations_per_loop"),
        ({"iterations_per_loop": 1.0}, TypeError, "iterations_per_loop"),
        ({"iterations_per_loop": 0}, ValueError, "iterations_per_loop"),
        ({"mix_compile_mode": 1}, TypeError, "mix_compile_mode"),
        ({"jit_compile": True}, TypeError, "Expected str, got bool"),
        ({"dump_config": {"enable_dump": True}}, ValueError, "DumpConfig"),
        ({"horovod_mode": 1}, TypeError, "horovod_mode"),
        ({"graph_run_mode": "1"}, TypeError, "graph_run_mode"),
        ({"graph_run_mode": -1}, ValueError, "graph_run_mode"),
        ({"graph_run_mode": 2}, ValueError, "graph_run_mode is 2"),
        ({"enable_exception_dump": None}, TypeError, "enable_exception_dump"),
        ({"enable_exception_dump": -1}, ValueError, "enable_exception_dump"),
        ({"dynamic_input_config": "x:-1"}, ValueError, "DynamicInputConfig"),
        ({"experimental_config": 1}, ValueError, "ExperimentalConfig"),
        (
            {"save_checkpoints_secs": 60, "save_checkpoints_steps": 100},
            ValueError,
            "save_checkpoints",
        ),
        ({"device_fn": None}, TypeError, "unexpected keyword argument 'device_fn'"),
        ({"protocol": "grpc"}, TypeError, "'protocol'"),
    ],
)
def test_what_the_constructor_refuses(
    settings: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        NPURunConfig(**settings)


def test_faults_are_found_in_the_vendors_order(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "iterations_per_loop": (0, "iterations_per_loop is 0", 1),
        "mix_compile_mode": ("no", "mix_compile_mode is 'no'", False),
        "jit_compile": (None, "Expected str", "auto"),
        "distribute": (strategy(), "distribute is .* cluster", None),
        "dump_config": (1, "dump_config must be", None),
        "horovod_mode": (1, "horovod_mode is 1", False),
        "graph_run_mode": (2, "graph_run_mode is 2", 1),
        "enable_exception_dump": (-1, "enable_exception_dump is -1", 2),
        "dynamic_input_config": (1, "dynamic_input_config must be", None),
        "experimental_config": (1, "experimental_config must be", None),
        "save_checkpoints_secs": (60, "save_checkpoints_secs", None),
    }
    settings = {name: fault for name, (fault, _, _) in faults.items()}
    settings["save_checkpoints_steps"] = 100
    for name, (_, text, good) in faults.items():
        with pytest.raises((TypeError, ValueError), match=text):
            NPURunConfig(**settings)
        settings[name] = good
    NPURunConfig(**settings)


@pytest.mark.parametrize("name", ["train_distribute", "eval_distribute"])
def test_a_strategy_has_no_effect_and_that_is_said(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    said: list[str] = []
    monkeypatch.setattr(
        run_config.v1.logging, "warning", lambda text, *given: said.append(text % given)
    )
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    assert getattr(NPURunConfig(**{name: strategy}), name) is strategy
    assert [line.partition(",")[0] for line in said] == [
        f"NPURunConfig: {name} has no effect"
    ]
    with pytest.raises(NotImplementedError, match=f"RunConfig: {name} is"):
        NPURunConfig(**{name: tf.distribute.MirroredStrategy(["/cpu:0"])})


def test_values_that_only_the_compiler_knows_are_not_looked_at() -> None:
    config = NPURunConfig(precision_mode="fast", enable_exception_dump=7)
    with pytest.raises(tf.errors.InvalidArgumentError, match="precision_mode"):
        SessionOptions.from_config(run_config.session_config(config))


def test_a_cluster_needs_servers_and_mixed_compute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TF_CONFIG", CLUSTER)
    with pytest.raises(ValueError, match="ParameterServerStrategy"):
        NPURunConfig()
    with pytest.raises(ValueError, match="mix_compile_mode=True"):
        NPURunConfig(distribute=strategy())


@pytest.mark.parametrize(
    ("given", "steps", "seconds"),
    [
        ({}, 100, None),
        ({"save_checkpoints_steps": 0}, 0, None),
        ({"save_checkpoints_steps": 7}, 7, None),
        ({"save_checkpoints_secs": 60}, None, 60),
    ],
)
def test_the_interval_of_checkpoints(
    given: dict[str, int], steps: int | None, seconds: int | None
) -> None:
    config = NPURunConfig(**given)
    assert config.save_checkpoints_steps == steps
    assert config.save_checkpoints_secs == seconds


def test_a_copy_keeps_the_parameters() -> None:
    config = NPURunConfig(iterations_per_loop=10).replace(model_dir="elsewhere")
    assert isinstance(config, NPURunConfig)
    assert config.model_dir == "elsewhere"
    assert config.iterations_per_loop == 10


@pytest.mark.parametrize("value", ["Auto", True, ""])
def test_memory_of_the_graph_is_optimised_by_two_words(value: Any) -> None:
    for name in ("recompute", "graph_slice"):
        with pytest.raises(ValueError, match=f'{name} must be None, "auto"'):
            GraphMemoryOptimizeConfig(**{name: value})


def test_an_experimental_config_checks_its_part() -> None:
    with pytest.raises(ValueError, match="GraphMemoryOptimizeConfig"):
        ExperimentalConfig(graph_memory_optimize_config="auto")


def test_the_vendor_finds_them_where_they_are_there(device: Any, npu_init: Any) -> None:
    from npu_bridge.estimator.npu import npu_config

    for name in (
        "DumpConfig",
        "DynamicInputConfig",
        "ExperimentalConfig",
        "GraphMemoryOptimizeConfig",
        "MemoryConfig",
        "ProfilingConfig",
    ):
        assert getattr(npu_config, name) is getattr(config_classes, name)
    assert npu_init.NPURunConfig is npu_config.NPURunConfig is NPURunConfig
