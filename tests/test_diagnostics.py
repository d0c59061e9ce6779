"""The catalogue is an interface: codes, severities and facts are frozen here."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import pytest

from npu_lab import diagnostics, language
from npu_lab.diagnostics import CATALOGUE, Diagnostic, Entry, diagnose

if TYPE_CHECKING:
    from npu_lab.language import Language

# Codes up to SINK016 carry the meaning that the rules of the same number have in the
# collection of misuses of the loop: 001 original operation run, 004 fed data,
# 005 pre-processing off, 006 option without setter, 007 unequal numbers, 009 one-shot
# iterator, 010 mixed compute, 013 shapes; the checker alone says 002, 003, 008, 011,
# 012, 014, 015 and 016.
FROZEN = {
    "SINK001": ("error", ("option", "run")),
    "SINK002": ("error", ("loop",)),
    "SINK003": ("error", ("bound", "iterations")),
    "SINK004": ("warning", ("feeds", "iterations")),
    "SINK005": ("warning", ("get_next", "iterations")),
    "SINK006": ("error", ("loaded", "option")),
    "SINK007": ("warning", ("loaded", "option")),
    "SINK008": ("warning", ("iterations", "value", "what")),
    "SINK009": ("error", ("iterator", "option")),
    "SINK010": ("error", ("option",)),
    "SINK011": ("warning", ("iterations",)),
    "SINK012": ("info", ()),
    "SINK013": ("error", ("get_next", "shape")),
    "SINK014": ("error", ("frozen_by",)),
    "SINK015": ("info", ("option",)),
    "SINK016": ("error", ("missing",)),
    "SINK017": ("error", ("loaded", "option")),
    "SINK018": ("error", ("op", "option")),
    "SINK019": ("error", ("op", "option")),
    "SINK020": ("error", ("option",)),
    "SINK021": ("warning", ("option",)),
    "SINK022": ("warning", ("effective", "expected", "given", "key")),
    "SINK023": ("warning", ("key", "suggestion")),
    "SINK024": ("error", ("option",)),
    "SINK025": ("error", ("option",)),
    "SINK026": ("error", ("ops",)),
    "SINK027": ("warning", ("ops",)),
    "SINK028": ("warning", ("fetches", "iterations")),
    "SINK029": ("error", ("op",)),
    "SINK030": ("error", ("done", "get_next", "iterations")),
    "SINK031": ("info", ("done", "iterations")),
    "SINK032": ("error", ("value",)),
    "SINK033": ("info", ("door",)),
    "SINK034": ("error", ("variables",)),
    "SINK035": ("error", ("option",)),
    "SINK036": ("error", ("allowed", "key", "value", "vendor")),
    "SINK037": ("warning", ("allowed", "effective", "key", "value")),
    "SINK038": ("warning", ("get_next",)),
    "SINK039": ("warning", ("feeds", "iterations")),
    "SINK040": ("warning", ("variables",)),
    "SINK041": ("error", ("done", "enqueued", "get_next", "timeout")),
    "SINK042": ("error", ("option", "tables")),
    "SINK043": ("warning", ("fetches", "option")),
    "SINK044": ("error", ("variables",)),
    "SINK045": ("warning", ("broken", "iterations", "outcome")),
    "SINK046": ("warning", ("broken", "iterations", "outcome")),
    "SINK047": ("warning", ("broken", "iterations", "outcome")),
    "SINK048": ("warning", ("broken", "iterations", "outcome")),
    "SINK049": ("warning", ("broken", "iterations", "outcome")),
    "SINK050": ("info", ("batch", "global_batch", "ranks", "samples", "updates")),
    "SINK051": ("warning", ("variables",)),
    "SINK052": ("warning", ("variables",)),
    "SINK053": ("warning", ("iterations",)),
    "SINK058": ("info", ("fetches",)),
    "SINK059": ("info", ("model",)),
    "SINK060": ("warning", ("checkpoint", "model")),
    "SINK061": ("info", ("operators",)),
    "SINK062": ("warning", ("mode",)),
    "SINK063": ("warning", ("names",)),
    "SINK064": ("warning", ("what",)),
    "SINK065": ("info", ("folder", "operator", "step", "type")),
    "SINK067": ("warning", ("scale", "steps")),
    "SINK068": ("warning", ()),
    "SINK069": ("warning", ("given", "ranks")),
    "SINK077": ("warning", ("asked", "function", "size")),
    "SINK078": ("error", ("function", "get_next", "mode", "pushed", "taken")),
    "SINK079": ("warning", ("function", "pushed", "taken", "unread")),
    "SINK080": ("info", ("function", "reasons")),
    "SINK081": ("warning", ("function", "shapes", "size")),
    "SINK082": ("warning", ("function", "reasons", "size")),
    "SINK083": ("warning", ("count", "function")),
}
# What a reader must find in the message alone, in either language.
TOKENS = {
    "SINK001": ("iterations_per_loop",),
    "SINK004": ("feed_dict", "Dataset"),
    "SINK005": ("enable_data_pre_proc", "GetNext"),
    "SINK006": ("<option>", "<loaded>"),
    "SINK007": ("<option>", "<loaded>"),
    "SINK009": ("OneShotIterator", "make_initializable_iterator"),
    "SINK010": ("iterations_per_loop", "mix_compile_mode"),
    "SINK017": ("<option>", "<loaded>"),
    "SINK026": ("queue", "<ops>", "Dataset"),
    "SINK028": ("summary",),
    "SINK029": ("NpuOptimizer",),
    "SINK053": ("iterations_per_loop", "NPURunConfig", "Estimator"),
}
PARTS = ("message", "why", "mend")
ENTRIES = pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE.keys())
LANGUAGES = pytest.mark.parametrize("chosen", language.LANGUAGES)


def example(code: str) -> Diagnostic:
    return diagnose(code, **{name: f"<{name}>" for name in CATALOGUE[code].facts})


def test_the_table_is_frozen() -> None:
    table = {code: (entry.severity, entry.facts) for code, entry in CATALOGUE.items()}
    assert table == FROZEN
    assert list(table) == sorted(table)


@ENTRIES
def test_both_languages_use_the_same_facts(entry: Entry) -> None:
    for part in PARTS:
        texts = getattr(entry, part)
        assert set(texts) == set(language.LANGUAGES)
        english, chinese = (
            sorted(name for _, name, _, _ in Formatter().parse(texts[one]) if name)
            for one in ("en", "zh")
        )
        assert set(english) == set(chinese), part


@ENTRIES
@LANGUAGES
def test_every_text_says_something_in_its_language(
    entry: Entry, chosen: Language
) -> None:
    for part in PARTS:
        text = getattr(entry, part)[chosen]
        assert text == text.strip()
        assert len(text) > 9
        assert text[-1] in {"en": ".", "zh": "。."}[chosen]
        assert bool(re.search("[\u4e00-\u9fff]", text)) == (chosen == "zh"), text
        assert bool(re.search("[，。：；（）]", text)) <= (chosen == "zh"), text


@ENTRIES
@LANGUAGES
def test_a_rendered_text_holds_the_code_and_every_fact(
    entry: Entry, chosen: Language
) -> None:
    text = example(entry.code).text(chosen)
    assert text.startswith(f"{entry.code} ")
    assert "\n" not in text
    assert "{" not in text
    for name in entry.facts:
        assert f"<{name}>" in text


@pytest.mark.parametrize("code", TOKENS)
@LANGUAGES
def test_the_message_alone_names_what_it_must(
    monkeypatch: pytest.MonkeyPatch, code: str, chosen: Language
) -> None:
    monkeypatch.setenv(language.VARIABLE, chosen)
    message = example(code).message
    for token in TOKENS[code]:
        assert token in message


def test_the_language_is_that_of_the_moment_it_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = diagnose("SINK007", option=10, loaded=5)
    for chosen in language.LANGUAGES:
        monkeypatch.setenv(language.VARIABLE, chosen)
        assert str(found) == found.text() == found.text(chosen)
        for part in PARTS:
            assert getattr(found, part) in found.text(chosen)
    assert found.text("en") != found.text("zh")


def test_as_dict_is_what_a_report_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "en")
    found = diagnose("SINK004", feeds=("x:0", "y:0"), iterations=10)
    assert found.as_dict() == {
        "code": "SINK004",
        "severity": "warning",
        "message": found.message,
        "mend": found.mend,
    }
    assert "x:0, y:0" in found.message


@pytest.mark.parametrize(
    ("fact", "english", "chinese"),
    [
        (("a", "b"), "(a, b)", "a、b）"),
        (["a"], "(a)", "：a）"),
        ((), "((none))", "（无）"),
        ({"en": "one", "zh": "一"}, "(one)", "：一）"),
        ((None, 784), "((None, 784))", "(None, 784)"),
    ],
)
def test_how_a_fact_is_shown(fact: object, english: str, chinese: str) -> None:
    found = diagnose("SINK026", ops=fact)
    assert english in found.text("en")
    assert chinese in found.text("zh")


def test_an_unknown_code_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="SINK999"):
        diagnose("SINK999", option=1)


def test_missing_and_surplus_facts_are_named() -> None:
    with pytest.raises(TypeError, match=r"SINK007: missing: loaded; not needed: size"):
        diagnose("SINK007", option=10, size=3)
    with pytest.raises(TypeError, match=r"SINK007: missing: loaded, option\."):
        diagnose("SINK007")


def test_equal_diagnostics_are_one_in_a_set() -> None:
    facts = {"option": 10, "loaded": 5}
    first = Diagnostic("SINK007", facts)
    facts["loaded"] = 6
    assert first.facts == {"option": 10, "loaded": 5}
    same = diagnose("SINK007", loaded=5, option=10)
    assert len({first, same, Diagnostic("SINK007", facts)}) == 2


def test_the_warning_category_is_a_user_warning() -> None:
    assert issubclass(diagnostics.NpuLabWarning, UserWarning)


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_is_triggered_by_a_test(code: str) -> None:
    folder = Path(__file__).parent
    others = [p for p in folder.rglob("test_*.py") if p.name != Path(__file__).name]
    others += folder.glob("extras/check/snippets/*.txt")  # labelled with codes
    assert any(code in path.read_text("utf-8") for path in others)
