"""The words of verdicts, of the report's summary and of `npu-lab`: English, Chinese."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "npu-lab": (
        "A lab for the sunk training loop of Ascend NPUs, without hardware.",
        "没有硬件也能学习昇腾 NPU 训练迭代循环下沉的实验工具。",
    ),
    "run": (
        "run an unchanged script on the emulated device and say what happened",
        "在模拟的 Device 上运行未经修改的脚本，并说明发生了什么",
    ),
    "run streams": (
        "Lines of npu-lab itself go to stderr; the script's output is its own.",
        "npu-lab 自己的信息写到 stderr；脚本的输出保持不变。",
    ),
    "--report": ("write what happened to FILE, as JSON", "以 JSON 把结果写入 FILE"),
    "--link-delay": (
        "wait this long at each host call (an injected figure)",
        "每次 Host 调用都等待这么久（人为注入的数值）",
    ),
    "log": ("judge a host log: was the loop built?", "判断 Host 日志：循环建立了吗？"),
    "log statuses": (
        "Exit status: 0 built, 1 not built, 3 cannot tell, 2 wrong usage.",
        "退出码：0 已建立，1 未建立，3 无法判断，2 用法错误。",
    ),
    "folder": (
        "log root, plog folder or file (default: as the environment says)",
        "日志根目录、plog 目录或文件（默认由环境变量决定）",
    ),
    "--pid": ("only the log of this process", "只看该进程的日志"),
    "--json": ("print the judgement as JSON", "以 JSON 打印判断结果"),
    "bad pid": ("--pid {pid}: no number of a process", "--pid {pid}：不是进程号"),
    "no script": ("{path}: no such script", "{path}：没有这个脚本"),
    "no folder": (
        "--report {path}: its folder does not exist or cannot be written",
        "--report {path}：其所在目录不存在或不可写",
    ),
    "not written": (
        "the report was not written: {problem}",
        "报告没有写成：{problem}",
    ),
    "redirected": (
        "{old} is not there or cannot be written; {new} is used instead",
        "{old} 不存在或不可写；改用 {new}",
    ),
    "calls": (
        "host calls {runs} (training {training}), device iterations {iterations},"
        " batches pulled {batches}",
        "Host 调用 {runs} 次（其中训练 {training} 次），Device 迭代 {iterations} 次，"
        "取数据 {batches} 批",
    ),
    "delay": ("delay {seconds:.3f} s (injected)", "延迟 {seconds:.3f} 秒（人为注入）"),
    "loop": (
        "{fetches}: loop {state}, iterations_per_loop {n}, data {data}",
        "{fetches}：循环{state}，iterations_per_loop {n}，数据{data}",
    ),
    "verdict": (
        "{fetches}: {state}, iterations_per_loop {n}, data {data}",
        "{fetches}：{state}，iterations_per_loop {n}，数据{data}",
    ),
    "evidence": (
        "host log: {answer}; markers {markers}, flow-control lines {flow}, keyword"
        " lines {keyword}",
        "Host 日志：{answer}；标志行 {markers}，流控行 {flow}，关键字行 {keyword}",
    ),
    "in effect": ("in effect", "已生效"),
    "not in effect": ("not in effect", "未生效"),
    "built, not effective": ("built, not effective", "已建立但未生效"),
    "fresh": ("fresh", "每次迭代更新"),
    "repeated": ("repeated", "重复"),
    "none": ("none", "无"),
    "built": ("built", "循环已建立"),
    "not built": ("not built", "循环未建立"),
    "cannot tell": ("cannot tell", "无法判断"),
}


def text(key: str, **facts: object) -> str:
    """The text `key` in the current language, with `facts` put in."""
    english, chinese = TEXTS[key]
    return (chinese if language.current() == "zh" else english).format(**facts)
