"""The texts of the extra, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from npu_lab import language

TEXTS = {
    "verdict": ("{head} [{mode}]", "{head} [{mode}]"),
    "loop size": (
        "{name}: the loop size must be an int of 1 or more, not {given!r}; it stays"
        " {size}.",
        "{name}：npu loop size 必须是大于等于 1 的整数，而不是 {given!r}；"
        "仍为 {size}。",
    ),
    "another device": (
        "Device {known} is open in this process, so device {wanted} cannot be opened: a"
        " process has one. Open the same id, or start another process.",
        "本进程已打开设备 {known}，不能再打开设备 {wanted}：每个进程只有一个设备。"
        "请打开同一个 id，或启动另一个进程。",
    ),
    "both sizes": (
        "RANK_SIZE and CM_WORKER_SIZE are both set; unset one of them.",
        "同时设置了 RANK_SIZE 与 CM_WORKER_SIZE，请取消其中一个。",
    ),
    "both ways": (
        "{workers} workers: CM_CHIEF_IP and RANK_TABLE_FILE are both set; use either"
        " the coordinator or the rank table.",
        "{workers} 个 worker：同时设置了 CM_CHIEF_IP 与"
        " RANK_TABLE_FILE，请只使用其中一种。",
    ),
    "no way": (
        "{workers} workers: set RANK_TABLE_FILE (with RANK_ID), or CM_CHIEF_IP with"
        " CM_CHIEF_PORT and CM_CHIEF_DEVICE.",
        "{workers} 个 worker：请设置 RANK_TABLE_FILE（及 RANK_ID），或 CM_CHIEF_IP、"
        "CM_CHIEF_PORT 与 CM_CHIEF_DEVICE。",
    ),
    "missing": (
        "{workers} workers: {name} must be set.",
        "{workers} 个 worker：必须设置 {name}。",
    ),
    "not distributed": (
        "{workers} workers, but npu_lab.extras.distributed, which trains on several, is"
        " not installed. Unset RANK_SIZE and CM_WORKER_SIZE to train on one.",
        "有 {workers} 个 worker，但未安装 npu_lab.extras.distributed。"
        "请取消 RANK_SIZE 与 CM_WORKER_SIZE，在单个设备上训练。",
    ),
    "no collectives": (
        "{name} needs npu_lab.extras.distributed, which is not installed.",
        "{name} 需要 npu_lab.extras.distributed，但未安装。",
    ),
    "not divisible": (
        "The global batch size {batch} must be a multiple of the {workers} workers.",
        "全局 batch size {batch} 必须是 worker 数 {workers} 的整数倍。",
    ),
    "not built": (
        "The Keras model {model} has no variables yet that could be broadcast; call"
        " model.build(input_shape), or begin it with an Input, before fit.",
        "Keras 模型 {model} 还没有可广播的变量；请在 fit 之前调用"
        " model.build(input_shape)，或以 Input 层开头。",
    ),
    "experimental scale": (
        "TensorFlow 2.21 has no"
        " tf.keras.mixed_precision.experimental.LossScaleOptimizer any more; use"
        " npu.train.optimizer.NpuLossScaleOptimizer.",
        "TensorFlow 2.21 已没有"
        " tf.keras.mixed_precision.experimental.LossScaleOptimizer，"
        "请使用 npu.train.optimizer.NpuLossScaleOptimizer。",
    ),
    "bundled digits": (
        "tf.keras.datasets.mnist: the bundled digits, {sizes}; nothing is downloaded."
        " For other digits give load_data the whole path of their mnist.npz.",
        "tf.keras.datasets.mnist：使用自带的手写数字，{sizes}，不下载任何内容。"
        "如需使用其他数据，请向 load_data 传入其 mnist.npz 的完整路径。",
    ),
    "no device": (
        'No device is active. Call npu_lab.activate(mode="tf2") first.',
        '没有激活的设备。请先调用 npu_lab.activate(mode="tf2")。',
    ),
    "run context": (
        "npu_run_context takes an npu.configs.run_context_options(), not a {given}.",
        "npu_run_context 的参数必须是 npu.configs.run_context_options()，"
        "而不是 {given}。",
    ),
    "sat mode": (
        "set_device_sat_mode takes 0 (saturation) or 1 (INF/NaN), not {given!r}.",
        "set_device_sat_mode 的参数必须是 0（饱和模式）或 1（INF/NaN 模式），"
        "而不是 {given!r}。",
    ),
    "no option": (
        "{where} has no option {name!r}. It has: {known}.",
        "{where} 没有选项 {name!r}。可用的选项：{known}。",
    ),
    "bad option": (
        "Option {name} does not take {given!r}; allowed are {allowed}.",
        "选项 {name} 不支持 {given!r}；可选值为 {allowed}。",
    ),
    "option late": (
        "Option {name} is set after the device was opened, and has no effect; set it"
        " before npu.open().",
        "选项 {name} 在打开设备之后设置，不起作用；请在 npu.open() 之前设置。",
    ),
    "both precisions": (
        "precision_mode and precision_mode_v2 are both set; set one of them",
        "同时设置了 precision_mode 与 precision_mode_v2，请只设置其中一个",
    ),
    "deprecated": (
        "Option {name} is deprecated and will be removed.",
        "选项 {name} 已废弃，后续版本会删除。",
    ),
    "deprecated for": (
        "Option {name} is deprecated and will be removed; use {instead}.",
        "选项 {name} 已废弃，后续版本会删除；请使用 {instead}。",
    ),
    "no iterator": (
        "no While consumes an iterator: the function is given no iterator",
        "没有消费迭代器的 While：函数没有迭代器输入",
    ),
    "no while": (
        "no While consumes the iterator: the function takes its batches outside of a"
        " loop",
        "没有消费迭代器的 While：函数在循环之外取 batch",
    ),
    "several whiles": (
        "its graph has {whiles} Whiles, not exactly one",
        "其图中有 {whiles} 个 While，而不是恰好一个",
    ),
    "returns": ("it returns a value", "它有返回值"),
    "unrelated": (
        "operations are neither the loop nor upstream of it: {unrelated}",
        "存在既不是循环、也不在循环上游的算子：{unrelated}",
    ),
    "unsupported": (
        "operations stay on the host (mix mode): {unsupported}",
        "存在不支持下沉的算子（混合计算）：{unsupported}",
    ),
    "unknown shapes": (
        "shapes are not static: {shapes}",
        "存在非静态的 shape：{shapes}",
    ),
    "between": ("; ", "；"),
}

text = language.teller(TEXTS)


def reasons(keys: Sequence[str], **facts: object) -> dict[str, str]:
    """The texts called `keys`, joined, in both languages: a fact of a diagnostic."""
    return {
        name: TEXTS["between"][place].join(
            TEXTS[k][place].format(**facts) for k in keys
        )
        for place, name in enumerate(("en", "zh"))
    }
