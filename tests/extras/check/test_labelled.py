"""What the checker says of the labelled programs, and of their other forms."""

from __future__ import annotations

import inspect
import re

import pytest

pytest.importorskip("libcst")

from npu_lab.diagnostics import CATALOGUE
from npu_lab.extras.check import check_source
from npu_lab.extras.check.rules import RULES, data, estimators, loops, options, setters
from npu_lab.language import LANGUAGES
from tests.extras.check import labelled
from tests.extras.check.forms import FORMS
from tests.extras.check.labelled import Snippet, score

SNIPPETS = list(labelled.snippets())
THEMES = (data, estimators, loops, options, setters)


def test_the_set_is_large_and_its_titles_differ():
    assert len(SNIPPETS) >= 80
    assert len({one.title for one in SNIPPETS}) == len(SNIPPETS)
    assert sum(not one.labels for one in SNIPPETS) >= 40


def test_precision_and_recall():
    counted = score(SNIPPETS)
    assert counted.precision == 1.0
    assert counted.recall >= 0.9


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda one: one.title)
def test_each_line_is_said_of_what_is_labelled(snippet):
    assert snippet.found() == snippet.labels


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda one: one.title)
@pytest.mark.parametrize("chosen", LANGUAGES)
def test_every_finding_can_be_read(snippet, chosen):
    for one in check_source(snippet.text).findings:
        text = one.diagnostic.text(chosen)
        assert not re.search(r"[{}]|#\d|<.*(object|function)", text), text


@pytest.mark.parametrize("form", FORMS, ids=lambda one: one.__name__)
def test_another_form_changes_nothing(form):
    changed = 0
    for snippet in SNIPPETS:
        other = form(snippet)
        changed += other.text != snippet.text
        assert other.found() == other.labels, other.title
    assert changed > 30


@pytest.mark.parametrize("rule", RULES, ids=lambda one: one.look.__name__)
def test_each_code_of_a_rule_is_in_the_catalogue_and_labelled(rule):
    labels = {code for one in SNIPPETS for _, code, _ in one.labels}
    assert set(rule.codes) <= set(CATALOGUE)
    assert set(rule.codes) <= labels
    assert rule.trigger
    assert rule.source


@pytest.mark.parametrize("theme", THEMES, ids=lambda one: one.__name__)
def test_every_rule_that_is_written_looks(theme):
    written = {
        function
        for name, function in inspect.getmembers(theme, inspect.isfunction)
        if function.__module__ == theme.__name__
        and not name.startswith("_")
        and "world" in inspect.signature(function).parameters
    }
    assert written == {rule.look for rule in theme.RULES}
    assert set(theme.RULES) <= set(RULES)


def test_the_rules_cover_the_known_misuses():
    codes = {code for rule in RULES for code in rule.codes}
    assert {f"SINK{number:03}" for number in range(1, 17)} <= codes


def test_a_wrong_finding_and_a_missed_label_are_counted():
    text = "config = NPURunConfig(iterations_per_loop=0)\n"
    silent = Snippet("silent", text, frozenset())
    elsewhere = Snippet("elsewhere", text, frozenset({(2, "SINK032", False)}))
    right = Snippet("right", text, frozenset({(1, "SINK032", False)}))
    unsure = Snippet("unsure", text, frozenset({(1, "SINK032", True)}))
    assert score([silent]).precision == 0
    assert score([elsewhere]).recall == 0
    assert (score([right]).precision, score([right]).recall) == (1, 1)
    assert score([unsure]).precision == 0


def test_the_command_prints_both_numbers(capsys):
    labelled.main()
    printed = capsys.readouterr().out
    assert "precision 1.000" in printed
    assert f"{len(SNIPPETS)} snippets" in printed
