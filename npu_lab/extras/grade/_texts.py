"""The words of `npu-lab grade`: English, Chinese."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "about": (
        "Grade collected notebooks: each is run in a process of its own, and the"
        " course's own checkers judge the answers. The result is a CSV file with a row"
        " for each exercise and question.",
        "批改收集的 Notebook：每个 Notebook 在独立的进程中运行，"
        "由课程自带的检查函数判断答案。结果是一个 CSV 文件，每道练习和测验题一行。",
    ),
    "caution": (
        "This runs the learners' code with your rights: use an account or a container"
        " that has nothing to lose. Exit status: 0 all were graded, 1 some could not"
        " be, 2 wrong usage.",
        "注意：本命令以您的权限运行学员的代码，"
        "请使用没有重要数据的账号或容器。退出码：0 全部已批改，"
        "1 有 Notebook 无法批改，2 用法错误。",
    ),
    "FOLDER": (
        "the collected notebooks; those of a subfolder belong to the learner whose"
        " name it has",
        "收集的 Notebook 所在目录；子目录中的 Notebook 属于与子目录同名的学员",
    ),
    "--output": ("the CSV file (default: grades.csv)", "CSV 文件（默认 grades.csv）"),
    "--timeout": (
        "seconds that a notebook may take (default: 300)",
        "每个 Notebook 最多运行的秒数（默认 300）",
    ),
    "no folder": ("{path} is no folder", "{path} 不是目录"),
    "no notebooks": ("{path} holds no notebook", "{path} 中没有 Notebook"),
    "no place": ("{path} cannot be written: {reason}", "无法写入 {path}：{reason}"),
    "bad timeout": ("{value}: not a number above 0", "{value}：不是大于 0 的数"),
    "not a notebook": ("cannot be read: {reason}", "无法读取：{reason}"),
    "no lesson": (
        "is no lesson of this course: neither its name nor its cells say which",
        "不是本课程的 Notebook：文件名和单元格都无法对应任何一课",
    ),
    "too long": (
        "stopped after {seconds:g} s; what came before it is graded",
        "运行 {seconds:g} 秒后已停止；此前的内容已批改",
    ),
    "died": (
        "its process ended with status {status}; what came before it is graded",
        "进程以退出码 {status} 结束；此前的内容已批改",
    ),
    "not reached": ("not reached", "未运行到"),
    "cell failed": (
        "the cell stopped before the check: {error}",
        "单元格在检查之前出错：{error}",
    ),
    "graded": (
        "{path}: {right} of {count} right",
        "{path}：{count} 题中 {right} 题正确",
    ),
    "written": ("{path}: {count} rows", "{path}：{count} 行"),
}

text = language.teller(TEXTS)
