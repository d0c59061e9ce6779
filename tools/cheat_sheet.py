"""The glossary and the cheat sheet of the book, from the tables the code works with.

The cheat sheet is one page of HTML that prints on one sheet of A4 (`static/book.css`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from npu_lab import _texts, cli, lesson
from npu_lab.device.option_table import OPTIONS
from npu_lab.diagnostics import CATALOGUE
from npu_lab.hostlog import lines
from npu_lab.hostlog.reader import KEYWORD, is_marker
from npu_lab.hostlog.writer import VARIABLES
from npu_lab.language import LANGUAGES, Language

TERMS = Path(__file__).resolve().parent.parent / "docs" / "terms.md"
# The lesson's cell that holds the lines which sink a loop.
CODE = ("02_device_loop", "config")
GET_NEXT = "IteratorGetNext"

TEXTS: dict[str, tuple[str, str]] = {
    "glossary": ("Glossary", "术语表"),
    "glossary about": (
        "The words of the course, and the Chinese ones of the vendor's documents.",
        "课程使用的术语，中文与厂商文档一致，并附英文。",
    ),
    "term": ("Term", "术语"),
    "other": ("Chinese", "英文"),
    "meaning": ("Meaning", "含义"),
    "sheet": ("npu_lab: cheat sheet", "npu_lab 速查表"),
    "sheet about": (
        "It prints on one page of A4: Ctrl+P.",
        "可打印为一页 A4：Ctrl+P。",
    ),
    "code": (
        "Sink the loop: N steps in one call",
        "训练迭代循环下沉：一次调用执行 N 个 step",
    ),
    "calls": (
        "Divide by N whatever counts calls. Every number of steps (checkpoint, summary,"
        " end) is a multiple of N. The count that is loaded is N-1.",
        "按调用计数的量都除以 N；各种步数（checkpoint、summary、总步数）应为 N 的"
        "整数倍；加载的次数是 N-1。",
    ),
    "log": (
        "The host log, in its order (> marker)",
        "Host 日志，按出现顺序（> 标志行）",
    ),
    "built": (
        "A loop is built if there are markers; the keyword alone proves nothing.",
        "有标志行才说明循环已构建，仅有关键字不能证明。",
    ),
    "options": ("Session options that decide", "起作用的会话配置参数"),
    "default": (" (default {value})", "（默认 {value}）"),
    "diagnostics": ("What is wrong, by code", "诊断信息"),
    "full": (
        "Why, and the mend: npu-lab check, or the page “Diagnostics”.",
        "原因和处理方法：npu-lab check，或参见“诊断信息”一页。",
    ),
    "variables": ("Variables of the log", "日志环境变量"),
    "commands": ("Commands", "命令"),
    "terms": ("Terms", "术语"),
}


@dataclass(frozen=True)
class Term:
    """A row of docs/terms.md: names and meaning, by language."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    meaning: tuple[str, str]


# Options for the last stages, which want a page of their own.
TUNING = ("precision", "modify", "customize", "enable_dump", "dump_", "profiling")
TRAINING = "SINK045"  # from here on: Estimators, ranks, tuning and TensorFlow 2


def terms() -> list[Term]:
    """The table of terms, in its order."""
    rows = re.findall(r"^\| (.*) \|$", TERMS.read_text("utf-8"), re.MULTILINE)[1:]
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    return [
        Term((tuple(row[0].split(" / ")), tuple(row[1].split(" / "))), (row[2], row[3]))
        for row in cells
    ]


def glossary(language: Language) -> str:
    """The page of terms in Markdown, sorted by the names in its language."""
    own = LANGUAGES.index(language)
    text = {key: both[own] for key, both in TEXTS.items()}
    rows = []
    for one in terms():
        names = (", ".join(one.names[0]), "、".join(one.names[1]))
        rows.append(f"{names[own]} | {names[1 - own]} | {one.meaning[own]}")
    head = f"| {text['term']} | {text['other']} | {text['meaning']} |\n|---|---|---|\n"
    table = "".join(f"| {row} |\n" for row in sorted(rows, key=str.casefold))
    return f"# {text['glossary']}\n\n{text['glossary about']}\n\n{head}{table}"


def sheet(language: Language) -> str:
    """The cheat sheet: a page in Markdown that is nearly all HTML."""
    own = LANGUAGES.index(language)
    text = {key: both[own] for key, both in TEXTS.items()}
    top = [
        _part(text["code"], _code(language), _line(text["calls"])),
        _part(text["log"], _log(), _line(text["built"])),
    ]
    names = ((one.names[own][0], one.names[1 - own][0]) for one in terms())
    rest = [
        _part(text["options"], _pairs(_options(own, text["default"]))),
        _part(text["diagnostics"], _line(text["full"]), _pairs(_diagnostics(language))),
        _part(text["variables"], _pairs(_variables(text["default"]))),
        _part(text["commands"], _pairs(_commands(own))),
        _part(text["terms"], _pairs(pair for pair in names if pair[0] != pair[1])),
    ]
    about = f"# {text['sheet']}\n\n{text['sheet about']}\n\n"
    panels = _panel("npu-lab-sheet-top", top) + _panel("npu-lab-sheet-rest", rest)
    return f"{about}{_panel('npu-lab-sheet', [panels])}"


def _panel(name: str, parts: Iterable[str]) -> str:
    return f'<div class="{name}">\n{"".join(parts)}</div>\n'


def _part(title: str, *content: str) -> str:
    # A blank line would end the HTML.
    inside = re.sub(r"\n{2,}", "\n", "\n".join(content))
    return f"<section>\n<h2>{_text(title)}</h2>\n{inside}\n</section>\n"


def _line(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    items = (f"<li><b>{_text(key)}</b> {_text(told)}</li>" for key, told in pairs)
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def _code(language: Language) -> str:
    name, cell_name = CODE
    (cell,) = [one for one in lesson.read(name) if one.name == cell_name]
    return f"<pre>{_text(cell.source[language])}</pre>"


def _log() -> str:
    """The keyword lines of one compiled graph with a loop, without their times."""
    shown = [lines.iteration(1, 10, need_iteration=True), f"{KEYWORD}, name:"]
    for name, kind in [lines.GLOBAL_STEP, *lines.flow_control_operators([GET_NEXT])]:
        shown.append(f"{'>' if is_marker(name) else ' '} {name}, type:{kind}.")
    return f"<pre>{_text(chr(10).join(shown))}</pre>"


def _options(own: int, default: str) -> Iterable[tuple[str, str]]:
    """Those that decide on the loop and its data; the book's page has all."""
    for one in OPTIONS.values():
        if one.effect and not one.key.startswith(TUNING):
            effect = (one.effect, one.effect_zh)[own]
            given = "" if one.default is None else default.format(value=one.default)
            yield f"{one.key} .{one.field}", f"{effect}{given}"


def _diagnostics(language: Language) -> Iterable[tuple[str, str]]:
    """Of each error, and each warning about the loop, the beginning of what it says."""
    for code, entry in CATALOGUE.items():
        if entry.severity == "error" or (
            entry.severity == "warning" and code < TRAINING
        ):
            said = entry.message[language].format(**dict.fromkeys(entry.facts, "…"))
            said = re.sub(r"^…[:：] ?", "", said)  # where it is says nothing here
            said = re.sub(r" ?[（(][^（）()]*[）)]", "", said)
            yield code, re.split(r"[:：;；。]|\.(?:\s|$)", said)[0]


def _variables(default: str) -> Iterable[tuple[str, str]]:
    for name, (allowed, value) in VARIABLES.items():
        yield name, f"{allowed[0]}-{allowed[-1]}{default.format(value=value)}"


def _commands(own: int) -> Iterable[tuple[str, str]]:
    for name in (*cli.COMMANDS, *cli.EXTRAS):
        yield f"npu-lab {name}", _texts.TEXTS[name][own]


def _text(text: str) -> str:
    return html.escape(text, quote=False)
