"""Gradients are averaged, values are not: how ranks begin with the same weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.extras.distributed.conftest import Launch, succeeded
from tests.extras.distributed.test_numbers import weights


def two(launch: Launch, kind: str):
    return [weights(rank) for rank in succeeded(launch(2, "broadcast.py", kind))]


def test_without_a_broadcast_the_initial_difference_stays(launch: Launch):
    first, second = two(launch, "none")
    initial = first["initial"] - second["initial"]
    assert np.abs(initial).max() > 0.1
    np.testing.assert_allclose(first["w"] - second["w"], initial, atol=1e-6)


@pytest.mark.parametrize(("kind", "averages"), [("hook", 1.0), ("by hand", 0.0)])
def test_after_a_broadcast_the_weights_are_equal(
    launch: Launch, kind: str, averages: float
):
    ranks = succeeded(launch(2, "broadcast.py", kind))
    first, second = map(weights, ranks)
    assert np.abs(first["w"] - second["w"]).max() == 0
    # The hook leaves alone what is not trained, as in the adapter.
    assert np.abs(first["average"] - second["average"]).max() == averages
    for rank in ranks:
        told = "are not covered, and may differ between the ranks: average."
        assert (told in rank.err) == (kind == "hook")


def test_a_broadcast_before_the_initializer_is_an_error(launch: Launch):
    ranks = launch(2, "broadcast.py", "too early")
    assert [rank.status for rank in ranks] == [1, 1]
    # Which of them fails first is chance; the other one may only see its peer end.
    told = [rank.report["error"]["message"] for rank in ranks]
    assert any("to carry a variable that has no value yet" in t for t in told)
