"""The words of widgets, tables and exercise feedback: English, Chinese.

Text inside a figure is not here: it is English and short in both languages, as no
Chinese font can be presumed.
"""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, dict[str, str]] = {
    # The line that %load_ext prints
    "ready": {
        "en": "npu_lab {npu_lab} is ready: TensorFlow {tensorflow} with the 1.15 view,"
        " ipywidgets {ipywidgets}, host log level {level}",
        "zh": "npu_lab {npu_lab} 已就绪：TensorFlow {tensorflow}（1.15 视图），"
        "ipywidgets {ipywidgets}，Host日志级别 {level}",
    },
    "tensorflow late": {
        "en": "npu_lab {npu_lab} is active, but TensorFlow {tensorflow} was imported"
        " before it: what it prints at start-up could not be held back, and Keras may"
        " be version 3. Restart the kernel and run %load_ext npu_lab first.",
        "zh": "npu_lab {npu_lab} 已启用，但 TensorFlow {tensorflow} 在其之前已被导入："
        "无法拦截其启动信息，Keras 可能是版本 3。请重启内核，并先运行"
        " %load_ext npu_lab。",
    },
    "level late": {
        "en": "npu_lab {npu_lab} is active with host log level {level}:"
        " ASCEND_GLOBAL_LOG_LEVEL={asked} was set too late, the level is read once, at"
        " the start. Restart the kernel and set it before %load_ext npu_lab.",
        "zh": "npu_lab {npu_lab} 已启用，Host日志级别为 {level}："
        "ASCEND_GLOBAL_LOG_LEVEL={asked} 设置得太晚，日志级别只在启动时读取一次。"
        "请重启内核，并在 %load_ext npu_lab 之前设置。",
    },
    "not ready": {
        "en": "npu_lab could not be activated. {reason}",
        "zh": "npu_lab 无法启用。{reason}",
    },
    # Tables
    "N": {"en": "N", "zh": "N"},
    "round trips": {"en": "round trips", "zh": "Host与Device交互次数"},
    "device iterations": {
        "en": "steps inside device loops",
        "zh": "Device侧循环内的步数",
    },
    "batches": {"en": "batches pulled", "zh": "取用的batch数"},
    "median": {"en": "time per step, median", "zh": "单步耗时（中位数）"},
    "range": {"en": "fastest to slowest", "zh": "最快到最慢"},
    "delay": {"en": "injected per round trip", "zh": "每次交互注入的等待"},
    "none": {"en": "none", "zh": "无"},
    "counted": {
        "en": "Counted by the ledger: {steps} training steps at each N.",
        "zh": "由账本计数：每个 N 各 {steps} 个训练步。",
    },
    "timed": {
        "en": "Time measured on this computer: {repeats} repeats of {steps} steps.",
        "zh": "耗时在本机测得：{repeats} 次重复，每次 {steps} 步。",
    },
    # The slider
    "slider label": {
        "en": "iterations_per_loop (N)",
        "zh": "iterations_per_loop（N）",
    },
    "slider text": {
        "en": "[A slider over iterations_per_loop: {choices}. It needs a running"
        " kernel; the next cell shows the same as figure and table.]",
        "zh": "[iterations_per_loop 滑块：{choices}。需要内核正在运行；"
        "下一个单元以图和表给出同样的内容。]",
    },
    "measuring": {
        "en": "Measuring N = {n} ...",
        "zh": "正在测量 N = {n} ……",
    },
    "measured": {
        "en": "Measured N = {n}. Move the slider (mouse or arrow keys); while another"
        " cell runs, it waits.",
        "zh": "已测量 N = {n}。请移动滑块（鼠标或方向键）；其他单元运行时会等待。",
    },
    "interrupted": {
        "en": "Interrupted. Move the slider to measure again.",
        "zh": "已中断。移动滑块可重新测量。",
    },
    "failed": {
        "en": "N = {n} could not be measured. {reason}",
        "zh": "无法测量 N = {n}。{reason}",
    },
    # Exercises
    "not attempted": {"en": "not attempted", "zh": "未作答"},
    "wrong": {"en": "not yet right", "zh": "还不对"},
    "right": {"en": "right", "zh": "正确"},
    "replace": {
        "en": "Replace every ____ in the cell and run it: running it is the check.",
        "zh": "请替换单元中的每个 ____ 并运行：运行即检查。",
    },
    "one left": {
        "en": "One ____ is left: replace it and run the cell again.",
        "zh": "还剩一个 ____：请替换后重新运行单元。",
    },
    "exercise": {
        "en": "Exercise: {name} - {state}",
        "zh": "练习：{name} - {state}",
    },
    "feedback": {
        "en": "{sign} {title}. {message}",
        "zh": "{sign} {title}。{message}",
    },
    "hint": {"en": "Hint {number}", "zh": "提示 {number}"},
    "solution": {"en": "Solution", "zh": "答案"},
    "raised": {
        "en": "Your code stopped with {error}: {message}",
        "zh": "代码因 {error} 停止：{message}",
    },
    # Diagnostics
    "note": {"en": "{severity}: {text}", "zh": "{severity}：{text}"},
    "error": {"en": "error", "zh": "错误"},
    "warning": {"en": "warning", "zh": "警告"},
    "info": {"en": "note", "zh": "说明"},
}


def say(key: str, /, **facts: object) -> str:
    """The text `key` in the current language, with its facts filled in."""
    return TEXTS[key][language.current()].format(**facts)
