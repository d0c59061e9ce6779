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
from npu_lab.timing import TimingModel

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
    assert "measured: N=1: 920, N=10: 560" in panel.step_time.value


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


MODEL = TimingModel(0.001, launch_seconds=0.002)


def test_the_n_explorer_shows_the_same_as_the_plain_functions() -> None:
    panel = lab.n_explorer(MODEL, {1: 0.004})
    for n in (10, 100):
        panel.slider.value = n
        run, plain = (MODEL.schedule(max(20, n), each) for each in (n, 1))
        assert lab.plot_timeline(run, plain).svg in panel.timeline.value
        arguments = MODEL, (), {1: 0.004}
        table = lab.curve_table(*arguments, chosen=n)
        assert str(table.html) in panel.table.value
        assert str(lab.plot_curve(*arguments, chosen=n).html) in panel.picture.value
    assert "102 ms per call, 1.02 ms per step" in panel.status.value


def test_at_n_1_the_n_explorer_compares_with_nothing() -> None:
    panel = lab.n_explorer(MODEL)
    panel.slider.value = 1
    assert lab.plot_timeline(MODEL.schedule(20, 1)).svg in panel.timeline.value


def test_every_measured_n_is_a_choice(measurements: list[Measurement]) -> None:
    three = Measurement(3, 100, 34, 100, 100, (0.001,))
    fit = TimingModel.fit(measurements)
    panel = lab.n_explorer(fit, measured=[*measurements, three])
    assert [n for _, n in panel.slider.options][:4] == [1, 2, 3, 5]


def test_without_widgets_the_n_explorer_holds_virtual_time_alone(
    measurements: list[Measurement],
) -> None:
    table = str(lab.curve_table(MODEL, chosen=10))
    assert table in lab.n_explorer(MODEL).text
    assert "next cell" in lab.n_explorer(MODEL).text
    fit = TimingModel.fit(measurements)
    for panel in (lab.n_explorer(fit), lab.n_explorer(MODEL, measured=measurements)):
        assert panel.text == (
            "[A slider over iterations_per_loop: 1, 2, 5, 10, 20, 50, 100. It needs a"
            " running kernel; the next cell shows the same as figure and table.]"
        )


@pytest.fixture
def sweep_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """A sweep that "measures" what it is given, or raises it."""

    def make(result: Any, **how: Any) -> Any:
        def measure_sweep(*_: Any, progress: Callable[[str], None]) -> Any:
            progress("all measured")
            if isinstance(result, Exception):
                raise result
            warn(diagnose("SINK007", option=20, loaded=5))
            return result

        monkeypatch.setattr("npu_lab.lab.widgets.measure_sweep", measure_sweep)
        return lab.sweep(None, None, **how)

    return make


def test_a_sweep_measures_when_its_button_is_pressed(
    measurements: list[Measurement], sweep_of: Callable[..., Any]
) -> None:
    panel = sweep_of(measurements, held_out=(20,))
    children = panel.children
    assert (panel.measurements, panel.table.value) == ([], "")
    panel.button.click()
    assert panel.measurements == measurements
    held = [m for m in measurements if m.iterations_per_loop == 20]
    rest = [m for m in measurements if m.iterations_per_loop != 20]
    overlay = TimingModel.fit(rest), rest, None, held
    assert str(lab.curve_table(*overlay).html) in panel.table.value
    assert str(lab.plot_curve(*overlay).html) in panel.picture.value
    assert "SINK007" in panel.table.value
    assert "all measured" in panel.status.value
    assert panel.children == children
    assert "ms" not in panel.text


def test_a_sweep_over_too_few_n_has_no_model(
    measurements: list[Measurement], sweep_of: Callable[..., Any]
) -> None:
    panel = sweep_of(measurements[:2])
    panel.button.click()
    assert str(lab.curve_table(None, measurements[:2]).html) in panel.table.value


def test_a_sweep_that_fails_says_so(sweep_of: Callable[..., Any]) -> None:
    panel = sweep_of(ValueError("no such thing"))
    panel.button.click()
    assert "ValueError: no such thing" in panel.status.value


def test_a_sweep_trains_a_model(
    build_model: Callable[[], Any], npu_config: Callable[[int], Any]
) -> None:
    panel = lab.sweep(build_model, npu_config, (1, 2, 4), 8, runs=2)
    panel.button.click()
    assert [m.round_trips for m in panel.measurements] == [8, 4, 2]
    assert "Measured N = 1, 2, 4: 2 runs of 8 steps each" in panel.status.value


def test_widgets_have_no_output_child_and_wait_until_let_go(
    sweep_of: Callable[..., Any],
) -> None:
    panel = lab.n_explorer(MODEL)
    assert panel.slider.continuous_update is False
    for each in (panel, sweep_of([])):
        assert not any(isinstance(one, ipywidgets.Output) for one in each.children)
        data: Any = each._repr_mimebundle_()
        data = data[0] if isinstance(data, tuple) else data
        assert data["text/plain"] == each.text
