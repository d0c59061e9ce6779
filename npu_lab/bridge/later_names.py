"""The vendor's names that npu_lab does not carry out yet; `later` reads this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from npu_lab import language

HOME = "npu_lab.bridge."

FEATURES: Mapping[str, Mapping[language.Language, str]] = {
    "distributed": {"en": "distributed training", "zh": "分布式训练"},
    "tuning": {"en": "accuracy and performance tuning", "zh": "精度与性能调优"},
    "remote memory": {
        "en": "access to the memory of other devices by address",
        "zh": "按地址访问其他 Device 的内存",
    },
    "weight sharding": {
        "en": "the sharing of weight updates among ranks",
        "zh": "在 rank 之间分配权重更新",
    },
    "operators": {"en": "the NPU's own operators", "zh": "NPU 自有算子"},
    "channels": {
        "en": "channels from device to host",
        "zh": "Device 到 Host 的数据通道",
    },
    "device": {"en": "device management", "zh": "Device 管理"},
}
MESSAGE: Mapping[language.Language, str] = {
    "en": "{name} belongs to {feature}, which npu_lab does not have yet. FIDELITY.md"
    " lists what there is and what is missing.",
    "zh": "{name} 属于{feature}，npu_lab 尚未提供。"
    "FIDELITY.md 列出了已有和缺少的功能。",
}


class Row(NamedTuple):
    """Names in one module, blanks between them; does `npu_init` export them?"""

    module: str
    feature: str
    exported: bool = True
    classes: str = ""
    functions: str = ""


_NPU = "estimator.npu."
TABLE = (
    Row("npu_init", "distributed", functions="init_resource"),
    Row(
        _NPU + "npu_hook",
        "distributed",
        exported=False,
        functions="broadcast_global_variables",
    ),
    Row(_NPU + "npu_optimizer", "distributed", functions="npu_allreduce"),
    Row(_NPU + "npu_optimizer", "tuning", classes="NPUOptimizer"),
    Row(_NPU + "npu_loss_scale_optimizer", "tuning", classes="NPULossScaleOptimizer"),
    Row(
        _NPU + "npu_loss_scale_manager",
        "tuning",
        classes="FixedLossScaleManager ExponentialUpdateLossScaleManager",
    ),
    Row(_NPU + "npu_common", "distributed", exported=False, classes="NPUBasics"),
    Row(_NPU + "npu_strategy", "distributed", exported=False, classes="NPUStrategy"),
    Row(_NPU + "npu_rnn", "tuning", exported=False, functions="npu_dynamic_rnn"),
    Row(
        _NPU + "npu_dynamic_rnn",
        "operators",
        exported=False,
        classes="DynamicRNN DynamicGRUV2 DynamicAUGRU",
    ),
    Row(
        _NPU + "npu_plugin",
        "device",
        exported=False,
        functions="npu_resource_init npu_resource_shutdown npu_close"
        " init_rdma_pool rdma_remote_register"
        " rdma_remote_init get_var_addr_and_size malloc_shared_memory get_rdma_cache",
    ),
    Row(
        _NPU + "npu_plugin",
        "tuning",
        exported=False,
        functions="set_device_sat_mode is_inf_nan_enabled",
    ),
    Row(
        "estimator.npu_ops",
        "tuning",
        exported=False,
        functions="npu_alloc_float_status npu_get_float_status"
        " npu_get_float_status_v2 npu_clear_float_status npu_clear_float_status_v2",
    ),
    Row(
        _NPU + "util",
        "weight sharding",
        exported=False,
        classes="GradDivisionItem",
        functions="fair_division add_grads_and_vars get_gid_by_grad get_gid_by_weight"
        " get_all_grad_item",
    ),
    Row(
        "estimator.npu_ops",
        "distributed",
        exported=False,
        functions="initialize_system shutdown_system NPUInit NPUShutdown",
    ),
    Row(
        "estimator.npu_ops",
        "operators",
        exported=False,
        functions="LARSV2 LARS basic_lstm_cell adam_apply_one_assign"
        " adam_apply_one_with_decay_assign scatter_elements k_means_centroids"
        " npu_onnx_graph_op",
    ),
    Row(
        "estimator.npu_ops",
        "channels",
        exported=False,
        functions="channel_get_next",
    ),
    Row("estimator.npu_ops", "tuning", exported=False, functions="dropout"),
    Row("estimator.npu_unary_ops", "tuning", exported=False, functions="gelu"),
    Row(
        "estimator.npu_aicore_ops",
        "operators",
        exported=False,
        functions="fast_gelu_v2 centralization prelu dropout_v3 dropout_v4 layer_norm"
        " nonzero",
    ),
    Row(
        "hccl.hccl_ops",
        "distributed",
        exported=False,
        functions="allreduce allgather broadcast reduce reduce_scatter send receive"
        " all_to_all_v all_to_all_v_c",
    ),
    Row(
        "hccl.hccl_ops",
        "remote memory",
        exported=False,
        functions="gather_all_to_all_v remote_read remote_ref_read remote_write"
        " remote_scatter_write",
    ),
    Row(
        "hccl.manage.api",
        "distributed",
        functions="create_group destroy_group get_rank_size get_local_rank_size"
        " get_rank_id get_local_rank_id get_world_rank_from_group_rank"
        " get_group_rank_from_world_rank",
    ),
    Row(
        "hccl.split.api",
        "distributed",
        functions="set_split_strategy_by_idx set_split_strategy_by_size",
    ),
    Row("profiler.profiler", "tuning", exported=False, classes="Profiler"),
    Row(
        "scoped_graph_manager.scoped_graph_manager",
        "device",
        exported=False,
        classes="ScopedGraphManager",
    ),
)

MODULES = {
    "estimator.npu.npu_convert_dropout": "operators",
    "experimental": "operators",
    "image": "operators",
}
"""Modules that are missing as a whole, and the feature that they belong to."""
