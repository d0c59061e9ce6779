"""Glossary and cheat sheet hold what the tables hold, in both languages."""

from __future__ import annotations

import dataclasses
import html

import pytest

from npu_lab import _texts, cli, lesson
from npu_lab.device.option_table import OPTIONS
from npu_lab.diagnostics import CATALOGUE
from npu_lab.hostlog import lines
from npu_lab.language import LANGUAGES
from tools import cheat_sheet


@pytest.fixture(params=LANGUAGES)
def language(request) -> str:
    return request.param


def sheet(language: str) -> str:
    return html.unescape(cheat_sheet.sheet(language))


def test_every_table_is_there(language: str) -> None:
    own = LANGUAGES.index(language)
    shown = sheet(language)
    for one in OPTIONS.values():
        line = f"<b>{one.key} .{one.field}</b> {(one.effect, one.effect_zh)[own]}"
        about_loop = not one.key.startswith(cheat_sheet.TUNING)
        assert (line in shown) == (bool(one.effect) and about_loop), one.key
    for code, entry in CATALOGUE.items():
        there = entry.severity == "error" or (
            entry.severity == "warning" and code < cheat_sheet.TRAINING
        )
        assert (f"<b>{code}</b> " in shown) == there, code
    for name, kind in lines.flow_control_operators(["IteratorGetNext"]):
        sign = " " if kind == "Variable" else ">"
        assert f"\n{sign} {name}, type:{kind}." in shown
    for name in (*cli.COMMANDS, *cli.EXTRAS):
        assert f"<b>npu-lab {name}</b> {_texts.TEXTS[name][own]}</li>" in shown
    code = {cell.name: cell for cell in lesson.read("02_device_loop")}["config"]
    for line in filter(None, code.source[language].splitlines()):
        assert line in shown
    assert "\n\n" not in shown.partition("<div")[2], "that would end the HTML"


def test_a_diagnostic_is_told_shortly_and_never_in_braces(language: str) -> None:
    for code, told in cheat_sheet._diagnostics(language):
        assert 3 < len(told) <= 130, code
        assert "{" not in told
        assert told.count("(") == told.count(")")


def test_what_changes_in_a_table_changes_here(language, monkeypatch) -> None:
    own = LANGUAGES.index(language)
    changed = dataclasses.replace(
        OPTIONS["graph_run_mode"], effect="an effect", effect_zh="效果"
    )
    monkeypatch.setattr(cheat_sheet, "OPTIONS", OPTIONS | {"graph_run_mode": changed})
    entry = dataclasses.replace(
        CATALOGUE["SINK012"],
        severity="error",
        message={"en": "A new case: more", "zh": "新情况：其他"},
    )
    monkeypatch.setattr(cheat_sheet, "CATALOGUE", CATALOGUE | {"SINK012": entry})
    shown = sheet(language)
    assert f"<b>graph_run_mode .i</b> {('an effect', '效果')[own]}" in shown
    assert f"<b>SINK012</b> {('A new case', '新情况')[own]}</li>" in shown


def test_the_glossary_has_a_row_for_each_term(language, monkeypatch, tmp_path) -> None:
    own = LANGUAGES.index(language)
    shown = cheat_sheet.glossary(language)
    rows = [line for line in shown.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(cheat_sheet.terms()) > 20
    assert rows == sorted(rows, key=str.casefold)
    for term in cheat_sheet.terms():
        (row,) = [row for row in rows if row.endswith(f" | {term.meaning[own]} |")]
        assert all(name in row for names in term.names for name in names)
    table = tmp_path / "terms.md"
    more = "| new word / newer word | 新词 | something new | 新事物 | 旧词 |\n"
    table.write_text(cheat_sheet.TERMS.read_text("utf-8") + more, "utf-8")
    monkeypatch.setattr(cheat_sheet, "TERMS", table)
    row = ("| new word, newer word | 新词 | something new |",
           "| 新词 | new word, newer word | 新事物 |")[own]  # fmt: skip
    assert row in cheat_sheet.glossary(language)
    assert ("<b>new word</b> 新词", "<b>新词</b> new word")[own] in sheet(language)
