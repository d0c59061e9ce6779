"""The pages of the book that are written from tables and from files of docs/."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from npu_lab import cli, lesson, outline
from npu_lab.bridge.run_config_table import PARAMETERS
from npu_lab.device.option_table import OPTIONS
from npu_lab.diagnostics import CATALOGUE, Diagnostic
from npu_lab.extras.migrate.rules import CALL_RULES
from npu_lab.language import LANGUAGES, Language
from tools import cheat_sheet

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# What a program of the reader's may use, and where it is defined.
MODULES = (
    "npu_lab.activation",
    "npu_lab.device.device",
    "npu_lab.trace.ledger",
    "npu_lab.trace.verdict",
    "npu_lab.plan",
    "npu_lab.timing",
    "npu_lab.diagnostics",
    "npu_lab.hostlog",
    "npu_lab.datasets",
    "npu_lab.export",
)

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("Sinking the training loop", "训练迭代循环下沉"),
    "welcome": (
        "Learn to train TensorFlow scripts on Huawei Ascend NPUs, on a computer"
        " without one: the course and the reference of npu_lab. The lessons are"
        " notebooks; here they are shown with the outputs they have. To run them,"
        " see the project's README.",
        "在没有昇腾 NPU 的计算机上，学习在昇腾 NPU 上训练 TensorFlow 脚本："
        "这里是 npu_lab 的课程和参考。课程是 Notebook，"
        "本书展示其保存的输出；如需运行，请参见项目的 README。",
    ),
    "course": ("The course", "课程"),
    "reference": ("Reference", "参考"),
    "teaching": ("For the teacher", "教师用"),
    "teaching about": (
        "A page for each lesson: goal, minutes, the misconception it fights, what to"
        " demonstrate, what to ask.",
        "每课一页：目标、时间、要纠正的误解、现场演示和提问。",
    ),
    "lesson": ("Lesson", "课程"),
    "minutes": ("Minutes", "分钟"),
    "goals": ("You will be able to", "学完后能够"),
    "diagnostics": ("Diagnostics", "诊断信息"),
    "diagnostics about": (
        "One catalogue from which the device's verdicts, the checker, the migration"
        " report and the lessons speak. Words in braces are the facts of a case.",
        "Device 的判断、检查工具、迁移报告和课程都使用同一份诊断信息。"
        "花括号中是具体情况的内容。",
    ),
    "severity": ("Severity", "级别"),
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "info": ("info", "提示"),
    "why": ("Why", "原因"),
    "mend": ("Mend", "处理方法"),
    "options": ("Session options", "会话配置参数"),
    "options about": (
        "What `parameter_map` of NpuOptimizer takes. An option without an entry under"
        " “in the lab” is checked and recorded, and has no effect here.",
        "NpuOptimizer 的 `parameter_map` 支持的配置。"
        "“在实验环境中”一列为空的配置会被检查和记录，但不产生效果。"
        "含义一列为英文。",
    ),
    "key": ("Key", "名称"),
    "field": ("Field", "字段"),
    "default": ("Default", "默认值"),
    "meaning": ("Meaning", "含义"),
    "effect": ("In the lab", "在实验环境中"),
    "parameters": ("NPURunConfig", "NPURunConfig"),
    "parameters about": (
        "The parameters, in the vendor's order.",
        "全部参数，按厂商文档的顺序。含义一列为英文。",
    ),
    "rules": ("Migration rules", "迁移规则"),
    "rules about": (
        "What `npu-lab migrate` changes, and why. `npu-lab migrate --explain ID` prints"
        " one of them.",
        "`npu-lab migrate` 的修改内容及原因。`npu-lab migrate --explain ID`"
        " 显示其中一条。",
    ),
    "before": ("Before", "修改前"),
    "after": ("After", "修改后"),
    "source": ("Source", "来源"),
    "commands": ("Commands", "命令"),
    "commands about": (
        "As `npu-lab --help` and its kin print them.",
        "与 `npu-lab --help` 等命令的输出相同。",
    ),
    "api": ("The library", "Python 接口"),
    "api about": (
        "What a program may use. In a notebook `%load_ext npu_lab` comes first.",
        "程序可以使用的接口（说明为英文）。"
        "在 Notebook 中请先执行 `%load_ext npu_lab`。",
    ),
    "fidelity": ("What is faithful", "与硬件的一致性"),
}


def pages(language: Language) -> dict[str, str]:
    """All pages of a language, in Markdown, by name."""
    number = LANGUAGES.index(language)
    texts = {key: both[number] for key, both in TEXTS.items()}
    made = {
        "index": _index(texts, language),
        "reference/cheat_sheet": cheat_sheet.sheet(language),
        "reference/terms": cheat_sheet.glossary(language),
        "reference/diagnostics": _diagnostics(texts, language),
        "reference/options": _options(texts, number),
        "reference/run_config": _parameters(texts),
        "reference/migration_rules": _rules(texts, number),
        "reference/commands": _commands(texts, language),
        "reference/api": _api(texts),
        "reference/fidelity": (ROOT / "FIDELITY.md").read_text("utf-8"),
    }
    teaching = {
        f"teaching/{path.stem}": _half(path.read_text("utf-8"), number)
        for path in sorted((DOCS / "teaching").glob("*.md"))
    }
    about = f"# {texts['teaching']}\n\n{texts['teaching about']}\n\n"
    names = [name.removeprefix("teaching/") for name in teaching]
    made["teaching/index"] = about + _tree(names)
    return made | teaching


def _index(texts: dict[str, str], language: Language) -> str:
    reference = ["cheat_sheet", "terms", "diagnostics", "options", "run_config",
                 "migration_rules", "commands", "api", "fidelity"]  # fmt: skip
    head = [texts[key] for key in ("lesson", "minutes", "goals")]
    lessons = [f"lessons/{name}" for name in lesson.names()]
    return "\n\n".join(
        [
            f"# {texts['title']}",
            texts["welcome"],
            f"## {texts['course']}",
            f"| {' | '.join(head)} |\n|---|---|---|\n"
            + outline.rows(lesson.fronts(language), "lessons/"),
            _tree(lessons, texts["course"]),
            _tree([f"reference/{name}" for name in reference], texts["reference"]),
            _tree(["teaching/index"], texts["teaching"]),
        ]
    )


def _tree(names: Iterable[str], caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:maxdepth: 1\n{head}\n" + "\n".join(names) + "\n```\n"


def _half(text: str, number: int) -> str:
    """The English (0) or the Chinese (1) half of a page that has one title each."""
    return re.split(r"(?m)^(?=# )", text)[1:][number]


def _diagnostics(texts: dict[str, str], language: Language) -> str:
    parts = [f"# {texts['diagnostics']}", texts["diagnostics about"]]
    for code, entry in CATALOGUE.items():
        facts = {name: f"{{{name}}}" for name in entry.facts}
        case = Diagnostic(code, facts)
        message, why, mend = (
            _escaped(template[language].format(**facts))
            for template in (case.entry.message, case.entry.why, case.entry.mend)
        )
        parts += [
            f"## {code}",
            f"{texts['severity']}: {texts[entry.severity]}",
            message,
            f"**{texts['why']}.** {why}",
            f"**{texts['mend']}.** {mend}",
        ]
    return "\n\n".join(parts) + "\n"


def _options(texts: dict[str, str], number: int) -> str:
    rows = [
        (
            f"`{o.key}`",
            f"`.{o.field}`",
            _value(o.default),
            o.meaning,
            (o.effect, o.effect_zh)[number],
        )
        for o in OPTIONS.values()
    ]
    head = [texts[key] for key in ("key", "field", "default", "meaning", "effect")]
    return f"# {texts['options']}\n\n{texts['options about']}\n\n{_table(head, rows)}"


def _parameters(texts: dict[str, str]) -> str:
    rows = [(f"`{p.name}`", _value(p.default), p.meaning) for p in PARAMETERS]
    head = [texts[key] for key in ("key", "default", "meaning")]
    title = f"# {texts['parameters']}\n\n{texts['parameters about']}"
    return f"{title}\n\n{_table(head, rows)}"


def _rules(texts: dict[str, str], number: int) -> str:
    parts = [f"# {texts['rules']}", texts["rules about"]]
    for rule in sorted(CALL_RULES, key=lambda rule: rule.id):
        parts += [
            f"## {rule.id}",
            _escaped(rule.trigger),
            _escaped(rule.reason[number]),
        ]
        for key, code in (("before", rule.before), ("after", rule.after)):
            if code:
                parts.append(f"{texts[key]}:\n\n```python\n{code}\n```")
        parts.append(f"{texts['source']}: {_escaped(rule.source[number])}")
    return "\n\n".join(parts) + "\n"


def _commands(texts: dict[str, str], language: Language) -> str:
    parts = [f"# {texts['commands']}", texts["commands about"]]
    names = ["", *cli.COMMANDS, *cli.EXTRAS]
    for name in names:
        command = [sys.executable, "-m", "npu_lab", *([name] if name else []), "--help"]
        settings = {"NPU_LAB_LANG": language, "COLUMNS": "78", "PYTHONPATH": str(ROOT)}
        told = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | settings,
        ).stdout
        parts.append(
            f"## npu-lab {name}".rstrip() + f"\n\n```text\n{told.strip()}\n```"
        )
    return "\n\n".join(parts) + "\n"


def _api(texts: dict[str, str]) -> str:
    parts = [f"# {texts['api']}", texts["api about"]]
    parts += [
        f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```" for name in MODULES
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([one.replace("|", "\\|").replace("\n", " ") for one in li] for li in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _value(value: object) -> str:
    return "" if value is None else f"`{value!r}`"


def _escaped(text: str) -> str:
    """Text in which no character is Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)
