"""The arithmetic of loops: every number of calls is checked by playing it through."""

from __future__ import annotations

import numpy as np
import pytest

from npu_lab.plan import Data, Plan, calls

LOOPS = (1, 2, 3, 7, 10, 100)
MULTIPLES = (0, 1, 2, 9)
CASES = [
    (multiple * n + offset, n)
    for n in LOOPS
    for multiple in MULTIPLES
    for offset in range(-min(2, n - 1), min(3, n))
    if multiple * n + offset >= 0
]


def play(steps: int, n: int) -> tuple[int, int]:
    """Whole calls that fit into `steps`, and the steps that are left over."""
    made = 0
    while steps >= n:
        steps -= n
        made += 1
    return made, steps


@pytest.mark.parametrize(("steps", "n"), CASES)
def test_calls_by_remainder(steps: int, n: int) -> None:
    whole, left = play(steps, n)
    assert calls(steps, n, remainder="down") == whole
    assert calls(steps, n, remainder="up") == whole + (left > 0)
    if left:
        with pytest.raises(ValueError, match="is not a multiple"):
            calls(steps, n)
    else:
        assert calls(steps, n) == whole


@pytest.mark.parametrize(("steps", "n"), CASES)
@pytest.mark.parametrize("data", ["fresh", "repeated", "none"])
def test_plan_counts_what_a_training_would_count(
    steps: int, n: int, data: Data
) -> None:
    plan = Plan(steps, iterations_per_loop=n, setup_calls=5, data=data)
    runs, trained, in_loops, pulled = 5, 0, 0, 0
    while trained < steps:
        runs += 1
        for _ in range(n):
            trained += 1
            in_loops += n > 1
            pulled += data == "fresh"
    assert plan.steps_run == trained
    assert plan.expected() == {
        "session_runs": runs,
        "training_calls": runs - 5,
        "device_iterations": in_loops,
        "batches_pulled": pulled,
    }


def test_sixty_batches_with_ten_per_loop_are_six_calls() -> None:
    plan = Plan(60, iterations_per_loop=10)
    assert calls(60, 10) == 6
    assert (plan.training_calls, plan.steps_run, plan.batches_pulled) == (6, 60, 60)


def test_the_first_documented_script() -> None:
    plan = Plan(8000, iterations_per_loop=10, setup_calls=5, data="repeated")
    assert plan.expected() == {
        "session_runs": 805,
        "training_calls": 800,
        "device_iterations": 8000,
        "batches_pulled": 0,
    }


@pytest.mark.parametrize(
    ("steps", "n", "below", "above"),
    [(25, 10, 20, 30), (3, 10, 0, 10), (15, 7, 14, 21)],
)
def test_a_remainder_names_the_nearest_multiples(
    steps: int, n: int, below: int, above: int
) -> None:
    with pytest.raises(ValueError, match=rf"\b{below} and {above}\b") as raised:
        calls(steps, n)
    assert f"steps={steps}" in str(raised.value)
    assert f"iterations_per_loop={n}" in str(raised.value)


@pytest.mark.parametrize("wrong", [True, False, 1.0, "10", None, [1], np.bool_(True)])
@pytest.mark.parametrize("name", ["steps", "iterations_per_loop"])
def test_counts_must_be_integers(name: str, wrong: object) -> None:
    counts = {"steps": 10, "iterations_per_loop": 10, name: wrong}
    for function in (calls, Plan):
        with pytest.raises(TypeError, match=f"^{name} must be an integer") as raised:
            function(**counts)
        assert repr(wrong) in str(raised.value)


@pytest.mark.parametrize(
    ("name", "wrong", "least"),
    [("steps", -1, 0), ("iterations_per_loop", 0, 1), ("iterations_per_loop", -3, 1)],
)
def test_counts_have_a_lower_end(name: str, wrong: int, least: int) -> None:
    counts = {"steps": 10, "iterations_per_loop": 10, name: wrong}
    for function in (calls, Plan):
        with pytest.raises(ValueError, match=f"^{name} must be at least {least}, not"):
            function(**counts)


def test_setup_calls_are_checked_too() -> None:
    with pytest.raises(ValueError, match="setup_calls must be at least 0"):
        Plan(10, setup_calls=-1)
    with pytest.raises(TypeError, match="setup_calls must be an integer"):
        Plan(10, setup_calls=0.5)  # type: ignore[arg-type]


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match='remainder must be one of "error", "down"'):
        calls(10, 5, remainder="ceil")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='data must be one of "fresh", "repeated"'):
        Plan(10, data="stale")  # type: ignore[arg-type]


def test_numpy_integers_count() -> None:
    assert calls(np.int64(60), np.int32(10)) == 6
    assert Plan(np.int64(60), np.int32(10)).training_calls == 6
