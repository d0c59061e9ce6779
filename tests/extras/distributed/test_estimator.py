"""Estimators on several ranks, sunk: the documented ways, and what they leave out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.extras.distributed.conftest import Launch, succeeded
from tests.extras.distributed.test_numbers import weights

EQUAL = ("each", "sunk", "hook", "strategy", "keras")
STEPS = 20


@pytest.fixture(scope="module")
def ranks(launch_once: Launch):
    """Two ranks that have trained in each way, one after the other."""
    return succeeded(launch_once(2, "estimator.py", *EQUAL, "alone"))


@pytest.fixture(scope="module")
def alone(launch_once: Launch):
    """One rank, with all of the data."""
    (rank,) = succeeded(launch_once(1, "estimator.py", "each", "keras"))
    return weights(rank)


@pytest.mark.parametrize("name", EQUAL)
def test_two_ranks_train_as_one_with_the_batch_doubled(ranks, alone, name: str):
    first, second = (weights(rank)[name] for rank in ranks)
    assert np.abs(first - second).max() == 0
    expected = alone["keras" if name == "keras" else "each"]
    assert np.abs(first - expected).max() < 1e-6
    assert np.abs(first).max() > 0.1


def test_in_horovod_mode_the_estimator_leaves_the_broadcast_to_the_script(ranks):
    first, second = (weights(rank)["alone"] for rank in ranks)
    assert np.abs(first - second).max() > 0.1


def test_the_training_is_sunk(ranks):
    for rank in ranks:
        loops = rank.report["loops"]
        found = {(loop["iterations_per_loop"], loop["in_effect"]) for loop in loops}
        assert found == {(1, False), (10, True)}
        assert rank.report["training_calls"] == STEPS + 5 * STEPS // 10
        assert rank.report["device_iterations"] == 5 * STEPS
        assert rank.report["batches_pulled"] >= 6 * STEPS


def test_one_rank_alone_saves(ranks):
    first, second = ranks
    assert "evaluated: ['global_step', 'loss']" in first.out
    for name in EQUAL:
        assert f"{name} saved: {name}/model.ckpt-{STEPS}" in first.out
        if name != "keras":
            assert f"{name} saved: None" in second.out


def test_a_strategy_in_the_configuration_is_said_to_have_no_effect(ranks):
    for rank in ranks:
        assert rank.err.count("NPURunConfig: train_distribute has no effect") == 1
