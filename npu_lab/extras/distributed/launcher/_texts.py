"""What the launcher says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from npu_lab import language

TEXTS: Mapping[str, Mapping[language.Language, str]] = {
    "launch": {
        "en": "Start SCRIPT as the ranks of one job on this computer, and watch them."
        " The first failure ends the others.",
        "zh": "在本机把 SCRIPT 作为一个作业的各个 rank 启动并监视。"
        "一个 rank 失败时结束其他 rank。",
    },
    "statuses": {
        "en": "Exit status: 0 all ranks ended well, 130 after Ctrl-C, 2 wrong usage or"
        " environment; else that of the rank that failed first.",
        "zh": "退出码：0 所有 rank 正常结束，130 被 Ctrl-C 中断，2 用法或环境错误；"
        "否则为最先失败的 rank 的退出码。",
    },
    "--ranks": {
        "en": "how many processes (default: as many as the table lists)",
        "zh": "进程个数（默认与 rank table 中的 device 个数相同）",
    },
    "--table": {
        "en": "use this rank table (default: RANK_TABLE_FILE, or one is written)",
        "zh": "使用该 rank table（默认为 RANK_TABLE_FILE，否则自动生成）",
    },
    "--folder": {
        "en": "write logs and reports into FOLDER (default: a temporary one)",
        "zh": "把日志和报告写入 FOLDER（默认为临时目录）",
    },
    "--report": {
        "en": "write what happened to all ranks to FILE, as JSON",
        "zh": "以 JSON 把所有 rank 的结果写入 FILE",
    },
    "joint": {
        "en": "the timeline of all ranks: npu-lab trace view {path}",
        "zh": "所有 rank 的时间线：npu-lab trace view {path}",
    },
    "--trace": {
        "en": "record a timeline of each rank, into the folder",
        "zh": "记录每个 rank 的时间线，写入上述目录",
    },
    "--connect-timeout": {
        "en": "how long a rank waits for the others to start (default:"
        " HCCL_CONNECT_TIMEOUT, or {least:g}, more with more than two ranks)",
        "zh": "rank 等待其他 rank 启动的时间（默认为 HCCL_CONNECT_TIMEOUT，"
        "否则为 {least:g}，rank 多于两个时更长）",
    },
    "--print-commands": {
        "en": "start nothing; print the lines for the shell of a real machine",
        "zh": "不启动任何进程；打印真实机器上的 shell 命令",
    },
    "no script": {"en": "{path}: no such script", "zh": "{path}：没有这个脚本"},
    "no folder": {
        "en": "--report {path}: its folder does not exist or cannot be written",
        "zh": "--report {path}：其所在目录不存在或不可写",
    },
    "no posix": {
        "en": "ranks are started on Linux and macOS only",
        "zh": "只能在 Linux 和 macOS 上启动 rank",
    },
    "ranks": {
        "en": "ranks is {given}, but must be a whole number from 1 to {most}, or left"
        " to a rank table.",
        "zh": "ranks 为 {given}，但必须是 1 到 {most} 的整数，或者由 rank table 决定。",
    },
    "size": {
        "en": "ranks is {ranks}, but {path} lists {count} devices.",
        "zh": "ranks 为 {ranks}，但 {path} 中列出了 {count} 个 device。",
    },
    "servers": {
        "en": "{path} has several servers, and only one is here. Start the ranks of"
        " each on it: --print-commands shows how.",
        "zh": "{path} 中有多个 server，而本机只是其中之一。请在每个 server 上启动"
        "各自的 rank：--print-commands 显示命令。",
    },
    "other value": {
        "en": "{name} is {given} in the environment, but {other} was asked for: unset"
        " it, or make them equal.",
        "zh": "环境变量 {name} 为 {given}，但要求的是 {other}：请取消该变量，"
        "或使两者相同。",
    },
    "coordinator": {
        "en": "{name} is {given} in the environment, but the ranks are started with a"
        " rank table: unset CM_*.",
        "zh": "环境变量 {name} 为 {given}，但 rank 使用 rank table 启动：请取消 CM_*。",
    },
    "for all": {
        "en": "{name} is {given} in the environment, but there are {size} ranks: unset"
        " it.",
        "zh": "环境变量 {name} 为 {given}，但共有 {size} 个 rank：请取消该变量。",
    },
    "for each": {
        "en": "{name} is {given} in the environment, but each of the {size} ranks needs"
        " its own, which it is given here: unset it.",
        "zh": "环境变量 {name} 为 {given}，但 {size} 个 rank 各需要不同的值，"
        "由启动器设置：请取消该变量。",
    },
    "port": {
        "en": "rank {rank}: the port {port} is taken ({reason}). End the process that"
        " has it, perhaps one of an earlier job, or unset HCCL_IF_BASE_PORT, and free"
        " ports are looked for.",
        "zh": "rank {rank}：端口 {port} 已被占用（{reason}）。"
        "请结束占用它的进程（可能属于之前的作业），或取消 HCCL_IF_BASE_PORT，"
        "由启动器寻找空闲端口。",
    },
    "table port": {
        "en": "rank {rank}: the port {port}, which is its host_port in {path}, is taken"
        " ({reason}). End the process that has it, perhaps one of an earlier job, or"
        " write another.",
        "zh": "rank {rank}：{path} 中为其指定的 host_port {port} 已被占用（{reason}）。"
        "请结束占用它的进程（可能属于之前的作业），或改用其他端口。",
    },
    "there already": {
        "en": "{path} is there already, and was not written by a launch: use it with"
        " --table, or take another folder.",
        "zh": "{path} 已经存在，且不是由启动器生成：请用 --table 使用它，"
        "或换一个目录。",
    },
    "started": {
        "en": "{size} ranks of {script}; logs and reports in {folder}",
        "zh": "{script} 的 {size} 个 rank；日志和报告位于 {folder}",
    },
    "stage 0": {"en": "starting", "zh": "启动中"},
    "stage 1": {"en": "running", "zh": "运行中"},
    "stage 2": {"en": "waiting for ranks", "zh": "等待其他 rank"},
    "stage 3": {"en": "running", "zh": "运行中"},
    "stage 4": {"en": "ending", "zh": "结束中"},
    "step": {"en": "step {steps}", "zh": "第 {steps} 步"},
    "ended": {"en": "ended", "zh": "结束"},
    "ok": {"en": "ok", "zh": "正常"},
    "status": {"en": "status {status}", "zh": "退出码 {status}"},
    "signal": {"en": "killed by {name}", "zh": "被 {name} 终止"},
    "stopped": {"en": "stopped", "zh": "被停止"},
    "never started": {"en": "not started", "zh": "未启动"},
    "rank": {"en": "rank", "zh": "rank"},
    "job": {"en": "job", "zh": "作业"},
    "steps": {"en": "steps", "zh": "步数"},
    "calls": {"en": "training calls", "zh": "训练调用"},
    "runs": {"en": "host calls", "zh": "Host 调用"},
    "batches": {"en": "batches", "zh": "batch 数"},
    "loop": {"en": "loop", "zh": "循环"},
    "in effect": {"en": "in effect, N {n}", "zh": "已生效，N {n}"},
    "not in effect": {"en": "not in effect, N {n}", "zh": "未生效，N {n}"},
    "well": {
        "en": "all {size} ranks ended well, in {seconds:.1f} s",
        "zh": "{size} 个 rank 全部正常结束，用时 {seconds:.1f} 秒",
    },
    "failed": {
        "en": "rank {rank} failed first, {where}: {what}",
        "zh": "rank {rank} 最先失败，{where}：{what}",
    },
    "interrupted": {
        "en": "ended by {name}, after {seconds:.1f} s",
        "zh": "{seconds:.1f} 秒后被 {name} 结束",
    },
    "before": {"en": "before its first step was done", "zh": "尚未完成第一步"},
    "after": {
        "en": "after step {steps} (training calls: {calls})",
        "zh": "在第 {steps} 步之后（训练调用 {calls} 次）",
    },
    "after that it told": {
        "en": "after step {steps} at least (training calls that had ended: {calls})",
        "zh": "至少在第 {steps} 步之后（已结束的训练调用 {calls} 次）",
    },
    "killed 9": {
        "en": "it was killed by SIGKILL (kill -9, or the system was out of memory)",
        "zh": "被 SIGKILL 终止（kill -9，或系统内存不足）",
    },
    "killed": {"en": "it was killed by {name}", "zh": "被 {name} 终止"},
    "with status": {
        "en": "it ended with status {status}",
        "zh": "以退出码 {status} 结束",
    },
    "last line": {
        "en": "{said}; its last line: {line}",
        "zh": "{said}；最后一行输出：{line}",
    },
    "left": {
        "en": "it ended (status {status}) without joining the others, which wait for"
        " it. Every rank must open its sessions.",
        "zh": "未加入其他 rank 就已结束（退出码 {status}），而其他 rank 在等待它。"
        "每个 rank 都必须打开会话。",
    },
    "then ended": {
        "en": "Rank {rank} had ended before, with status {status}, {where}.",
        "zh": "rank {rank} 在此之前已结束，退出码 {status}，{where}。",
    },
    "then behind": {
        "en": "Rank {rank} was still running, {where}; nothing more came from it for"
        " {seconds:.1f} s.",
        "zh": "rank {rank} 当时仍在运行，{where}；此后 {seconds:.1f} 秒没有进展。",
    },
    "end of log": {
        "en": "the end of {path}:",
        "zh": "{path} 的末尾：",
    },
    "not written": {
        "en": "the report was not written: {problem}",
        "zh": "报告没有写成：{problem}",
    },
    "by launcher": {
        "en": "ended by the launcher",
        "zh": "被启动器结束",
    },
    "commands": {
        "en": "On each server, in a shell: the rank table is the same everywhere; its"
        " device_ip is what hccn_tool -i N -ip -g says.",
        "zh": "在每个 server 的 shell 中执行；各处使用同一份 rank table，"
        "其中 device_ip 用 hccn_tool -i N -ip -g 查询。",
    },
    "commands table": {
        "en": "Write it for your machine first: npu-lab ranktable.",
        "zh": "请先为您的机器编写：npu-lab ranktable。",
    },
    "commands server": {"en": "server {server}", "zh": "server {server}"},
}

text = language.teller(TEXTS)
