from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from npu_lab import lab
from npu_lab.lab import drawing
from npu_lab.lab.exercises import Placeholder
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.picture import Picture

Measurements = list[Measurement]
PLOTS: dict[str, Callable[[Measurements, Measurements], Picture]] = {
    "stages": lambda m, d: lab.plot_migration_stages(here=(1, 2)),
    "crossings": lambda m, d: lab.plot_crossings(m[0], m[3]),
    "round trips": lambda m, d: lab.plot_round_trips(m, chosen=20, guess=7),
    "step time": lambda m, d: lab.plot_step_time(m, chosen=10),
    "step time, delayed": lambda m, d: lab.plot_step_time(m, delayed=d),
}


@pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
def test_one_image_with_alt_text_and_provenance(
    plot: Callable[[Measurements, Measurements], Picture],
    measurements: Measurements,
    delayed: Measurements,
) -> None:
    made = plot(measurements, delayed)
    data, metadata = made._repr_mimebundle_()
    assert sorted(data) == ["image/png", "text/plain"]
    assert metadata["image/png"]["alt"] == made.alt
    assert made.alt.endswith(".")
    assert made.provenance in data["text/plain"]
    words = ("Counted by the ledger", "Measured on this computer", "no measurement")
    assert any(word in made.provenance for word in words)
    with Image.open(io.BytesIO(made.png)) as image:
        # Twice the size it has on the page, and it fits into a notebook.
        assert image.size == (2 * made.width, 2 * made.height)
    assert made.width <= 760


def test_no_figure_stays_open(measurements: Measurements) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    lab.plot_round_trips(measurements)
    assert plt.get_fignums() == []


def test_pictures_do_not_follow_the_users_settings(measurements: Measurements) -> None:
    first = lab.plot_round_trips(measurements).png
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        assert lab.plot_round_trips(measurements).png == first


def test_round_trips_have_their_numbers_in_the_alt_text(
    measurements: Measurements,
) -> None:
    made = lab.plot_round_trips(measurements)
    assert (
        "N=1: 100, N=2: 50, N=5: 20, N=10: 10, N=20: 5, N=50: 2, N=100: 1" in made.alt
    )


@pytest.mark.parametrize("guess", [None, Placeholder()])
def test_a_guess_not_made_is_not_drawn(
    measurements: Measurements, guess: object
) -> None:
    without = lab.plot_round_trips(measurements, chosen=20)
    assert lab.plot_round_trips(measurements, chosen=20, guess=guess) == without


def test_a_guess_is_drawn_beside_the_counts(measurements: Measurements) -> None:
    without = lab.plot_round_trips(measurements, chosen=20)
    made = lab.plot_round_trips(measurements, chosen=20, guess=12)
    assert "Your guess: 12." in made.alt
    assert made.png != without.png


NUMBERS = [12, 12.0, np.int64(12), np.float32(12), Decimal(12), Fraction(12), " 12 "]


@pytest.mark.parametrize("guess", NUMBERS, ids=repr)
def test_a_number_of_any_kind_is_a_guess(
    measurements: Measurements, guess: object
) -> None:
    assert "Your guess: 12." in lab.plot_round_trips(measurements, guess=guess).alt


@pytest.mark.parametrize(
    "guess",
    [True, "five", "", float("nan"), "inf", 10**400, 1j, [5], Decimal("sNaN")],
    ids=lambda guess: repr(guess)[:9],
)
def test_what_is_no_number_is_told_and_not_drawn(
    measurements: Measurements, guess: object
) -> None:
    made = lab.plot_round_trips(measurements, guess=guess)
    assert str(made).count("Your guess: not a number, not drawn.") == 1
    assert "Your guess" not in made.alt


@pytest.mark.parametrize(
    ("guess", "at", "label"),
    [
        (12, 12, "your guess: 12"),
        (1e9, 200, "▲ your guess: 1e+09"),
        (-3, 0, "▼ your guess: -3"),
    ],
)
def test_a_guess_far_outside_stands_at_the_edge_with_its_value(
    measurements: Measurements, guess: float, at: float, label: str
) -> None:
    axes = Figure().add_subplot()
    drawing.bars(axes, measurements, measurements[0], guess)
    (line,) = axes.lines
    assert list(line.get_ydata()) == [at, at]
    assert label in [text.get_text() for text in axes.texts]
    low, high = axes.get_ylim()
    assert (low, high <= 250) == (0, True)


def test_choosing_another_n_changes_the_picture(measurements: Measurements) -> None:
    ten = lab.plot_round_trips(measurements, chosen=10)
    twenty = lab.plot_round_trips(measurements, chosen=20)
    assert ten.png != twenty.png


def test_injected_delay_is_labelled(
    measurements: Measurements, delayed: Measurements
) -> None:
    made = lab.plot_step_time(measurements, delayed)
    assert "2 ms injected into each round trip" in made.provenance
    assert "injected" in made.alt
    assert "injected" not in str(lab.plot_step_time(measurements))
    assert "2 ms injected" in lab.plot_step_time(delayed).provenance
    slow = [replace(m, bandwidth=10e6) for m in delayed]
    assert "2 ms, 10 MB/s injected" in lab.plot_step_time(slow).provenance
    with_slow = lab.plot_step_time(measurements, slow)
    assert "2 ms, 10 MB/s injected" in with_slow.provenance


def test_saved_whole_with_no_file_left_over(
    tmp_path: Path, measurements: Measurements
) -> None:
    made = lab.plot_round_trips(measurements)
    made.save(tmp_path / "picture.png")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]
    assert (tmp_path / "picture.png").read_bytes() == made.png


def test_an_unknown_chosen_n_is_an_error(measurements: Measurements) -> None:
    with pytest.raises(KeyError):
        lab.plot_round_trips(measurements, chosen=3)
