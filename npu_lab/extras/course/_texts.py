"""The words of `npu-lab course`: English, Chinese."""

from __future__ import annotations

from npu_lab import language

TEXTS: dict[str, tuple[str, str]] = {
    "about": (
        "Write the lessons into FOLDER/notebooks, Chinese ones into"
        " FOLDER/notebooks/zh, and open JupyterLab there. A notebook that is there"
        " already is kept as it is.",
        "将课程写入 FOLDER/notebooks（中文课程写入 FOLDER/notebooks/zh），"
        "然后在该目录打开 JupyterLab。已有的 Notebook 保持不变。",
    ),
    "FOLDER": (
        "where to put the lessons (default: npu_lab_course)",
        "存放课程的目录（默认 npu_lab_course）",
    ),
    "--no-open": ("do not start JupyterLab", "不启动 JupyterLab"),
    "written": (
        "{folder}: {written} notebooks written, {kept} kept",
        "{folder}：写入 {written} 个 Notebook，保留 {kept} 个",
    ),
    "no place": ("{path} cannot be written: {reason}", "无法写入 {path}：{reason}"),
    "open": ("open them with: jupyter lab {folder}", "打开课程：jupyter lab {folder}"),
}

text = language.teller(TEXTS)
