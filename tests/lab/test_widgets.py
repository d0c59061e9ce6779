from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets
import pytest

from npu_lab import lab
from npu_lab.device.warn import warn
from npu_lab.diagnostics import diagnose
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.widgets import RoundTripSlider

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def measure_at(measurements: list[Measurement]) -> Callable[[int], Measurement]:
    by_n = {m.iterations_per_loop: m for m in measurements}
    return lambda n: by_n[n]


def test_shows_the_same_as_the_plain_functions(
    measure_at: Callable[[int], Measurement],
) -> None:
    panel = RoundTripSlider(measure_at)
    pair = [measure_at(1), measure_at(10)]
    assert str(lab.measurement_table(pair, 10).html) in panel.table.value
    assert str(lab.plot_crossings(*pair).html) in panel.picture.value
    assert "N=1: 0.92, N=10: 0.56" in panel.step_time.value


def test_moving_it_measures_and_changes_picture_and_table(
    measure_at: Callable[[int], Measurement],
) -> None:
    measured = []

    def noted(n: int) -> Measurement:
        measured.append(n)
        return measure_at(n)

    panel = RoundTripSlider(noted)
    children = panel.children
    before = panel.table.value, panel.picture.value, panel.step_time.value
    panel.slider.value = 20
    assert measured == [1, 10, 20]
    after = panel.table.value, panel.picture.value, panel.step_time.value
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert panel.children == children  # updated in place
    assert [m.iterations_per_loop for m in panel.measurements] == [1, 10, 20]


def test_back_at_n_1_it_compares_with_itself(
    measure_at: Callable[[int], Measurement],
) -> None:
    panel = RoundTripSlider(measure_at, value=1)
    assert panel.table.value.count("<tr class=") == 1
    assert "N=1: 100, N=1: 100" in panel.picture.value


def test_controls_wait_until_the_slider_is_let_go(
    measure_at: Callable[[int], Measurement],
) -> None:
    panel = RoundTripSlider(measure_at)
    assert panel.slider.continuous_update is False
    assert not any(isinstance(c, ipywidgets.Output) for c in panel.children)
    assert all(
        isinstance(c, (ipywidgets.HTML, ipywidgets.SelectionSlider))
        for c in panel.children
    )


def test_text_without_widgets_holds_no_measured_number(
    measure_at: Callable[[int], Measurement],
) -> None:
    bundle: Any = RoundTripSlider(measure_at)._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert VIEW in data
    assert "1, 2, 5, 10, 20, 50, 100" in data["text/plain"]
    assert "ms" not in data["text/plain"]
    assert "next cell" in data["text/plain"]


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError("no such thing"), "ValueError: no such thing"),
        (KeyboardInterrupt(), "Interrupted"),
    ],
)
def test_a_failed_measurement_is_shown_and_the_next_works(
    measure_at: Callable[[int], Measurement], error: BaseException, shown: str
) -> None:
    def sometimes(n: int) -> Measurement:
        if n == 50:
            raise error
        return measure_at(n)

    panel = RoundTripSlider(sometimes)
    panel.slider.value = 50
    assert shown in panel.status.value
    panel.slider.value = 20
    assert "Measured N = 20" in panel.status.value


def test_diagnostics_of_a_measurement_are_shown_in_the_panel(
    measure_at: Callable[[int], Measurement], recwarn: pytest.WarningsRecorder
) -> None:
    def warning(n: int) -> Measurement:
        if n == 20:
            warn(diagnose("SINK007", option=20, loaded=5))
        return measure_at(n)

    panel = RoundTripSlider(warning)
    panel.slider.value = 20
    assert "SINK007" in panel.status.value
    assert not recwarn.list


def test_round_trip_slider_measures_a_model(
    build_model: Callable[[], Any], npu_config: Callable[[int], Any]
) -> None:
    panel = lab.round_trip_slider(
        build_model, npu_config, choices=(1, 2, 4), value=2, steps=8, repeats=2
    )
    panel.slider.value = 4
    assert [m.round_trips for m in panel.measurements] == [8, 4, 2]
    assert "Measured N = 4" in panel.status.value
