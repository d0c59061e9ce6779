"""Sinking never changes numbers: every model family, bit for bit.

The baseline is plain TensorFlow: the device inactive, no NpuOptimizer, the same session
options.
"""

from __future__ import annotations

from typing import Any

import pytest

import npu_lab
from npu_lab.device import Device
from tests.device import zoo
from tests.device.training import Trained, same, train_plainly, train_sunk

pytestmark = [
    pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning"),
    pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed"),
]

# The option, and the steps of each call: 1 is a plain run, else that count is loaded.
PLANS: dict[str, tuple[int, list[int]]] = {
    "plain, 3, 2": (3, [1, 1, 3, 3, 3, 3, 2, 2, 1, 2, 1, 1]),
    "10, 3, 100": (10, [10, 10, 3, 100]),
}
ENDS = tuple(sum(calls) for _, calls in PLANS.values())


@pytest.fixture(scope="module", params=list(zoo.FAMILIES))
def family(request: pytest.FixtureRequest) -> tuple[Any, Trained]:
    npu_lab.deactivate()
    build = zoo.FAMILIES[request.param]
    return build, train_plainly(build, ENDS)


@pytest.mark.parametrize("plan", PLANS)
def test_sunk_training_equals_tensorflow_alone(
    family: tuple[Any, Trained], device: Device, plan: str
) -> None:
    build, plain = family
    option, calls = PLANS[plan]
    sunk = train_sunk(build, calls, option)

    same(sunk.losses, {step: plain.losses[step] for step in sunk.losses})
    same(sunk.metrics, {step: plain.metrics[step] for step in sunk.metrics})
    same(sunk.states, {sum(calls): plain.states[sum(calls)]})
    assert len(sunk.losses) == len(calls)
    assert device.ledger.device_iterations == sum(n for n in calls if n > 1)
