"""Each rule's example is what it does, and once; other spellings: test_spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("libcst")

from npu_lab.extras.migrate import explain
from npu_lab.extras.migrate.engine import migrate
from npu_lab.extras.migrate.finding import Options
from npu_lab.extras.migrate.rules import CALL_RULES, RULES
from npu_lab.extras.migrate.rules.base import CallRule

CASES = [
    pytest.param(rule, mode, id=f"{rule.id}{'-' if mode else ''}{mode}")
    for rule in RULES.values()
    for mode in (rule.modes or ("",))
]


def options(rule, mode):
    return Options(
        mode=mode,
        tf=rule.versions[0],
        compat=rule.id == "V10",
        profile=rule.profiles[0],
        loop=10 if rule.id == "L1" else 1,
        main="a.py" if rule.id == "I7" else "",
    )


def migrated(text, given=None, **facts):
    return migrate(text, given or Options(**facts), "a.py").text


@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_before_becomes_after(rule, mode):
    assert migrated(rule.before, options(rule, mode)) == rule.after


@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_a_second_time_changes_nothing(rule, mode):
    assert migrated(rule.after, options(rule, mode)) == rule.after


@pytest.mark.parametrize(("rule", "mode"), CASES)
def test_the_rule_is_named_in_what_is_said(rule, mode):
    found = migrate(rule.before, options(rule, mode), "a.py").findings
    assert rule.id in {each.rule for each in found} or rule.id == "H6"
    assert all(each.place.line >= 1 for each in found)


def test_every_rule_has_an_id_of_its_own():
    ids = [rule.id for rule in CALL_RULES]
    assert len(set(ids)) == len(ids)


def test_every_rule_that_is_written_is_asked():
    def derived(parent: type[CallRule]) -> Iterator[type[CallRule]]:
        for child in parent.__subclasses__():
            yield child
            yield from derived(child)

    asked = {type(rule) for rule in CALL_RULES}
    assert {rule for rule in derived(CallRule) if rule.id} == asked


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_sets_it_off_and_why_and_where_that_comes_from(name):
    rule = RULES[name]
    assert rule.trigger
    for english, chinese in (rule.reason, rule.source):
        assert english
        assert not re.search("[\u4e00-\u9fff]", english)
        assert re.search("[\u4e00-\u9fff]", chinese)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_rule_can_be_explained(name, language, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", language)
    said = explain.explain(name.lower())
    assert said.startswith(name)
    assert RULES[name].reason[language == "zh"] in said
    assert RULES[name].source[language == "zh"] in said


def test_an_unknown_rule_is_answered_with_those_there_are():
    with pytest.raises(KeyError, match="S1"):
        explain.explain("X99")
