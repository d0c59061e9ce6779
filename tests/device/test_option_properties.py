"""Whatever a ConfigProto holds: the table's values, or the table's error; no surprise.

What must come out is told here from the table's rows alone, in the plainest way; the
rules that join several options are taken from their table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_lab import language
from npu_lab._tensorflow import tf
from npu_lab.device.option_rules import RULES
from npu_lab.device.option_table import (
    OPTIONS,
    WRITTEN_BUT_NEVER_READ,
    Described,
    Option,
    Value,
)
from npu_lab.device.options import SessionOptions
from npu_lab.diagnostics import Diagnostic
from tests.properties import generated

ERRORS: Mapping[str, type[Exception]] = {
    "fatal": ValueError,
    "internal": tf.errors.InternalError,
    "invalid": tf.errors.InvalidArgumentError,
}
ZERO: Mapping[str, Value] = {"b": False, "i": 0, "s": ""}
INT64 = (-(2**63), 2**63 - 1)
LONGEST_TEXT = 2000
SPEAKS_OF = {"SINK032": "iterations_per_loop", "SINK035": "dynamic_graph_execute_mode"}

Parameter = tuple[str, Any]  # the proto field, and what is put there
Parameters = Mapping[str, Parameter]


@pytest.fixture(scope="module", autouse=True)
def in_english() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(language.VARIABLE, "en")
        patch.delenv("AOE_MODE", raising=False)
        yield


# What is generated

LISTED = sorted(
    {
        one
        for row in OPTIONS.values()
        if isinstance(row.allowed, tuple)
        for one in row.allowed
        if isinstance(one, str)
    }
)
WRITTEN = (
    ".", "", "no/such/folder", "x" * 5000, "a\0b", "0|5|10-20", "3-2", "9" * 5000,
    "1-" + "9" * 5000, "|".join("7" * 101), "data:1,-1;label:1,-1", "data:", "2;4",
    "2;4;", "0,1", "0,", "ps", "default", "worker", "\u0661-\u0662", "\u00b2", "1\n",
    "\ud800".encode("utf-8", "surrogatepass"), "NaN", "True", "\u4e2d\u6587",
)  # fmt: skip

texts = st.one_of(
    st.sampled_from(LISTED).map(str.encode),
    st.sampled_from(WRITTEN).map(lambda t: t if isinstance(t, bytes) else t.encode()),
    st.text(max_size=12).map(str.encode),
    st.binary(max_size=12),
)
numbers = st.one_of(
    st.sampled_from([-1, 0, 1, 2, 3, 4, 5, 7, 8, 10, 100, 33554432, 33554433, *INT64]),
    st.integers(*INT64),
)
FIELDS: Mapping[str, st.SearchStrategy[Any]] = {
    "b": st.booleans(),
    "i": numbers,
    "s": texts,
    "f": st.floats(width=32),
    "list": st.just(None),
    "type": st.just(1),
    "placeholder": st.text(max_size=4),
    "": st.just(None),  # a key that was only looked at
}


def in_field(field: str) -> st.SearchStrategy[Parameter]:
    return FIELDS[field].map(lambda value: (field, value))


def allowed_by(row: Option) -> st.SearchStrategy[Parameter]:
    """Values that the adapter takes."""
    if isinstance(row.allowed, range):
        ends = st.integers(row.allowed[0], row.allowed[-1])
        return ends.map(lambda value: ("i", value))
    if isinstance(row.allowed, tuple):
        return st.sampled_from(row.allowed).map(
            lambda v: (row.field, v.encode() if isinstance(v, str) else v)
        )
    return in_field(row.field)


def parameter_of(row: Option) -> st.SearchStrategy[Parameter]:
    """Mostly in the right field, in range and out of it; sometimes in another one."""
    anywhere = st.sampled_from(sorted(FIELDS)).flatmap(in_field)
    return st.one_of(
        allowed_by(row), in_field(row.field), in_field(row.field), anywhere
    )


@st.composite
def parameters(draw: Any, most: int = 8, mild: bool = False) -> dict[str, Parameter]:
    """Some keys with their parameters; mild: only what a row allows by itself."""
    keys = draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=most, unique=True))
    choose = allowed_by if mild else parameter_of
    return {key: draw(choose(OPTIONS[key])) for key in keys}


def config_of(*optimizers: Parameters, name: str = "NpuOptimizer") -> Any:
    config = tf.compat.v1.ConfigProto()
    for given_ in optimizers:
        custom = config.graph_options.rewrite_options.custom_optimizers.add()
        custom.name = name
        for key, (field, value) in given_.items():
            parameter = custom.parameter_map[key]
            if field == "list":
                parameter.list.s.extend([b"a", b"b\n"])
            elif field:
                setattr(parameter, field, value)
    return config


# What must come out

Fault = tuple[str, str]  # the key, and what the adapter does


def expected(
    given_: Parameters, environ: Mapping[str, str]
) -> tuple[dict[str, Value], set[str], set[Fault]]:
    """The values, the keys with something to be said about, and the faults."""
    values: dict[str, Value] = {}
    remarks, faults = set(), set()
    for key, row in OPTIONS.items():
        field, value = given_.get(key, (None, None))
        if field is None:
            values[key] = environ.get(row.environment) or row.default
            continue
        if field == row.field:
            if field == "s":
                value = os.fsdecode(value) or (
                    row.default if row.wrong_field == "default" else ""
                )
            if row.fault == "clamp" and value not in row.allowed:
                value = row.allowed[0] if value < 0 else row.allowed[-1]
                remarks.add(key)
        elif row.wrong_field == "invalid":
            faults.add((key, "invalid"))
            value = row.default
        else:
            value = row.default if row.wrong_field == "default" else ZERO[row.field]
            remarks.add(key)
        values[key] = value
    if values["graph_run_mode"] == 0:
        values["enable_small_channel"] = 1
    faults |= bad_values(values, set(given_))
    whole = SessionOptions(values, frozenset(given_))
    faults |= {(rule.key, rule.fault) for rule in RULES if rule.broken(whole)}
    return values, remarks, faults


def bad_values(values: Mapping[str, Value], named: set[str]) -> set[Fault]:
    faults = set()
    for key, row in OPTIONS.items():
        if row.fault not in ERRORS:
            continue
        if row.only_with:
            seen = any(values[switch] for switch in row.only_with)
        else:
            seen = key in named or values[key] != row.default
        if isinstance(row.allowed, Described):
            fine = row.allowed.accepts(str(values[key]))
        else:
            fine = values[key] in row.allowed
        if seen and not fine:
            faults.add((key, row.fault))
    return faults


def outcome(config: Any) -> SessionOptions | Exception | None:
    try:
        return SessionOptions.from_config(config)
    except (ValueError, tf.errors.OpError) as error:
        return error


def told(outcome_: object) -> object:
    """Something to compare: errors have no equality of their own."""
    if isinstance(outcome_, Exception):
        return type(outcome_), str(outcome_)
    return outcome_


def check(given_: Parameters, environ: Mapping[str, str] | None = None) -> None:
    config = config_of(given_)
    before = config.SerializeToString(deterministic=True)
    found = outcome(config)
    assert told(outcome(config)) == told(found)
    assert config.SerializeToString(deterministic=True) == before

    known = {key: value for key, value in given_.items() if key in OPTIONS}
    values, remarks, faults = expected(known, environ or {})
    remarks |= given_.keys() - OPTIONS.keys() - WRITTEN_BUT_NEVER_READ
    if isinstance(found, Exception):
        diagnostic = found.diagnostic
        check_text(diagnostic)
        assert str(diagnostic) in str(found)
        key = diagnostic.facts.get("key") or SPEAKS_OF[diagnostic.code]
        assert key in str(found)
        assert (key, type(found)) in {(k, ERRORS[kind]) for k, kind in faults}
        return
    assert not faults
    assert isinstance(found, SessionOptions)
    assert dict(found.values) == values
    assert found.given == known.keys()
    assert {one.facts["key"] for one in found.diagnostics} == remarks
    for one in found.diagnostics:
        check_text(one)


def check_text(diagnostic: Diagnostic) -> None:
    """It can be shown anywhere: one line, of bounded length, in real characters."""
    for chosen in ("en", "zh"):
        text = diagnostic.text(chosen)
        assert len(text.splitlines()) == 1
        assert len(text) < LONGEST_TEXT
        assert text.encode("utf-8")


# The properties


@pytest.mark.parametrize("key", OPTIONS)
def test_one_key(key: str) -> None:
    @generated(8)
    @given(parameter_of(OPTIONS[key]))
    def each(parameter: Parameter) -> None:
        check({key: parameter})

    each()


@generated(300)
@given(parameters())
def test_several_keys(given_: Parameters) -> None:
    check(given_)


@generated(200)
@given(parameters(most=30, mild=True))
def test_many_keys_with_values_that_are_allowed_one_by_one(given_: Parameters) -> None:
    check(given_)


@generated(150)
@given(
    parameters(most=2),
    st.dictionaries(
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(sorted(WRITTEN_BUT_NEVER_READ)),
            st.sampled_from(sorted(OPTIONS)).map(str.upper),
            st.sampled_from(sorted(OPTIONS)).map(lambda key: f"{key}s"),
        ).filter(lambda key: key not in OPTIONS),
        st.sampled_from(sorted(FIELDS)).flatmap(in_field),
        max_size=4,
    ),
)
def test_unknown_keys(given_: Parameters, unknown: Parameters) -> None:
    check({**given_, **unknown})


# What an environment variable can hold.
environment_texts = texts.map(os.fsdecode).filter(lambda text: "\0" not in text)


@generated(150)
@given(
    parameters(most=2),
    st.one_of(st.none(), parameter_of(OPTIONS["aoe_mode"])),
    st.one_of(st.sampled_from(["", "1", "2", "4", "9"]), environment_texts),
)
def test_a_key_that_the_environment_can_give(
    others: Parameters, own: Parameter | None, outside: str
) -> None:
    given_ = {key: value for key, value in others.items() if key != "aoe_mode"}
    if own is not None:
        given_["aoe_mode"] = own
    with mock.patch.dict(os.environ, {"AOE_MODE": outside}):
        check(given_, {"AOE_MODE": outside})


@generated(150)
@given(parameters(), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(given_: Parameters, random: Any) -> None:
    other = list(given_.items())
    random.shuffle(other)
    found = outcome(config_of(given_))
    assert told(outcome(config_of(dict(other)))) == told(found)


@generated(200)
@given(st.lists(parameters(most=4), min_size=2, max_size=4))
def test_of_several_optimizers_the_later_wins(optimizers: Sequence[Parameters]) -> None:
    joined = {key: value for one in optimizers for key, value in one.items()}
    found = outcome(config_of(*optimizers))
    assert told(found) == told(outcome(config_of(joined)))


@generated(50)
@given(parameters(), st.text(max_size=12).filter(lambda name: name != "NpuOptimizer"))
def test_an_optimizer_of_another_name_is_not_read(
    given_: Parameters, name: str
) -> None:
    assert outcome(config_of(given_, name=name)) is None
