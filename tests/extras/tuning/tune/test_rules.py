"""Which N are tried and which is recommended, with made-up measurements."""

from __future__ import annotations

import doctest
import math

import pytest

from npu_lab.extras.tuning.tune import rules
from npu_lab.timing import TimingModel


def test_the_examples_hold():
    assert doctest.testmod(rules).failed == 0


@pytest.mark.parametrize("own", [2, 10, 25])
@pytest.mark.parametrize("steps", [None, 60, 800, 1000, 97, 8000])
@pytest.mark.parametrize("intervals", [(), (100,), (60, 50)])
@pytest.mark.parametrize("limit", [20, 100, 5000])
def test_every_number_tried_is_safe(own, steps, intervals, limit):
    found = rules.candidates(own=own, limit=limit, steps=steps, intervals=intervals)
    assert list(found) == sorted({*found})
    assert found[0] == 1
    for n in found:
        assert n <= limit // 2 or n == 1
        assert not (steps and steps % n)
        assert not any(interval % n for interval in intervals)
    length = rules.trial_steps(found, limit)
    assert limit <= length < 2 * limit
    assert not any(length % n for n in found)
    safe = not (steps and steps % own) and not any(i % own for i in intervals)
    assert (own in found) == (safe and own <= limit // 2)


def test_a_prime_number_of_steps_leaves_one():
    assert rules.candidates(own=10, limit=40, steps=97) == (1,)
    assert rules.candidates(own=10, limit=400, steps=97) == (1, 97)


@pytest.mark.parametrize(
    ("times", "n"),
    [
        ({1: 4.0, 10: 2.0, 100: 1.0}, 100),
        ({1: 4.0, 10: 1.02, 100: 1.0}, 10),
        ({1: 4.0, 10: 1.04, 100: 1.0}, 100),
        ({1: 1.01, 10: 1.0, 100: 1.0}, 1),
        ({1: 1.0, 10: 1.2, 100: 1.5}, 1),
        ({1: 4.0, 10: 1.0, 100: 1.2}, 10),
        ({5: 3.0}, 5),
    ],
)
def test_the_smallest_number_near_the_best_is_recommended(times, n):
    assert rules.recommended(times) == n


def test_what_is_recommended_is_within_the_bound_of_the_best():
    for launch in (1e-5, 1e-4, 1e-3):
        for step in (1e-4, 1e-2):
            model = TimingModel(step, launch_seconds=launch)
            times = model.curve(rules.TARGETS)
            chosen = rules.recommended(times)
            assert times[chosen] <= 1.10 * min(times.values())
            smaller = [n for n in times if n < chosen]
            assert all(
                times[n] > (1 + rules.TOLERANCE) * min(times.values()) for n in smaller
            )


def test_one_lucky_or_unlucky_measurement_decides_little():
    model = TimingModel(2e-4, launch_seconds=1e-3)
    times = model.curve(rules.TARGETS)
    usual = rules.recommended(times)
    assert usual == 100
    for n in (5, 10, 20):  # by itself it would be the best
        assert rules.recommended({**times, n: 2.0e-4}) >= 50
    assert rules.recommended({**times, 100: 2 * times[100]}) == 200


def test_a_time_is_predicted_from_the_others():
    model = TimingModel(2e-4, launch_seconds=3e-4)
    times = model.curve((1, 2, 5, 10, 100))
    found = rules.predicted(times)
    assert found == pytest.approx(times, rel=1e-6)
    times[100] *= 2  # its own prediction does not know of it
    assert rules.predicted(times)[100] == pytest.approx(found[100], rel=1e-6)
    assert rules.predicted({1: 1.0, 10: 1.0, 100: 1.0}) == {}


def test_a_trial_is_as_long_as_asked_for():
    assert rules.limit(0.001, 2.0) == 2000
    assert rules.limit(10.0, 2.0) == rules.FEWEST_STEPS
    assert rules.limit(3e-4, 1.0) == math.ceil(1 / 3e-4)


def test_the_price_is_in_steps_and_seconds():
    found = rules.price(100, 0.001, 1000, 250)
    assert found == rules.Price(10, 0, 100, 300, pytest.approx(0.1))
    assert rules.price(30, 0.001, 100, None) == rules.Price(
        4, 20, 30, None, pytest.approx(0.03)
    )
    assert rules.price(30, 0.001, None, None).calls is None
