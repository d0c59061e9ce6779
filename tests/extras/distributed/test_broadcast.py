"""Gradients are averaged, values are not: how ranks begin with the same weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.extras.distributed.conftest import Launch, succeeded
from tests.extras.distributed.test_numbers import weights

KINDS = ("none", "hook", "by hand", "too early", "init again")


@pytest.fixture(scope="module")
def ranks(launch_once: Launch):
    """Two ranks that have trained five steps in each way."""
    return succeeded(launch_once(2, "broadcast.py", ",".join(KINDS)))


def difference(ranks, name: str):
    first, second = map(weights, ranks)
    return first[name] - second[name]


def told(rank, kind: str) -> str:
    """What stands in the error stream from the beginning of one way on."""
    _, _, rest = rank.err.partition(f"begin: {kind}\n")
    return rest.partition("begin: ")[0]


@pytest.mark.parametrize("kind", ["none", "too early", "init again"])
def test_without_a_broadcast_that_counts_the_initial_difference_stays(ranks, kind: str):
    initial = difference(ranks, f"{kind} initial w")
    assert np.abs(initial).max() > 0.1
    final = difference(ranks, f"{kind} final w")
    np.testing.assert_allclose(final, initial, rtol=0, atol=1e-6)
    own = weights(ranks[0])
    moved = own[f"{kind} final w"] - own[f"{kind} initial w"]
    assert np.abs(moved).max() > 0.01


@pytest.mark.parametrize(("kind", "averages"), [("hook", 1.0), ("by hand", 0.0)])
def test_after_a_broadcast_the_weights_are_equal(ranks, kind: str, averages: float):
    for when in ("initial", "final"):
        assert np.abs(difference(ranks, f"{kind} {when} w")).max() == 0
        # The hook leaves alone what is not trained, as in the adapter.
        assert np.abs(difference(ranks, f"{kind} {when} average")).max() == averages


def test_the_hook_names_what_it_does_not_cover(ranks):
    message = "are not covered, and may differ between the ranks: average."
    for rank in ranks:
        assert message in told(rank, "hook")
        assert message not in told(rank, "by hand")


def test_a_broadcast_that_comes_to_nothing_is_warned_of(ranks):
    for rank in ranks:
        for kind in ("none", "hook", "by hand"):
            assert "SINK05" not in told(rank, kind)
        again = told(rank, "init again")
        assert "SINK051 An initializer ran after a broadcast" in again
        assert "it had carried: w." in again
    sent, received = (told(rank, "too early") for rank in ranks)
    assert "SINK052" in sent
    assert "zeros were sent for average, w." in sent
    assert "SINK051" not in sent, "said once"
    assert "SINK051" in received
    assert "it had carried: average, w." in received
