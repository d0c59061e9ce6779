"""What the extra says in notebooks, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "rank": {"en": "rank", "zh": "rank"},
    "ended": {"en": "ended", "zh": "结束"},
    "calls": {"en": "training calls", "zh": "训练调用"},
    "steps": {"en": "steps", "zh": "步数"},
    "batches": {"en": "batches", "zh": "batch 数"},
    "loop": {"en": "loop", "zh": "循环"},
    "in effect": {"en": "in effect", "zh": "生效"},
    "not in effect": {"en": "not in effect", "zh": "未生效"},
    "all": {"en": "in all", "zh": "合计"},
    "counted": {
        "en": "Counted by each process on this computer. What the ranks printed:",
        "zh": "由各进程在本机计数。各 rank 的输出：",
    },
    "counted alone": {
        "en": "Counted by each process on this computer.",
        "zh": "由各进程在本机计数。",
    },
    "end of log": {
        "en": "The end of the log of rank {rank}:",
        "zh": "rank {rank} 的日志末尾：",
    },
    "not printed": {
        "en": "Rank {rank} has printed no line that begins with: rank {rank} {word}",
        "zh": "rank {rank} 没有输出以 rank {rank} {word} 开头的行",
    },
    "not traced": {
        "en": "Rank {rank} has recorded no timeline: start the ranks with trace=True.",
        "zh": "rank {rank} 没有记录时间线：请使用 trace=True 启动。",
    },
    "predicted": {"en": "predicted", "zh": "预测"},
    "planned": {"en": "planned", "zh": "计划"},
    "calls caption": {
        "en": "Training calls. Predicted: for all ranks together. Planned:"
        " {steps} steps / N on each of {ranks} ranks. Then counted.",
        "zh": "训练调用次数。预测：所有 rank 合计。计划：{ranks} 个 rank，"
        "每个 {steps} 步 / N。其余为实际计数。",
    },
    "servers": {"en": "servers", "zh": "server 数"},
    "devices": {"en": "devices each", "zh": "每个的 device 数"},
    "mistake": {"en": "mistake", "zh": "错误"},
    "none": {"en": "none", "zh": "无"},
    "right": {
        "en": "Right. Ranks: {size}; servers: {servers}.",
        "zh": "正确。rank 数：{size}；server 数：{servers}。",
    },
    "environment": {
        "en": "The start of rank {rank}, as in a shell.",
        "zh": "rank {rank} 在 shell 中的启动方式。",
    },
    "table text": {
        "en": "[A form for a rank table: servers, devices, a mistake to try, a rank."
        " The next cell shows the same.]",
        "zh": "[资源配置文件的表单：server、device、可尝试的错误、rank。"
        "下一个单元显示同样的内容。]",
    },
    "shown": {
        "en": "rank_table.json for {servers} x {devices} devices",
        "zh": "{servers} x {devices} 个 device 的 rank_table.json",
    },
    "servers range": {
        "en": "servers must be from 1 to {most}, not {given}.",
        "zh": "servers 必须为 1 到 {most}，不能是 {given}。",
    },
    "devices range": {
        "en": "devices must be from 1 to {most}, not {given}.",
        "zh": "devices 必须为 1 到 {most}，不能是 {given}。",
    },
    "rank range": {
        "en": "rank must be from 0 to {most}, not {given}.",
        "zh": "rank 必须为 0 到 {most}，不能是 {given}。",
    },
    "mistake choice": {
        "en": "mistake must be one of {choices}, not {given}.",
        "zh": "mistake 必须是 {choices} 之一，不能是 {given}。",
    },
}

say = language.teller(TEXTS)
