from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import npu_lab
from npu_lab import lab
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


def test_injected_bandwidth_is_waited_for_and_taken_back(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    device.bandwidth = 1e6
    # A call fetches a loss of 4 bytes.
    found = measure(build_model, npu_config, 10, steps=20, repeats=1, bandwidth=200)
    assert (found.bandwidth, found.injected) == (200, "0.0002 MB/s")
    assert found.fastest >= 4 / 200 / 10
    assert device.bandwidth == 1e6
    found = measure(build_model, npu_config, 10, steps=20, repeats=1)
    assert found.injected == "1 MB/s"


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


def test_a_sweep_lets_the_numbers_take_turns(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    device.trace.__enter__()
    found = lab.measure_sweep(build_model, npu_config, (1, 2, 4), 8, runs=3)
    assert [(m.iterations_per_loop, m.round_trips) for m in found] == [
        (1, 8),
        (2, 4),
        (4, 2),
    ]
    assert all(len(m.seconds_per_step) == 3 for m in found)
    # Each N is compiled once, in the first turn; then their calls alternate.
    per_call = Counter(span.call for span in device.trace.timeline().of("compute"))
    turn = [1] * 8 + [2] * 4 + [4] * 2
    first = [1, *[1] * 8, 2, *[2] * 4, 4, *[4] * 2]
    steps = [n for _, n in sorted(per_call.items()) if n > 1]
    assert steps == [n for n in [*first, *turn, *turn] if n > 1]


def test_a_sweep_says_how_far_it_is_at_most_twice_a_second(
    build_model: Build, npu_config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(step=0.2)
    monkeypatch.setattr("npu_lab.lab.measurement.time.monotonic", lambda: next(clock))
    told: list[str] = []
    lab.measure_sweep(build_model, npu_config, (1, 2), 4, runs=6, progress=told.append)
    assert 2 <= len(told) <= 7
    assert told[-1] == "Measured N = 1, 2: 6 runs of 4 steps each, in turns."
    assert all("Measuring N = " in text for text in told[:-1])
    assert not any("\n" in text for text in told)


@pytest.mark.parametrize(("calls", "kept"), [(3, [1]), (8, [1, 2])])
def test_an_interrupted_sweep_keeps_what_it_has(
    device: Device, build_model: Build, npu_config: Config, calls: int, kept: list[int]
) -> None:
    interrupt_after(device, calls)
    told: list[str] = []
    found = lab.measure_sweep(
        build_model, npu_config, (1, 2), 2, progress=told.append, link_delay=0.001
    )
    assert [m.iterations_per_loop for m in found] == kept
    assert told[-1].startswith("Interrupted.")
    assert device.link_delay == 0


def test_interrupted_before_anything_was_measured_it_raises(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    interrupt_after(device, 1)
    with pytest.raises(KeyboardInterrupt):
        lab.measure_sweep(build_model, npu_config, (1, 2), 2)


def interrupt_after(device: Device, training_calls: int) -> None:
    """As Ctrl-C does it: KeyboardInterrupt in a training call."""
    seen = itertools.count(1)

    def before_call(kind: str) -> None:
        if kind == "training" and next(seen) > training_calls:
            raise KeyboardInterrupt

    device.before_call = before_call


def test_a_sweep_refuses_before_it_measures(
    device: Device, build_model: Build, npu_config: Config
) -> None:
    with pytest.raises(ValueError, match="nearest multiples are 18 and 21"):
        lab.measure_sweep(build_model, npu_config, (1, 3), 20)
    assert device.ledger.session_runs == 0


def test_in_a_notebook_one_line_below_the_cell_shows_the_progress(
    build_model: Build, npu_config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []

    class Shell:
        display_pub = None

    class Handle:
        def update(self, data: Any, *, raw: bool) -> None:
            shown.append(data["text/plain"])

    def display(data: Any, *, raw: bool, display_id: bool) -> Handle:
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setattr("IPython.get_ipython", Shell)
    monkeypatch.setattr("IPython.display.display", display)
    lab.measure_sweep(build_model, npu_config, (1, 2), 2, runs=1)
    assert shown[-1] == "Measured N = 1, 2: 1 runs of 2 steps each, in turns."
