"""The schedules of the loss scale, step by step, in a plain run and in the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import npu_lab
from tests.extras.tuning.loss_scale.trainings import (
    STEPS,
    TOO_LARGE,
    State,
    expected,
    trained,
    values,
)

SPREAD = (0, 3, 4, 11, 17, 18, 19, 30, 39)
SCHEDULES = [
    ({"init": 1024.0, "every": 5}, SPREAD),
    ({"init": 2.0**32, "every": 1000, "decr": 0.5}, SPREAD),
    ({"init": 1024.0, "every": 3, "decr_every": 1, "decr": 0.5}, SPREAD),
    ({"init": 8.0, "every": 4, "decr_every": 3, "incr": 4, "decr": 0.25}, SPREAD),
    ({"init": 100.0, "every": 6, "decr_every": 2, "incr": 1.5, "decr": 0.9}, SPREAD),
    ({"init": 1024.0, "every": 1}, ()),
    ({"init": 1024.0, "every": 10}, ()),
    ({"init": 1024.0, "every": 5}, (5, 15, 25, 35)),
    ({"init": 2.0, "every": 100, "decr_every": 1, "decr": 0.1}, (1, 2, 3)),
    ({"init": 2.0**122, "every": 2, "incr": 8}, ()),
    ({"init": 2.0**120, "every": 2, "incr": 4, "decr_every": 1, "decr": 0.25}, (9, 21)),
    ({"init": 1024.0, "every": 2, "decr_every": 4}, (1, 3, 5, 7, 9, 11, 13, 15)),
    ({"init": 16.0, "every": 7, "decr_every": 1, "decr": 1.0}, SPREAD),
    ({"init": 0.5, "every": 50, "decr_every": 1}, (2,)),
    ({"init": 1.0}, SPREAD),
    ({"init": 1024.0}, SPREAD),
    ({"init": 3.0}, ()),
]


def manager(schedule: dict[str, float]) -> Any:
    from npu_bridge import npu_init as npu

    if "every" not in schedule:
        return npu.FixedLossScaleManager(schedule["init"])
    names = {"incr": "incr_ratio", "decr": "decr_ratio", "init": "init_loss_scale"}
    names |= {"every": "incr_every_n_steps", "decr_every": "decr_every_n_nan_or_inf"}
    return npu.ExponentialUpdateLossScaleManager(
        **{names[key]: value for key, value in schedule.items()}
    )


def by_loss_scale_optimizer(optimizer: Any, used: Any) -> Any:
    from npu_bridge import npu_init as npu

    return npu.NPULossScaleOptimizer(optimizer, used)


def by_npu_optimizer(optimizer: Any, used: Any) -> Any:
    from npu_bridge import npu_init as npu

    return npu.NPUOptimizer(optimizer, loss_scale_manager=used, is_loss_scale=True)


def saturating(mode: int) -> None:
    from npu_bridge.npu_init import npu_plugin

    npu_plugin.set_device_sat_mode(mode)


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize(("schedule", "overflows"), SCHEDULES)
def test_the_formula_holds_by_value(device, schedule, overflows, n):
    del device
    data = values(overflows, np.inf)
    got = trained(lambda: manager(schedule), by_loss_scale_optimizer, data, n)
    assert got == expected(overflows, **schedule)
    assert got.step == STEPS - len(overflows)


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize("wrap", [by_npu_optimizer, by_loss_scale_optimizer])
@pytest.mark.parametrize(
    ("schedule", "overflows"), [SCHEDULES[i] for i in (0, 2, 3, 7, 9, 10, 14)]
)
def test_the_formula_holds_by_the_float_status(device, schedule, overflows, wrap, n):
    saturating(0)
    data = values(overflows, TOO_LARGE)  # saturates: no gradient is infinite
    got = trained(lambda: manager(schedule), wrap, data, n)
    assert got == expected(overflows, **schedule)
    assert device.ledger.device_iterations == (STEPS if n > 1 else 0)


def test_npu_optimizer_skips_by_the_status_in_inf_nan_mode_too(device):
    del device
    schedule = {"init": 64.0, "every": 4, "decr_every": 1}
    data = values((2, 7), TOO_LARGE)
    got = trained(lambda: manager(schedule), by_npu_optimizer, data, 10)
    assert got == expected((2, 7), **schedule)


def test_without_the_check_every_step_is_applied_in_saturation_mode(device):
    from npu_bridge import npu_init as npu

    saturating(0)
    data = values((), 0)
    data[4] = TOO_LARGE

    def unchecked() -> Any:
        return npu.FixedLossScaleManager(2.0, enable_overflow_check=False)

    got = trained(unchecked, by_loss_scale_optimizer, data, 10)
    assert got.step == STEPS
    assert got.weight < -8000  # 65504 / 8, the saturated gradient
    # In INF/NaN mode nobody asks for the check; NPUOptimizer never asks
    data[4] = np.inf
    saturating(1)
    assert trained(unchecked, by_loss_scale_optimizer, data, 10).step == STEPS - 1
    saturating(0)
    data[4] = TOO_LARGE
    assert trained(unchecked, by_npu_optimizer, data, 10).step == STEPS - 1
    del device


def test_the_scale_is_a_value_that_scripts_name(device):
    del device
    schedule = {"init": 64.0, "every": 4}
    found: list[Any] = []
    trained(
        lambda: manager(schedule),
        by_loss_scale_optimizer,
        values((), 0),
        10,
        [lambda session: found.append(session.run("loss_scale:0"))],
    )
    assert found == [expected((), **schedule).scale]


def test_the_state_is_kept_in_checkpoints(device, tmp_path):
    import npu_lab.tf1 as tf

    del device
    prefix = str(tmp_path / "model")
    schedule = {"init": 64.0, "every": 4}

    def save(session: Any) -> None:
        tf.train.Saver().save(session, prefix)

    trained(
        lambda: manager(schedule),
        by_loss_scale_optimizer,
        values(SPREAD, np.inf),
        10,
        [save],
    )
    kept = dict(tf.train.list_variables(prefix))
    assert set(kept) == {"w", "global_step", "loss_scale", "good_steps", "bad_steps"}
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(f"{prefix}.meta")
        with tf.Session() as session:
            saver.restore(session, prefix)
            assert session.run("good_steps:0") == expected(SPREAD, **schedule).good


def test_a_scale_below_one_is_refused(device):
    from npu_bridge import npu_init as npu

    del device
    for bad in (0.5, 0, -1, float("nan")):
        with pytest.raises(ValueError, match="1 or more"):
            npu.FixedLossScaleManager(bad)


def test_stock_and_wrapped_training_agree_without_overflow(device):
    del device
    got = trained(
        lambda: manager({"init": 1024.0}), by_loss_scale_optimizer, values((), 0), 1
    )
    assert got == State(got.weight, STEPS, np.float32(1024))
    assert npu_lab.active_device() is not None
