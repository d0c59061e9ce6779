"""Several ranks train as one does with all of their batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.extras.distributed.conftest import Launch, Rank, succeeded

STEPS = 100


def weights(rank: Rank) -> dict[str, Any]:
    (path,) = rank.folder.glob("*.npz")
    return dict(np.load(path))


def difference(one: Rank, other: Rank) -> float:
    theirs = weights(other)
    assert theirs
    return max(np.abs(v - theirs[n]).max() for n, v in weights(one).items())


@pytest.mark.parametrize("n", [1, 10])
def test_two_ranks_train_as_one_with_the_batch_doubled(launch: Launch, n: int):
    (alone,) = succeeded(launch(1, "sgd.py", n, STEPS, 16))
    first, second = succeeded(launch(2, "sgd.py", n, STEPS, 16))
    assert difference(first, second) == 0
    assert difference(first, alone) < 1e-6
    assert f"step {STEPS} of 2 ranks" in first.out
    for rank in (first, second):
        assert rank.report["training_calls"] == STEPS // n
        assert rank.report["device_iterations"] == (STEPS if n > 1 else 0)
        assert rank.report["batches_pulled"] == STEPS
        assert [loop["in_effect"] for loop in rank.report["loops"]] == [n > 1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 10])
def test_four_ranks_train_as_one_with_the_batch_times_four(launch: Launch, n: int):
    (alone,) = succeeded(launch(1, "sgd.py", n, STEPS, 16))
    ranks = succeeded(launch(4, "sgd.py", n, STEPS, 16))
    for rank in ranks[1:]:
        assert difference(ranks[0], rank) == 0
    assert difference(ranks[0], alone) < 1e-6


@pytest.mark.slow
def test_each_way_to_average_gives_the_same(launch: Launch):
    kinds = ("wrapper", "class", "gradients")
    (alone,) = succeeded(launch(1, "trainings.py", *kinds))
    first, second = succeeded(launch(2, "trainings.py", *kinds))
    assert difference(first, second) == 0
    found, expected = weights(first), weights(alone)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        # Adam divides by roots of small gradients, and a half has 11 bits.
        limit = 1e-2 if "half" in name else 1e-5 if "wrapper" in name else 1e-6
        assert np.abs(value - expected[name]).max() < limit, name
    for kind in kinds:
        assert np.abs(found[f"{kind} 10 w"] - found[f"{kind} 1 w"]).max() == 0
        assert np.abs(found[f"{kind} 10 w"] - 1).max() > 0.01


@pytest.mark.parametrize("n", [1, 10])
def test_the_estimator_broadcasts_averages_and_sinks(launch: Launch, n: int):
    (alone,) = succeeded(launch(1, "estimator.py", n, 20, 16, 0))
    first, second = succeeded(launch(2, "estimator.py", n, 20, 16, 0))
    assert difference(first, second) == 0
    assert difference(first, alone) < 1e-6
    assert "evaluated: ['global_step', 'loss']" in first.out
    assert "saved: model/model.ckpt-20" in first.out
    assert "saved: None" in second.out
    assert second.report["device_iterations"] == (20 if n > 1 else 0)
    assert second.report["training_calls"] == 20 // n


def test_in_horovod_mode_the_estimator_does_not_broadcast(launch: Launch):
    first, second = succeeded(launch(2, "estimator.py", 10, 20, 16, 1))
    assert difference(first, second) > 0.1


@pytest.mark.parametrize("kind", ["class", "wrapper"])
def test_keras_averages_and_broadcasts(launch: Launch, kind: str):
    (alone,) = succeeded(launch(1, "keras_fit.py", kind))
    first, second = succeeded(launch(2, "keras_fit.py", kind))
    assert difference(first, second) == 0
    assert difference(first, alone) < 1e-6
