from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import npu_lab
from npu_lab.device import Device
from npu_lab.lab import Measurement, measure

Build = Callable[[], Any]
Config = Callable[[int], Any]


@pytest.mark.parametrize(("n", "iterations"), [(1, 0), (2, 20), (5, 20), (20, 20)])
def test_counts_of_one_repeat_come_from_the_ledger(
    device: Device, build_model: Build, npu_config: Config, n: int, iterations: int
) -> None:
    found = measure(build_model, npu_config, n, steps=20)
    assert found.round_trips == 20 // n
    assert found.device_iterations == iterations
    assert found.batches_pulled == 20
    assert len(found.seconds_per_step) == 5
    assert found.fastest <= found.median <= found.slowest
    # One call that compiles, and five repeats: counted, so all of them are here.
    assert device.ledger.training_calls == 1 + 5 * (20 // n)


def test_counts_show_when_no_loop_runs(build_model: Build, npu_config: Config) -> None:
    """They are not computed from N: a loop that does not take effect shows."""

    def without_loop(n: int) -> Any:
        config = npu_config(n)
        custom_op = config.graph_options.rewrite_options.custom_optimizers[0]
        custom_op.parameter_map["graph_run_mode"].i = 0
        return config

    with pytest.warns(npu_lab.NpuLabWarning, match="SINK025"):
        found = measure(build_model, without_loop, 10, steps=20, repeats=1)
    assert (found.round_trips, found.device_iterations) == (2, 0)
    assert found.batches_pulled == 2


def test_injected_delay_is_waited_for_and_taken_back(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    device.link_delay = 0.001
    found = measure(build_model, npu_config, 10, steps=20, repeats=2, link_delay=0.01)
    assert found.link_delay == 0.01
    assert found.fastest >= 0.01 / 10
    assert device.link_delay == 0.001


def test_a_delay_of_the_device_holds_and_is_told(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    device.link_delay = 0.01
    found = measure(build_model, npu_config, 10, steps=20, repeats=1)
    assert found.link_delay == 0.01
    assert found.fastest >= 0.01 / 10


def test_delay_is_taken_back_when_training_fails(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    def failing() -> Any:
        iterator, train_op, loss = build_model()
        calls = iter(range(2))
        import npu_lab.tf1 as tf

        def refuse(value: Any) -> Any:
            next(calls)  # fails in the third call
            return value

        return iterator, train_op, tf.py_func(refuse, [loss], tf.float32)

    with pytest.raises(Exception, match="StopIteration"):
        measure(failing, npu_config, 1, steps=5, link_delay=0.001)
    assert device.link_delay == 0


def test_n_must_divide_the_steps(build_model: Build, npu_config: Config) -> None:
    with pytest.raises(ValueError, match="nearest multiples are 18 and 21"):
        measure(build_model, npu_config, 3, steps=20)


def test_at_least_one_repeat(build_model: Build, npu_config: Config) -> None:
    with pytest.raises(ValueError, match="repeats"):
        measure(build_model, npu_config, 2, steps=20, repeats=0)


def test_without_a_device_it_says_how_to_get_one(build_model: Build) -> None:
    npu_lab.deactivate()
    with pytest.raises(RuntimeError, match=r"%load_ext npu_lab"):
        measure(build_model, lambda n: None, 1)


def test_median_is_that_of_the_repeats() -> None:
    found = Measurement(1, 10, 10, 0, 10, (0.3, 0.1, 0.2))
    assert (found.fastest, found.median, found.slowest) == (0.1, 0.2, 0.3)
