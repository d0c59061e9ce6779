from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from npu_lab import lab
from npu_lab.lab import curves
from npu_lab.lab.exercises import Placeholder
from npu_lab.lab.measurement import Measurement
from npu_lab.timing import TimingModel
from tests.lab.conftest import measured

MODEL = TimingModel(0.001, launch_seconds=0.002)
FITTED_TO = [measured(n) for n in (1, 2, 5, 10, 50, 100)]
HELD_OUT = [measured(20)]
FIT = TimingModel.fit(FITTED_TO)
GUESS = {1: 0.004, 10: 0.001}


def test_without_measurements_it_is_virtual_time_and_always_the_same() -> None:
    made = lab.plot_curve(MODEL, guess=GUESS)
    assert made == lab.plot_curve(MODEL, guess=GUESS)
    assert "virtual time" in made.provenance
    assert "wall clock" not in made.provenance
    assert "Guess: assumed by you." in made.provenance
    assert "model: N=1: 3, N=2: 2, N=5: 1.4, N=10: 1.2," in made.alt
    assert "your guess: N=1: 4, N=10: 1." in made.alt


def test_table_and_figure_hold_the_same_numbers() -> None:
    table = lab.curve_table(FIT, FITTED_TO, GUESS, HELD_OUT)
    _, *parts = lab.plot_curve(FIT, FITTED_TO, GUESS, HELD_OUT).alt[:-1].split(". ")
    shown = dict(part.split(": ", 1) for part in parts)
    columns = {"your guess": 1, "model": 2, "measured": 4, "error, held out": 6}
    assert shown.keys() == {*columns, "held out"}
    for name, column in columns.items():
        told = shown[name]
        if name == "measured":
            told += f", {shown['held out']}"
        cells = {row[0]: row[column] for row in table.rows if row[column] != "-"}
        pairs = dict(re.findall(r"N=(\d+): ([^,]+)", told))
        assert pairs == cells


def test_the_table_has_the_call_beside_the_step_and_the_spread() -> None:
    rows = lab.curve_table(FIT, FITTED_TO, None, HELD_OUT, chosen=10).rows
    n, step, call, median, spread, error = rows[3]
    assert (n, step, call, median, spread, error) == (
        "10", "560", "5600", "560", "540 - 580", "-",
    )  # fmt: skip
    assert [row[-1] for row in rows if row[-1] != "-"] == ["+0.0 %"]
    assert lab.curve_table(FIT, FITTED_TO, chosen=10).chosen == 3


def test_the_error_at_a_number_held_out_is_that_of_the_model() -> None:
    off = replace(FIT.model, step_seconds=FIT.model.step_seconds * 1.2)
    expected = off.seconds_per_step(20) / HELD_OUT[0].median - 1
    assert 0.1 < expected < 0.2
    assert f"error, held out: N=20: {100 * expected:+.1f} %" in (
        lab.plot_curve(off, held_out=HELD_OUT).alt
    )
    nearly = replace(FIT.model, step_seconds=FIT.model.step_seconds * 0.9999)
    assert "error, held out: N=20: +0.0 %" in (
        lab.plot_curve(nearly, held_out=HELD_OUT).alt
    )


@pytest.mark.parametrize(
    ("model", "measurements", "said"),
    [
        (MODEL, [], "modelled (virtual time), not fitted"),
        (FIT, FITTED_TO, "fitted to these measurements (wall clock)"),
        (FIT.model, FITTED_TO, "fitted to these measurements (wall clock)"),
        (FIT, [measured(n, 0.002) for n in (1, 2, 5, 10)], "to other measurements"),
        (FIT, [], "to other measurements"),
        (MODEL, FITTED_TO, "Two clocks"),
        (None, FITTED_TO, "Measured on this computer"),
    ],
)
def test_which_clock_the_model_is_on_is_said(
    model: Any, measurements: list[Measurement], said: str
) -> None:
    for shown in (lab.plot_curve, lab.curve_table):
        assert said in str(shown(model, measurements))
    both = "virtual" in str(lab.plot_curve(model, measurements))
    clocks = "Two clocks" in str(lab.plot_curve(model, measurements))
    assert clocks == (both and bool(measurements))


def test_what_was_injected_is_said_with_its_bandwidth() -> None:
    slow = [replace(measured(n, 0.002), bandwidth=1e6) for n in (1, 2, 5, 10)]
    for shown in (lab.plot_curve, lab.curve_table):
        assert "Injected into each round trip: 2 ms, 1 MB/s." in str(shown(None, slow))
    assert "njected" not in str(lab.plot_curve(None, FITTED_TO))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to draw"),
        ((None, [], {1: Placeholder()}), "nothing to draw"),
        ((None, [measured(1), measured(2, 0.002)]), "different delays"),
        ((None, [measured(1)], None, [replace(measured(2), bandwidth=1.0)]), "differ"),
        ((FIT, FITTED_TO, None, [measured(10)]), "N = 10: both measured and held out"),
    ],
)
def test_what_cannot_be_one_figure_is_refused(
    arguments: tuple[Any, ...], said: str
) -> None:
    for shown in (lab.plot_curve, lab.curve_table):
        with pytest.raises(ValueError, match=said):
            shown(*arguments)


@pytest.mark.parametrize(
    "guess", [None, Placeholder(), {1: Placeholder()}, {}, {0: 1.0}]
)
def test_a_guess_not_made_is_not_drawn(guess: Any) -> None:
    assert lab.plot_curve(MODEL, guess=guess) == lab.plot_curve(MODEL)


def drawn_axes(*arguments: Any) -> Any:
    drawn = curves.curve(*arguments)
    axes = Figure().add_subplot()
    series = [one for one in drawn.series if one.times]
    curves.draw(axes, series, 1.0, drawn.numbers)
    return axes


def test_every_repeat_is_a_mark_and_every_series_is_in_the_legend() -> None:
    axes = drawn_axes(FIT, FITTED_TO, GUESS, HELD_OUT)
    marks = [line for line in axes.lines if line.get_marker() == "_"]
    assert sum(len(line.get_ydata()) for line in marks) == 5 * 7
    (whole, held) = axes.collections
    assert (len(whole.get_segments()), len(held.get_segments())) == (6, 1)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["your guess", "model", "measured", "measured, held out"]


def test_a_guess_far_outside_does_not_flatten_the_curve() -> None:
    axes = drawn_axes(MODEL, [], {1: 900.0}, [])
    assert axes.get_ylim()[1] < 3 * MODEL.seconds_per_step(1)
    assert "your guess: N=1: 900000." in lab.plot_curve(MODEL, guess={1: 900.0}).alt


def test_numbers_too_close_are_left_out_of_the_figure_not_those_held_out() -> None:
    close = [measured(n) for n in (1, 2, 50, 51, 52, 100)]
    numbers = [m.iterations_per_loop for m in close]
    assert curves.columns(numbers) == [1, 2, 50, 100]
    assert curves.columns([*numbers, 53], first=[53]) == [1, 2, 53, 100]
    assert len(lab.curve_table(None, close, None, [measured(53)]).rows) == 7


def test_the_table_is_translated_the_figure_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = lab.plot_curve(FIT, FITTED_TO)
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    assert lab.plot_curve(FIT, FITTED_TO) == english
    assert "拟合" in lab.curve_table(FIT, FITTED_TO).caption


def test_the_users_settings_play_no_part() -> None:
    first = lab.plot_curve(MODEL).png
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        assert lab.plot_curve(MODEL).png == first


def test_step_times_stand_beside_those_with_a_wait_injected(
    measurements: list[Measurement], delayed: list[Measurement]
) -> None:
    made = lab.plot_step_time(measurements, delayed)
    assert "as it is: N=1: 0.92, N=2: 0.72," in made.alt
    assert "injected: N=1: 2.92, N=10: 0.76, N=100: 0.544." in made.alt
    assert "virtual" not in made.provenance
    alone = lab.plot_step_time(delayed)
    assert "measured: N=1: 2.92," in alone.alt
    assert "Series 'measured': 2 ms injected" in alone.provenance


def test_step_times_keep_their_places_while_more_are_measured() -> None:
    one = lab.plot_step_time([measured(10)], numbers=(1, 10, 100))
    other = lab.plot_step_time([measured(10), measured(1)], numbers=(1, 10, 100))
    assert (one.width, one.height) == (other.width, other.height)
    assert one.png != lab.plot_step_time([measured(10)], numbers=(1, 10)).png


def test_choosing_an_n_sets_it_off() -> None:
    for n in (10, 20):
        assert lab.plot_curve(MODEL, chosen=n).png != lab.plot_curve(MODEL).png
