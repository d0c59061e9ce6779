"""The arithmetic of loops on generated numbers: nothing gets lost, errors are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_lab.plan import Plan, calls
from tests.properties import generated

MOST = 10**12

counts = st.one_of(st.integers(0, 50), st.integers(0, MOST))
loops = st.one_of(st.integers(1, 12), st.integers(1, MOST))


@generated(200)
@given(counts, loops)
def test_calls_and_what_they_leave_add_up(steps: int, n: int) -> None:
    down, up = calls(steps, n, "down"), calls(steps, n, "up")
    assert 0 <= steps - down * n < n
    assert 0 <= up * n - steps < n
    assert up - down == (steps % n > 0)
    if up == down:
        assert calls(steps, n) == up
    else:
        with pytest.raises(ValueError, match="not a multiple") as told:
            calls(steps, n)
        for number in (steps, n, down * n, up * n):
            assert str(number) in str(told.value)


@generated(200)
@given(counts, loops, counts, st.sampled_from(["fresh", "repeated", "none"]))
def test_a_plan_adds_up(steps: int, n: int, setup: int, data: str) -> None:
    plan = Plan(steps, n, setup, data)
    assert plan.session_runs - setup == plan.training_calls == calls(steps, n, "up")
    assert steps <= plan.steps_run < steps + n
    assert plan.steps_run == plan.training_calls * n
    assert plan.device_iterations == (plan.steps_run if n > 1 else 0)
    assert plan.batches_pulled == (plan.steps_run if data == "fresh" else 0)


@generated(100)
@given(st.integers(1, MOST), loops, loops)
def test_a_longer_loop_never_takes_more_calls(steps: int, n: int, more: int) -> None:
    assert calls(steps, n + more, "up") <= calls(steps, n, "up")


nothing_countable = st.one_of(
    st.none(), st.booleans(), st.floats(), st.text(max_size=5), st.binary(max_size=5)
)


@generated(100)
@given(st.one_of(nothing_countable, st.integers(-MOST, MOST)), st.integers(-3, 3))
def test_what_cannot_be_planned_is_a_type_or_value_error(steps: object, n: int) -> None:
    if not isinstance(steps, int) or isinstance(steps, bool):
        with pytest.raises(TypeError, match="steps must be an integer"):
            calls(steps, n, "up")
    elif steps < 0 or n < 1:
        with pytest.raises(ValueError, match="must be at least"):
            calls(steps, n, "up")
    else:
        assert calls(steps, n, "up") >= 0
