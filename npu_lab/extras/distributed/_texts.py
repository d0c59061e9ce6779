"""What the extra says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "no file": {
        "en": "RANK_TABLE_FILE={path}: {reason}. Give the path of the rank table.",
        "zh": "RANK_TABLE_FILE={path}：{reason}。请给出 rank table 文件的路径。",
    },
    "no json": {
        "en": "{path} is no JSON: {reason}.",
        "zh": "{path} 不是 JSON：{reason}。",
    },
    "field": {
        "en": "{path}: {field} is {given}, but {rule}.",
        "zh": "{path}：{field} 为 {given}，但{rule}。",
    },
    "kind": {"en": "must be {kind}", "zh": "必须是 {kind}"},
    "status": {
        "en": 'must be "completed": the table is not ready before that',
        "zh": '必须是 "completed"，否则 rank table 尚未就绪',
    },
    "version": {
        "en": "must be one of {versions}, which are read here",
        "zh": "必须是 {versions} 之一，此处只读取这些版本",
    },
    "server count": {
        "en": "server_list has {count} servers",
        "zh": "server_list 中有 {count} 个 server",
    },
    "no devices": {
        "en": "a server needs at least one device",
        "zh": "每个 server 至少需要一个 device",
    },
    "number": {
        "en": 'must be a whole number of 0 or more as a string, such as "0"',
        "zh": '必须是大于等于 0 的整数字符串，例如 "0"',
    },
    "device": {
        "en": "a server has the devices 0 to {last}",
        "zh": "一个 server 的 device 为 0 到 {last}",
    },
    "twice": {
        "en": "{other} has the same: each needs its own",
        "zh": "{other} 与之相同，每个必须唯一",
    },
    "long": {
        "en": "may have at most {limit} characters",
        "zh": "最多 {limit} 个字符",
    },
    "address": {
        "en": "must be an IP address",
        "zh": "必须是 IP 地址",
    },
    "rank order": {
        "en": "rank_id must count from 0 without gaps, server by server; {expected} is"
        " missing",
        "zh": "rank_id 必须从 0 开始连续编号，且同一 server 的 rank 相邻；"
        "缺少 {expected}",
    },
    "apart": {
        "en": "the ranks of the server {server} must follow each other, server by"
        " server",
        "zh": "server {server} 的 rank 必须连续，即按 server 依次编号",
    },
    "port number": {
        "en": "a port is 1 to 65535",
        "zh": "端口必须为 1 到 65535",
    },
    "host ips": {
        "en": "{addresses} host_ip for {servers} servers: give one for each",
        "zh": "{servers} 个 server 却有 {addresses} 个 host_ip："
        "请为每个 server 给出一个",
    },
    "port version": {
        "en": "host_port is a field of version 1.2 only; with 1.0 set"
        " HCCL_IF_BASE_PORT",
        "zh": "host_port 只存在于 1.2 版本；使用 1.0 时请设置 HCCL_IF_BASE_PORT",
    },
    "new table": {"en": "the new table", "zh": "新的 rank table"},
    "unequal": {
        "en": "every server needs as many devices as the first, {count}",
        "zh": "每个 server 的 device 数量必须与第一个相同，即 {count}",
    },
    "variable": {
        "en": "{name} is {given}, but {rule}.",
        "zh": "{name} 为 {given}，但{rule}。",
    },
    "not set": {
        "en": "{name} is not set: {rule}.",
        "zh": "未设置 {name}：{rule}。",
    },
    "needed": {
        "en": "a job of {size} ranks needs it. With a rank table that is"
        " RANK_TABLE_FILE, RANK_ID, RANK_SIZE and JOB_ID, without one CM_CHIEF_IP,"
        " CM_CHIEF_PORT,"
        " CM_CHIEF_DEVICE, CM_WORKER_SIZE, CM_WORKER_IP, ASCEND_DEVICE_ID and JOB_ID",
        "zh": "{size} 个 rank 的作业需要它；使用 rank table 时需要"
        " RANK_TABLE_FILE、RANK_ID、RANK_SIZE 和 JOB_ID，不使用时需要"
        " CM_CHIEF_IP、CM_CHIEF_PORT、CM_CHIEF_DEVICE、CM_WORKER_SIZE、"
        "CM_WORKER_IP、ASCEND_DEVICE_ID 和 JOB_ID",
    },
    "both ways": {
        "en": "{ours} and {theirs} are both set: unset CM_* with a rank table, RANK_*"
        " without one.",
        "zh": "{ours} 和 {theirs} 同时设置：使用 rank table 时请取消 CM_*，"
        "不使用时请取消 RANK_* 和 RANK_TABLE_FILE。",
    },
    "whole": {
        "en": "must be a whole number from {least} to {most}",
        "zh": "必须是 {least} 到 {most} 的整数",
    },
    "seconds": {
        "en": "must be a number of seconds above 0",
        "zh": "必须是大于 0 的秒数",
    },
    "rank": {
        "en": "the ranks of {size} are 0 to {last}",
        "zh": "{size} 个 rank 的编号为 0 到 {last}",
    },
    "size": {
        "en": "{path} lists {count} devices",
        "zh": "{path} 中列出了 {count} 个 device",
    },
    "other device": {
        "en": "ASCEND_DEVICE_ID is {given}, but {path} gives rank {rank} the device"
        " {device}, which is used.",
        "zh": "ASCEND_DEVICE_ID 为 {given}，但 {path} 为 rank {rank} 指定了 device"
        " {device}，以后者为准。",
    },
    "port": {
        "en": "rank {rank} of {size}: the port {port} is taken ({reason}). End the"
        " process that has it, perhaps one of an earlier job, or set"
        " HCCL_IF_BASE_PORT, for all ranks alike, to where free ports begin.",
        "zh": "rank {rank}（共 {size} 个）：端口 {port} 已被占用（{reason}）。"
        "请结束占用它的进程（可能属于之前的作业），"
        "或者为所有 rank 将 HCCL_IF_BASE_PORT 设置为空闲端口的起点。",
    },
    "open": {
        "en": "npu-lab: rank {rank} of {size}: the ranks are on several servers."
        " TensorFlow listens on port {port} of all networks, without a password:"
        " whoever reaches it can run code here. Use a private network.",
        "zh": "npu-lab：rank {rank}（共 {size} 个）：各 rank 位于多个 server 上。"
        "TensorFlow 在所有网络接口的端口 {port} 上监听，没有任何认证："
        "能连接到该端口的人都可以在此运行代码。请使用专用网络。",
    },
    "waiting": {
        "en": "npu-lab: rank {rank} of {size} waits for {others}, {seconds:g} s at most"
        " (HCCL_CONNECT_TIMEOUT)",
        "zh": "npu-lab：rank {rank}（共 {size} 个）等待 {others}，最多 {seconds:g} 秒"
        "（HCCL_CONNECT_TIMEOUT）",
    },
    "never came": {
        "en": "rank {rank} of {size}: {others} did not start within {seconds:g} s"
        " (HCCL_CONNECT_TIMEOUT). Start all ranks, with the same table.",
        "zh": "rank {rank}（共 {size} 个）：{others} 未在 {seconds:g} 秒内启动"
        "（HCCL_CONNECT_TIMEOUT）。请用同一个 rank table 启动所有 rank。",
    },
    "no meeting": {
        "en": "CM_CHIEF_IP={ip}, CM_CHIEF_PORT={port}: the {size} ranks did not meet"
        " there within {seconds:g} s (HCCL_CONNECT_TIMEOUT). Start all; one of them"
        " needs CM_WORKER_IP and ASCEND_DEVICE_ID equal to CM_CHIEF_IP and"
        " CM_CHIEF_DEVICE.",
        "zh": "CM_CHIEF_IP={ip}，CM_CHIEF_PORT={port}：{size} 个 rank 未能在"
        " {seconds:g} 秒（HCCL_CONNECT_TIMEOUT）内全部会合。请启动所有 rank；"
        "其中一个的 CM_WORKER_IP 和 ASCEND_DEVICE_ID 必须等于 CM_CHIEF_IP 和"
        " CM_CHIEF_DEVICE。",
    },
    "one rank": {
        "en": "rank {rank} ({address})",
        "zh": "rank {rank}（{address}）",
    },
    "peer": {
        "en": "rank {rank} of {size}, step {step}: a peer did not take part in"
        " a collective within {seconds:g} s (hccl_timeout), or has ended. Every rank"
        " must run the same collectives, in the same order and equally often: look for"
        " a rank with fewer batches, with another graph, or with an error of its own."
        " Collectives of this run: {names}.",
        "zh": "rank {rank}（共 {size} 个），第 {step} 步："
        "其他 rank 未在 {seconds:g} 秒（hccl_timeout）内参与集合通信，或者已经结束。"
        "每个 rank 必须以相同的顺序、相同的次数执行相同的集合通信："
        "请检查是否有 rank 的 batch 较少、图不同或自身出错。"
        "本次执行的集合通信：{names}。",
    },
    "late": {
        "en": "rank {rank} of {size}: a peer did not take part in a collective within"
        " {seconds:g} s, or has ended. Every rank must run the same collectives, in the"
        " same order and equally often: look for a rank with fewer batches, with"
        " another function, or with an error of its own. This process can run no more"
        " collectives: start all ranks again.",
        "zh": "rank {rank}（共 {size} 个）："
        "其他 rank 未在 {seconds:g} 秒内参与集合通信，或者已经结束。"
        "每个 rank 必须以相同的顺序、相同的次数执行相同的集合通信："
        "请检查是否有 rank 的 batch 较少、函数不同或自身出错。"
        "本进程不能再执行集合通信：请重新启动所有 rank。",
    },
    "not covered": {
        "en": "The broadcast is of trainable variables only. These are not covered,"
        " and may differ between the ranks: {names}. Broadcast them yourself if they"
        " matter.",
        "zh": "广播只包含可训练变量。以下变量不在其中，各 rank 之间可能不同：{names}。"
        "如有需要，请自行广播。",
    },
    "not ready": {
        "en": "{name} error. ret[{code}]: the communication is not set up yet. Run"
        " npu_ops.initialize_system() in a session, or call init_resource(), first.",
        "zh": "{name} error. ret[{code}]：集合通信尚未初始化。"
        "请先在会话中运行 npu_ops.initialize_system()，或者调用 init_resource()。",
    },
    "group": {
        "en": "{name} error: the group {group} {rule}.",
        "zh": "{name} error：group {group} {rule}。",
    },
    "no group": {
        "en": "does not exist: create_group makes it, on each of its ranks",
        "zh": "不存在：请在其每个 rank 上用 create_group 创建",
    },
    "group exists": {"en": "exists already", "zh": "已经存在"},
    "world group": {
        "en": "holds all ranks, and can be neither made nor destroyed",
        "zh": "包含所有 rank，不能创建或销毁",
    },
    "group name": {
        "en": "needs a name of 1 to {limit} bytes",
        "zh": "的名称必须为 1 到 {limit} 字节",
    },
    "group ranks": {
        "en": "has rank_num {count} and rank_ids {ranks}, which must be as many"
        " ascending ranks of the {size}",
        "zh": "的 rank_num 为 {count}，rank_ids 为 {ranks}；"
        "必须是 {size} 个 rank 中同样多个、升序排列的编号",
    },
    "no member": {
        "en": "does not have rank {rank}",
        "zh": "不包含 rank {rank}",
    },
    "argument": {
        "en": "{name}: {argument} is {given}, but {rule}.",
        "zh": "{name}：{argument} 为 {given}，但{rule}。",
    },
    "one of": {"en": "must be one of {choices}", "zh": "必须是 {choices} 之一"},
    "dtype": {
        "en": "collectives here carry {choices}",
        "zh": "此处的集合通信支持 {choices}",
    },
    "scalar": {
        "en": "must have at least one dimension",
        "zh": "至少要有一个维度",
    },
    "vector": {"en": "must have one dimension", "zh": "必须是一维"},
    "known shape": {
        "en": "must be known in all dimensions",
        "zh": "每个维度都必须已知",
    },
    "counts": {
        "en": "{name}: recv_counts are not what the other ranks send to this one.",
        "zh": "{name}：recv_counts 与其他 rank 发送给本 rank 的数量不一致。",
    },
    "ascending": {
        "en": "must be ascending numbers of gradients, from 0 on",
        "zh": "必须是从 0 开始、升序排列的梯度编号",
    },
    "per cent": {
        "en": "must be at most 8 numbers of 0 or more that make 100",
        "zh": "必须是最多 8 个大于等于 0 的数，总和为 100",
    },
    "divides": {
        "en": "its first dimension must be known and divide by {size}",
        "zh": "第一个维度必须已知，并且能被 {size} 整除",
    },
    "a list": {"en": "must be a list of tensors", "zh": "必须是 tensor 的列表"},
    "group size": {
        "en": "the group {group} has {size} ranks",
        "zh": "group {group} 有 {size} 个 rank",
    },
    "no device": {
        "en": "NPUDistributedOptimizer: is_weight_update_sharding=True needs DEVICE_ID"
        " in the environment.",
        "zh": "NPUDistributedOptimizer：is_weight_update_sharding=True 需要设置环境变量"
        " DEVICE_ID。",
    },
    "few gradients": {
        "en": "NPUDistributedOptimizer: is_weight_update_sharding=True shares {count}"
        " gradients among {size} ranks; there must be at least as many.",
        "zh": "NPUDistributedOptimizer：is_weight_update_sharding=True 需要在 {size} 个"
        " rank 之间分配 {count} 个梯度，梯度数不能少于 rank 数。",
    },
    "strategy": {
        "en": 'must be "/cpu:0"',
        "zh": '必须是 "/cpu:0"',
    },
}

text = language.teller(TEXTS)
