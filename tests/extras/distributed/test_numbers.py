"""Several ranks train as one does with all of their batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.extras.distributed.conftest import Launch, Rank, succeeded

STEPS = 100
SGD = f"sgd.py {STEPS} 16 1 10"
WAYS = ("class", "helper", "wrapper")
AVERAGES = ("wrapper", "class", "gradients")
SCRIPTS = (SGD, f"keras_fit.py {' '.join(WAYS)}", f"trainings.py {' '.join(AVERAGES)}")


def weights(rank: Rank, script: str = "") -> dict[str, Any]:
    """What a script has saved; without a name, the only one that has."""
    (path,) = (rank.folder / script).glob("*.npz")
    return dict(np.load(path))


@pytest.fixture(scope="module")
def alone(launch_once: Launch):
    """One rank, with all of the data."""
    (rank,) = succeeded(launch_once(1, "several.py", *SCRIPTS))
    return rank


@pytest.fixture(scope="module")
def two(launch_once: Launch):
    """Two ranks, with half of it each."""
    return succeeded(launch_once(2, "several.py", *SCRIPTS))


def compare(ranks: list[Rank], alone: Rank, script: str, of: str) -> None:
    """The weights are those of one rank, and the same on all."""
    expected = weights(alone, script)
    names = [name for name in expected if name.startswith(of)]
    assert names
    first, *others = (weights(rank, script) for rank in ranks)
    for name in names:
        for other in others:
            assert np.abs(first[name] - other[name]).max() == 0, name
        # Adam divides by roots of small gradients, and a half has 11 bits.
        limit = 1e-2 if "half" in name else 1e-5 if script == "trainings" else 1e-6
        assert np.abs(first[name] - expected[name]).max() < limit, name


@pytest.mark.parametrize("n", [1, 10])
def test_two_ranks_train_as_one_with_the_batch_doubled(two, alone, n: int):
    compare(two, alone, "sgd", f"{n} ")
    for rank in two:
        assert f"step {STEPS} of 2 ranks" in rank.out
        sunk = STEPS if n > 1 else 0
        assert f"\n{n} {STEPS // n} {sunk} {STEPS}\n" in rank.out


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 10])
def test_four_ranks_train_as_one_with_the_batch_times_four(four, alone, n: int):
    compare(four, alone, "sgd", f"{n} ")


@pytest.fixture(scope="module")
def four(launch_once: Launch):
    """Four ranks, with a quarter of it each."""
    return succeeded(launch_once(4, "several.py", SGD))


@pytest.mark.parametrize("kind", AVERAGES)
def test_each_way_to_average_gives_the_same(two, alone, kind: str):
    compare(two, alone, "trainings", kind)
    found = weights(two[0], "trainings")
    assert np.abs(found[f"{kind} 10 w"] - found[f"{kind} 1 w"]).max() == 0
    assert np.abs(found[f"{kind} 10 w"] - 1).max() > 0.01


@pytest.mark.parametrize("kind", WAYS)
def test_keras_averages_and_broadcasts(two, alone, kind: str):
    compare(two, alone, "keras_fit", kind)
