"""What `npu-lab ranktable` says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "about": {
        "en": "Write, check and explain a rank table (RANK_TABLE_FILE). Exit status: 0"
        " all is well, 1 the table has faults, 2 wrong usage.",
        "zh": "生成、检查并说明 rank table（RANK_TABLE_FILE）。"
        "退出码：0 正常，1 rank table 有错误，2 用法错误。",
    },
    "write": {"en": "write a correct table", "zh": "生成一个正确的 rank table"},
    "check": {
        "en": "name every fault of a table, with its field and value",
        "zh": "指出 rank table 的每一处错误、所在字段及其取值",
    },
    "explain": {
        "en": "say what each field means, where each rank runs, and what to export",
        "zh": "说明每个字段的含义、每个 rank 的运行位置以及要设置的环境变量",
    },
    "FILE": {"en": "the rank table", "zh": "rank table 文件"},
    "to": {
        "en": "write to FILE (default: to the terminal)",
        "zh": "写入 FILE（默认输出到终端）",
    },
    "--servers": {"en": "how many servers (1)", "zh": "server 数量（1）"},
    "--devices": {
        "en": "how many devices of each server, from device 0 on (2)",
        "zh": "每个 server 的 device 数量，从 device 0 开始（2）",
    },
    "--server-ids": {
        "en": "their ids, with commas between; best their IP addresses",
        "zh": "各 server 的 server_id，用逗号分隔，建议使用 IP 地址",
    },
    "--host-ips": {
        "en": "their IP addresses, with commas between, where the ids are none",
        "zh": "各 server 的 IP 地址，用逗号分隔，在 server_id 不是 IP 地址时使用",
    },
    "--version": {
        "en": 'of the table: "1.0", or "1.2" of super pods',
        "zh": 'rank table 的版本："1.0"，或用于超节点的 "1.2"',
    },
    "--host-port": {
        "en": "the port of rank 0, the others count on from it (version 1.2 only;"
        " default: as HCCL_IF_BASE_PORT says)",
        "zh": "rank 0 的端口，其他 rank 依次递增（仅 1.2 版本；"
        "默认由 HCCL_IF_BASE_PORT 决定）",
    },
    "count": {
        "en": "--servers is {servers}, but --server-ids names {ids}: {listed}",
        "zh": "--servers 为 {servers}，但 --server-ids 给出了 {ids} 个：{listed}",
    },
    "at least one": {
        "en": "{option} is {given}, but must be 1 or more",
        "zh": "{option} 为 {given}，但必须大于等于 1",
    },
    "no file": {"en": "{path}: no such file", "zh": "{path}：没有这个文件"},
    "not written": {
        "en": "{path}: the table was not written: {problem}",
        "zh": "{path}：rank table 没有写成：{problem}",
    },
    "written": {
        "en": "{path}: ranks {first} to {last} on {servers} server(s)",
        "zh": "{path}：{servers} 个 server，rank {first} 到 {last}",
    },
    "by name": {
        "en": "the servers find each other by their server_id as a host name ({ids});"
        " --host-ips gives addresses instead",
        "zh": "各 server 以 server_id 作为主机名互相查找（{ids}）；"
        "可以用 --host-ips 给出地址",
    },
    "faults": {"en": "{path}: {count} fault(s)", "zh": "{path}：{count} 处错误"},
    "correct": {
        "en": "{path}: correct: version {version}, {size} rank(s) on {servers}"
        " server(s)",
        "zh": "{path}：正确：版本 {version}，{servers} 个 server，{size} 个 rank",
    },
    "not checked": {
        "en": "Whether the servers, devices and addresses exist is not checked.",
        "zh": "不检查 server、device 和 IP 地址是否真实存在。",
    },
    "fields": {"en": "What the fields mean", "zh": "各字段的含义"},
    "where": {"en": "Which rank runs where", "zh": "每个 rank 的运行位置"},
    "shell": {
        "en": "What to export before the script is started, once for each rank",
        "zh": "启动脚本前要设置的环境变量，每个 rank 各一次",
    },
    "rank": {"en": "rank", "zh": "rank"},
    "server": {"en": "server", "zh": "server"},
    "device": {"en": "device", "zh": "device"},
    "device_ip": {"en": "device_ip", "zh": "device_ip"},
    "address": {"en": "address in the lab", "zh": "实验工具中的地址"},
    "of rank": {
        "en": "# rank {rank}, on {server}",
        "zh": "# rank {rank}，在 {server} 上",
    },
    "field status": {
        "en": 'whether the table is ready: "completed", or "initializing" before that',
        "zh": 'rank table 是否就绪："completed" 表示可用，"initializing" 表示尚不可用',
    },
    "field version": {
        "en": 'the format: "1.0", or "1.2" with super pods',
        "zh": '格式版本："1.0"，或带超节点信息的 "1.2"',
    },
    "field server_count": {
        "en": "how many servers are listed, as a string",
        "zh": "server_list 中 server 的数量（字符串）",
    },
    "field server_list": {"en": "the servers", "zh": "server 列表"},
    "field server_list[].server_id": {
        "en": "the server's name, at most 64 characters, and unlike all others; best"
        " its IP address",
        "zh": "server 的标识，最多 64 个字符，不能重复，建议使用 IP 地址",
    },
    "field server_list[].host_ip": {
        "en": "the address of the host itself; the lab's ranks reach each other there",
        "zh": "host 网卡的 IP 地址；实验工具的各 rank 通过它互相连接",
    },
    "field server_list[].device": {
        "en": "the devices of this server that take part: as many on each server",
        "zh": "该 server 上参与训练的 device，每个 server 数量相同",
    },
    "field server_list[].device[].device_id": {
        "en": "which device of its server; it counts before ASCEND_DEVICE_ID",
        "zh": "该 server 上的 device 编号，优先于 ASCEND_DEVICE_ID",
    },
    "field server_list[].device[].device_ip": {
        "en": "the address of the device's own network port; checked here, not used",
        "zh": "device 网卡的 IP 地址；实验工具只检查，不使用",
    },
    "field server_list[].device[].rank_id": {
        "en": "the rank whose process has this device: from 0 without gaps, server by"
        " server; RANK_ID names it",
        "zh": "使用该 device 的进程的 rank 编号：从 0 开始连续编号，"
        "同一 server 的 rank 相邻；由 RANK_ID 指定",
    },
    "field server_list[].device[].super_device_id": {
        "en": "the device's number in its super pod; not used here",
        "zh": "device 在超节点内的编号；实验工具不使用",
    },
    "field server_list[].device[].host_port": {
        "en": "the port of this rank's process; without it HCCL_IF_BASE_PORT + device",
        "zh": "该 rank 进程在 host 上的端口；没有时为 HCCL_IF_BASE_PORT + device 编号",
    },
    "field super_pod_list": {
        "en": "which servers make a super pod; not used here",
        "zh": "每个超节点包含的 server；实验工具不使用",
    },
    "unknown": {"en": "not known here; of no effect", "zh": "未知字段，不起作用"},
}


def text(key: str, **facts: object) -> str:
    """The text `key` in the current language."""
    return TEXTS[key][language.current()].format(**facts)
