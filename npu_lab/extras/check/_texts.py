"""The words of `npu-lab check`: English, Chinese."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "about": (
        "Will this loop sink? Reads Python files and notebooks without running them."
        " Exit status: 0 nothing wrong, 1 an error or a warning, or a file that cannot"
        " be read, 2 wrong usage. What is only possible, and infos, do not count.",
        "循环能下沉吗？检查 Python 文件和 Notebook，不运行程序。"
        "退出码：0 没有问题，1 有错误、警告或无法读取的文件，2 用法错误。"
        "可能的问题和提示不影响退出码。",
    ),
    "ignore": (
        "A comment on the line, or alone above it, silences a finding:"
        " # npu-lab: ignore[SINK004] the reason",
        "在该行或其上一行写注释可忽略一项问题：# npu-lab: ignore[SINK004] 原因",
    ),
    "PATH": ("a Python file, a notebook or a folder", "Python 文件、Notebook 或目录"),
    "--json": ("print the result as JSON", "以 JSON 打印结果"),
    "no path": ("{path}: no such file or folder", "{path}：没有这个文件或目录"),
    "possible": ("possible {kind}", "可能的{kind}"),
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "info": ("info", "提示"),
    "not checked": ("{place}: not checked: {reason}", "{place}：没有检查：{reason}"),
    "syntax": ("this is no Python 3: {detail}", "不是 Python 3 程序：{detail}"),
    "python 2": (
        "this is Python 2, convert it first: {detail}",
        "这是 Python 2 程序，请先转换：{detail}",
    ),
    "encoding": ("unknown or wrong encoding: {detail}", "编码未知或有误：{detail}"),
    "too deep": ("it is nested too deeply", "嵌套过深"),
    "not a notebook": ("this is no notebook: {detail}", "不是 Notebook：{detail}"),
    "unreadable": ("it cannot be read: {detail}", "无法读取：{detail}"),
    "no reason": (
        "{place}: this ignore comment gives no reason and silences nothing",
        "{place}：此 ignore 注释没有写明原因，不生效",
    ),
    "summary": (
        "files {files}, findings {sure}, possible {possible}, ignored {ignored}",
        "文件 {files} 个，问题 {sure} 项，可能的问题 {possible} 项，"
        "已忽略 {ignored} 项",
    ),
}

text = language.teller(TEXTS)
