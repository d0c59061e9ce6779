"""What the timeline over ranks says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "about": {
        "en": "Put the traces of all ranks of a job on one clock, and say which rank"
        " waited for which.",
        "zh": "把一个作业所有 rank 的 trace 放到同一时钟上，并说明哪个 rank 在等待。",
    },
    "TRACE": {
        "en": "the traces in the order of the ranks, or the folder of a job",
        "zh": "按 rank 顺序给出的 trace 文件，或作业的目录",
    },
    "--output": {
        "en": "write one trace of all ranks, which `npu-lab trace view` opens",
        "zh": "写出包含所有 rank 的 trace，可用 `npu-lab trace view` 打开",
    },
    "--picture": {"en": "write the picture, as SVG", "zh": "写出 SVG 图片"},
    "--steps": {
        "en": "show each step: how long each rank waited in it",
        "zh": "显示每一步中各 rank 等待了多久",
    },
    "no traces": {
        "en": "{path}: no rank_0.trace.json in this folder; record with"
        " `npu-lab launch --trace`, or `npu-lab run --trace` on each rank",
        "zh": "{path}：该目录中没有 rank_0.trace.json；请用 `npu-lab launch --trace`"
        " 或在每个 rank 上用 `npu-lab run --trace` 记录",
    },
    "one trace": {
        "en": "{count} trace: give those of two ranks or more",
        "zh": "只有 {count} 个 trace：请给出两个或更多 rank 的 trace",
    },
    "not ours": {
        "en": "{path} does not say when it was recorded: it is not a trace of"
        " `npu-lab run --trace`, or one of all ranks already",
        "zh": "{path} 没有记录时间起点：它不是 `npu-lab run --trace` 的 trace，"
        "或者已经是所有 rank 的合并 trace",
    },
    "no meetings": {
        "en": "the traces have no collective in common: either they are of different"
        " jobs, or the ranks ran none in training calls",
        "zh": "这些 trace 中没有共同的集合通信：它们可能属于不同作业，"
        "或者训练调用中没有集合通信",
    },
    "rank": {"en": "rank", "zh": "rank"},
    "step": {"en": "step", "zh": "步"},
    "headline": {
        "en": "{size} ranks, {steps} steps, {time} a step; {verdict}.",
        "zh": "{size} 个 rank，{steps} 步，每步 {time}；{verdict}。",
    },
    "straggler": {
        "en": "rank {rank} is the straggler: last in {last} of {steps} steps, the"
        " others wait {share} of the time",
        "zh": "rank {rank} 拖慢了其他 rank：{steps} 步中有 {last} 步最后到达，"
        "其他 rank 有 {share} 的时间在等待",
    },
    "no straggler": {
        "en": "no rank is a straggler",
        "zh": "没有哪个 rank 明显拖慢其他 rank",
    },
    "is straggler": {"en": "straggler", "zh": "最慢"},
    "data": {"en": "wait for data", "zh": "等待数据"},
    "compute": {"en": "compute", "zh": "计算"},
    "late": {"en": "wait for ranks", "zh": "等待其他 rank"},
    "meet": {"en": "collective", "zh": "集合通信"},
    "rest": {"en": "between steps", "zh": "步与步之间"},
    "call": {"en": "host call", "zh": "Host 调用"},
    "last": {"en": "came last", "zh": "最后到达"},
    "last came": {"en": "last rank", "zh": "最后到达的 rank"},
    "alt rank": {
        "en": "Rank {rank}, mean of a step: data {data}, compute {compute}, waiting for"
        " ranks {late}, collective {meet}.",
        "zh": "rank {rank} 每步平均：等待数据 {data}，计算 {compute}，"
        "等待其他 rank {late}，集合通信 {meet}。",
    },
    "alt shown": {
        "en": "Shown are steps {first} to {last}; below, how long each rank waited for"
        " the others in every step, {most} at most{cut}.",
        "zh": "图中为第 {first} 到 {last} 步；下方为每个 rank 在每一步中等待其他 rank"
        " 的时间，最多 {most}{cut}。",
    },
    "strip": {
        "en": "waiting for ranks in each of the {steps} steps (at most {most});"
        " framed: the steps above",
        "zh": "{steps} 步中每一步等待其他 rank 的时间（最多 {most}）；"
        "方框内为上方显示的步",
    },
    "cut": {"en": "; cut off at {top}", "zh": "；高于 {top} 的部分被截断"},
    "mark": {
        "en": "rank {rank}, step {step}: data {data}, compute {compute}, waiting for"
        " ranks {late}, collective {meet}",
        "zh": "rank {rank} 第 {step} 步：等待数据 {data}，计算 {compute}，"
        "等待其他 rank {late}，集合通信 {meet}",
    },
    "measured": {
        "en": "Measured on this computer, not on an NPU. A rank has come to a"
        " collective when all that it sends is there.",
        "zh": "在运行本工具的计算机上测得，不是 NPU 的数据。"
        "要发送的数据就绪时，rank 即到达集合通信。",
    },
    "measured more": {
        "en": "From then until the last rank has come it waits; what follows is"
        " TensorFlow's transport over gRPC, not HCCL.",
        "zh": "从到达到最后一个 rank 到达为等待时间；"
        "其后是 TensorFlow 基于 gRPC 的传输，不是 HCCL。",
    },
    "one clock": {
        "en": "All ranks read the clock of one host.",
        "zh": "所有 rank 使用同一 host 的时钟。",
    },
    "several clocks": {
        "en": "The hosts' clocks differ: against {first}, {offsets}. Estimated from the"
        " ends of common collectives; waiting times across hosts are uncertain by as"
        " much.",
        "zh": "各 host 的时钟不同：以 {first} 为准，{offsets}。"
        "由共同集合通信的结束时刻估计；跨 host 的等待时间也有同样的误差。",
    },
    "offset": {
        "en": "{host} is {offset} off (within {error})",
        "zh": "{host} 相差 {offset}（误差 {error} 以内）",
    },
    "no offset": {
        "en": "{host} unknown (it shares no all-reduce), taken as equal",
        "zh": "{host} 未知（没有共同的 all-reduce），按相同处理",
    },
    "shorter": {
        "en": "Rank {rank} recorded {own} collectives, others {most}: only common ones"
        " are compared.",
        "zh": "rank {rank} 记录了 {own} 次集合通信，其他 rank 最多 {most} 次："
        "只比较共同的部分。",
    },
    "written": {"en": "{path} written", "zh": "已写入 {path}"},
}

text = language.teller(TEXTS)
