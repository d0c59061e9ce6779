"""Sinking never changes numbers: sunk runs against plain ones, bit for bit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import npu_lab.tf1 as tf
from npu_lab import deactivate
from npu_lab.device import Device
from tests.device import models
from tests.device.models import mlp, softmax, train

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
MODELS = {"softmax": softmax, "mlp with dropout": mlp}


def ends(values: list[float], calls: list[int]) -> list[float]:
    """The entries of a plain run at which the calls of a sunk one ended."""
    return [values[end - 1] for end in np.cumsum(calls)]


CALLS = [
    [2] * 10,
    [3] * 7,
    [10] * 3,
    [100],
    [10] * 2 + [1] * 3,  # a remainder of 3 plain steps
    [1] * 5 + [10] * 2,  # from plain to sunk in mid-training
    [1] * 4 + [3] * 3 + [1] * 2 + [3] * 2,
]


@pytest.mark.parametrize("calls", CALLS, ids=lambda calls: "-".join(map(str, calls)))
@pytest.mark.parametrize("source", ["dataset", "fed"])
@pytest.mark.parametrize("name", MODELS)
def test_sunk_training_equals_plain_training(
    device: Device, name: str, source: str, calls: list[int]
) -> None:
    build = partial(MODELS[name], source)
    steps = sum(calls)
    repeated = [call for call, n in enumerate(calls) for _ in range(n)]
    plain = train(build, [1] * steps, option=1, batches=repeated)
    sunk = train(build, calls, option=max(calls))

    assert sunk.losses == ends(plain.losses, calls)
    assert sunk.accuracies == ends(plain.accuracies, calls)
    assert sunk.step == plain.step == steps
    np.testing.assert_array_equal(sunk.weights, plain.weights)
    iterations = sum(n for n in calls if n > 1)
    assert device.ledger.device_iterations == iterations


def test_plain_run_on_the_device_equals_tensorflow_alone(device: Device) -> None:
    on_device = train(mlp, [1] * 12, option=1)
    before_the_loop = train(mlp, [1] * 12, option=10)
    deactivate()
    with tf.Graph().as_default():
        model = mlp()
        with models.session(model, models.config(1)) as opened:
            alone = [opened.run([model.train, model.loss])[1] for _ in range(12)]
            weights = opened.run(model.weights)

    assert on_device.losses == before_the_loop.losses == alone
    np.testing.assert_array_equal(on_device.weights, weights)
    np.testing.assert_array_equal(before_the_loop.weights, weights)
