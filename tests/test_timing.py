"""The timing model: the closed form is the schedule; fits and profiles are judged."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import npu_lab
from npu_lab import profile_files, timing
from npu_lab.timing import TimingModel
from tests.properties import generated

# Round figures meet the borders between the regimes, others what lies between.
seconds = st.one_of(st.integers(0, 6).map(lambda n: n / 2), st.floats(1e-9, 10))
models = st.builds(
    TimingModel,
    step_seconds=seconds,
    launch_seconds=seconds,
    loop_seconds=seconds,
    round_trip_seconds=seconds,
    bytes_per_call=seconds,
    bandwidth=st.one_of(st.none(), st.floats(0.5, 100)),
    pipeline_seconds=seconds,
    get_next_seconds=seconds,
    queue_depth=st.integers(1, 8),
)
loops = st.one_of(st.integers(1, 12), st.integers(1, 80))


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NPU_LAB_LANG", "en")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(profile_files.sys, "platform", "linux")
    return tmp_path / "npu_lab" / "profiles"


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@generated(1500)
@given(models, st.integers(0, 120), loops)
@example(TimingModel(1, 1, pipeline_seconds=3, queue_depth=1), 23, 5)
@example(TimingModel(1, 9, pipeline_seconds=3, queue_depth=2), 23, 5)
@example(TimingModel(1, 99, pipeline_seconds=3, queue_depth=8), 23, 5)
@example(TimingModel(1, 9, pipeline_seconds=3, queue_depth=3), 21, 20)
@example(TimingModel(1, 1, pipeline_seconds=3), 4, 9)
def test_closed_form_and_schedule_agree(model: TimingModel, steps: int, n: int) -> None:
    assert close(model.total_seconds(steps, n), model.schedule(steps, n).seconds)


def queue_is_kept(model: TimingModel, starts: list[float]) -> None:
    """Batch j is begun when batch j-1 is ready and batch j-depth has been taken."""
    ready = 0.0
    for j, taken in enumerate(starts):
        before = j - model.queue_depth
        ready = max(ready, starts[before] if before >= 0 else 0.0)
        ready += model.pipeline_seconds
        assert taken >= ready - 1e-9


@generated(300)
@given(models, st.integers(1, 60), loops)
def test_a_schedule_keeps_the_rules(model: TimingModel, steps: int, n: int) -> None:
    run = model.schedule(steps, n)
    assert run.provenance == "modelled"
    assert run.iterations == steps
    assert len(run.calls) == math.ceil(steps / n)
    waits, computes = run.of("get_next"), run.of("compute")
    assert [span.iteration for span in computes] == list(range(steps))
    assert all(span.call == span.iteration // n for span in (*waits, *computes))
    assert all(close(span.seconds, model.step_seconds) for span in computes)
    queue_is_kept(model, [span.end - model.get_next_seconds for span in waits])
    for number, call in enumerate(run.calls):
        own = [s for s in (*waits, *computes) if s.call == number]
        first, last = min(s.start for s in own), max(s.end for s in own)
        outside = (first - call.start) + (call.end - last)
        assert close(outside, model.overhead_seconds(n))
        assert close(call.end - last, model.round_trip_seconds / 2)
        if number:
            assert close(call.start, run.calls[number - 1].end)


@generated(300)
@given(models, loops)
def test_a_call_of_a_long_run_takes_what_is_said(model: TimingModel, n: int) -> None:
    many = 10**7
    later = model.total_seconds((many + 1) * n, n) - model.total_seconds(many * n, n)
    assert math.isclose(later, model.call_seconds(n), rel_tol=1e-6, abs_tol=1e-5)
    assert model.seconds_per_step(n) >= model.shortest_seconds
    assert model.curve([n]) == {n: model.seconds_per_step(n)}


halves = st.integers(0, 6).map(lambda n: n / 2)  # exact in binary: no rounding


@generated(500)
@given(
    st.builds(
        TimingModel,
        step_seconds=halves,
        launch_seconds=halves,
        loop_seconds=halves,
        pipeline_seconds=halves,
        get_next_seconds=halves,
        queue_depth=st.integers(1, 4),
    ),
    st.integers(1, 12),
)
def test_where_the_device_waits_in_a_long_run(model: TimingModel, n: int) -> None:
    # Where a call takes just as long as its batches, the beginning is never forgotten.
    pipeline_alone = n * model.pipeline_seconds
    device_alone = n * model.iteration_seconds + model.overhead_seconds(n)
    assume(model.call_seconds(n) > pipeline_alone or device_alone < pipeline_alone)
    calls = 60
    waits = model.schedule(calls * n, n).of("get_next")[-n:]
    late = [i for i, span in enumerate(waits) if span.seconds > model.get_next_seconds]
    assert model.starves(n) == (late[0] if late else None)


def test_a_pipeline_that_keeps_up_is_waited_for_once_at_most() -> None:
    model = TimingModel(2, launch_seconds=1, pipeline_seconds=2)
    assert model.starves(10) is None
    waits = model.schedule(30, 10).of("get_next")
    assert [span.seconds for span in waits] == [1] + [0] * 29


def test_the_arithmetic_on_paper() -> None:
    model = TimingModel(
        0.002,
        launch_seconds=0.001,
        round_trip_seconds=0.0005,
        bytes_per_call=1e6,
        bandwidth=2e9,
        get_next_seconds=0.001,
    )
    assert close(model.overhead_seconds(1), 0.002)
    assert close(model.call_seconds(1), 0.005)
    assert close(model.call_seconds(10), 0.032)
    assert close(model.speedup(10), 0.005 / 0.0032)
    assert close(model.total_seconds(25, 10), 3 * 0.002 + 25 * 0.003)
    assert model.total_seconds(0, 10) == model.schedule(0, 10).seconds == 0
    assert close(replace(model, loop_seconds=0.1).call_seconds(10), 0.132)
    assert close(replace(model, loop_seconds=0.1).call_seconds(1), 0.005)
    assert TimingModel(0).speedup(10) == 1


@generated(300)
@given(models, st.floats(0.001, 0.999))
def test_break_even_is_the_smallest_n(model: TimingModel, share: float) -> None:
    if not model.shortest_seconds:
        with pytest.raises(ValueError, match="takes no time"):
            model.break_even(share)
        return
    n = model.break_even(share)

    def overhead(n: int) -> float:
        return model.call_seconds(n) - n * model.shortest_seconds

    assert overhead(n) <= share * model.call_seconds(n) * (1 + 1e-6) + 1e-9
    for fewer in (one for one in (1, n // 2, n - 1) if 0 < one < n):
        assert overhead(fewer) >= share * model.call_seconds(fewer) * (1 - 1e-6) - 1e-9


@pytest.mark.parametrize("share", [0, 1, -0.1, 5, math.nan])
def test_a_share_is_between_0_and_1(share: float) -> None:
    with pytest.raises(ValueError, match="share must lie between 0 and 1"):
        TimingModel(1).break_even(share)


@pytest.mark.parametrize("name", [field.name for field in fields(TimingModel)])
@pytest.mark.parametrize("value", ["1", True, -1, math.nan, math.inf])
def test_a_wrong_figure_is_named(name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{name} must be") as told:
        TimingModel(**{"step_seconds": 1.0, name: value})
    assert told.type is (ValueError if type(value) in {int, float} else TypeError)


@pytest.mark.parametrize(
    "wrong", [{"bandwidth": 0}, {"queue_depth": 0}, {"queue_depth": 1.5}]
)
def test_what_cannot_be_0_or_broken(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TimingModel(1, **wrong)


def test_counts_are_judged_as_in_a_plan() -> None:
    model = TimingModel(1)
    for ask in (
        model.call_seconds,
        model.seconds_per_step,
        model.overhead_seconds,
        model.starves,
        lambda n: model.total_seconds(5, n),
        lambda n: model.schedule(5, n),
    ):
        with pytest.raises(ValueError, match="must be at least 1"):
            ask(0)
        with pytest.raises(TypeError, match="must be an integer"):
            ask(2.5)


def test_a_fit_finds_the_figures_it_was_made_from() -> None:
    made = TimingModel(0.003, launch_seconds=0.01, loop_seconds=0.005)
    fit = TimingModel.fit(made.curve([1, 2, 5, 10, 100]).items())
    for name in ("step_seconds", "launch_seconds", "loop_seconds"):
        assert close(getattr(fit.model, name), getattr(made, name))
    assert max(map(abs, fit.residuals.values())) < 1e-9
    assert max(map(abs, fit.errors(made.curve([20, 50]).items()).values())) < 1e-9
    assert fit.step_spread < 1e-9
    assert fit.overhead_spread < 1e-9


def test_without_n_1_the_loop_is_part_of_the_launch() -> None:
    made = TimingModel(0.003, launch_seconds=0.01, loop_seconds=0.005)
    fitted = TimingModel.fit(made.curve([2, 5, 10]).items()).model
    assert close(fitted.launch_seconds, 0.015)
    assert fitted.loop_seconds == 0


@generated(200)
@given(
    st.floats(1e-6, 1),
    st.floats(0, 1),
    st.lists(st.floats(-0.1, 0.1), min_size=5, max_size=5),
)
def test_a_fit_to_noise_errs_no_more_than_the_noise_allows(
    step: float, launch: float, noise: list[float]
) -> None:
    made = TimingModel(step, launch_seconds=launch)
    numbers = [2, 5, 10, 50, 100]
    measured = [
        (n, made.seconds_per_step(n) * (1 + off))
        for n, off in zip(numbers, noise, strict=True)
    ]
    fit = TimingModel.fit(measured)
    assert fit.model.step_seconds >= 0
    assert fit.model.launch_seconds >= 0
    assert set(fit.residuals) == set(numbers)
    best = sum(off**2 for off in fit.residuals.values())
    truth = sum((1 / (1 + off) - 1) ** 2 for off in noise)
    assert best <= truth + 1e-9
    for nudge in (0.999, 1.001):  # no neighbour is better
        for name in ("step_seconds", "launch_seconds"):
            other = replace(fit.model, **{name: getattr(fit.model, name) * nudge})
            errors = [other.seconds_per_step(n) / t - 1 for n, t in measured]
            assert sum(off**2 for off in errors) >= best - 1e-9


def test_the_spreads_are_the_standard_errors_of_least_squares() -> None:
    n = np.array([2, 5, 10, 50, 100])
    seconds = np.array([0.61, 0.29, 0.21, 0.108, 0.11])
    matrix = np.stack([1 / seconds, 1 / (n * seconds)], axis=1)
    figures, squares, *_ = np.linalg.lstsq(matrix, np.ones(5))
    spread = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)) * squares[0] / 3)
    fit = TimingModel.fit(zip(n.tolist(), seconds.tolist(), strict=True))
    found = [fit.model.step_seconds, fit.model.launch_seconds]
    assert found == pytest.approx(figures)
    assert [fit.step_spread, fit.overhead_spread] == pytest.approx(spread)


def test_neither_part_of_a_fit_is_negative() -> None:
    growing = TimingModel.fit([(2, 1.0), (5, 2.0), (10, 2.2)]).model
    assert growing.launch_seconds == 0
    assert growing.step_seconds > 0
    falling = TimingModel.fit([(2, 10.0), (5, 1.0), (10, 0.1)]).model
    assert falling.step_seconds == 0
    assert falling.launch_seconds > 0


def test_a_fit_takes_what_measure_returns_and_the_median_of_repeats() -> None:
    runs = [
        SimpleNamespace(iterations_per_loop=n, median=0.1 + 1 / n) for n in (2, 4, 8)
    ]
    fit = TimingModel.fit(runs)
    assert close(fit.model.launch_seconds, 1)
    held_out = [(16, 1.0), (16, (0.1 + 1 / 16) / 1.1), (16, 0.01)]
    assert close(fit.errors(held_out)[16], 0.1)


@pytest.mark.parametrize(
    "measurements", [[], [(1, 1.0), (2, 1.0), (3, 1.0)], [(2, 1.0), (2, 2.0), (3, 1.0)]]
)
def test_too_few_numbers_are_refused(measurements: list[tuple[int, float]]) -> None:
    with pytest.raises(ValueError, match="at least 3 different N above 1, not"):
        TimingModel.fit(measurements)


@pytest.mark.parametrize("time", [0, -1.0, math.nan, math.inf])
def test_a_time_that_cannot_be_is_refused(time: float) -> None:
    with pytest.raises(ValueError, match="at N=5 must be above 0 seconds"):
        TimingModel.fit([(2, 1.0), (5, time), (10, 1.0)])


BUILT_IN = ("resnet50_cifar10", "starving_host", "teaching_host")


def test_the_units_are_those_of_the_model() -> None:
    assert list(profile_files.UNITS) == [field.name for field in fields(TimingModel)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_figure_of_a_profile_says_where_it_is_from(
    monkeypatch: pytest.MonkeyPatch, name: str, language: str
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    profile = profile_files.read(name)
    said = [profile.title, *(one.source for one in profile.figures.values())]
    # A Chinese text has Chinese characters, an English one has none.
    assert all(
        any("一" <= c <= "鿿" for c in one) == (language == "zh") for one in said
    )
    assert {one.provenance for one in profile.figures.values()} == {"assumed"}
    for key, one in profile.figures.items():
        assert getattr(TimingModel.from_profile(name), key) == one.value


def test_the_profiles_teach_what_their_titles_say() -> None:
    assert timing.profiles() == BUILT_IN
    assert TimingModel.from_profile("teaching_host").starves(100) is None
    assert TimingModel.from_profile("starving_host").starves(100) is not None
    assert TimingModel.from_profile("resnet50_cifar10").speedup(100) < 1.01
    assert npu_lab.TimingModel is TimingModel


GOOD = """title = "Mine"
[step_seconds]
value = 0.002
unit = "s"
provenance = "assumed"
source = "made up"
"""


def test_a_users_profile_is_found_and_goes_first(own_place: Path) -> None:
    own_place.mkdir(parents=True)
    for name in ("mine", "teaching_host"):
        (own_place / f"{name}.toml").write_text(GOOD)
    assert set(timing.profiles()) == {*BUILT_IN, "mine"}
    assert TimingModel.from_profile("mine") == TimingModel(0.002)
    assert TimingModel.from_profile("teaching_host") == TimingModel(0.002)
    assert TimingModel.from_profile(own_place / "mine.toml") == TimingModel(0.002)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "Mine"', "", "title"),
        ("[step_seconds]", "[steps]", "step_seconds"),
        (GOOD[15:], GOOD[15:] + "[step_secs]\n", "step_secs"),
        ("value = 0.002", "", "step_seconds.value"),
        ("value = 0.002", 'value = "2 ms"', "step_seconds"),
        ("value = 0.002", "value = -1", "step_seconds"),
        ('unit = "s"', 'unit = "ms"', "step_seconds.unit"),
        ('"assumed"', '"guessed"', "step_seconds.provenance"),
        ('source = "made up"', 'source = " "', "step_seconds.source"),
        ("[step_seconds]", "[step_seconds", "line 2"),
        (GOOD[15:], "step_seconds = 1\n", "step_seconds.value"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bad_profile_is_told_by_file_and_key(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    told: str,
    language: str,
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    assert old in GOOD
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(ValueError, match=r"bad\.toml") as problem:
        TimingModel.from_profile(path)
    assert told in str(problem.value)


def test_a_profile_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"no_such: .*teaching_host"):
        TimingModel.from_profile("no_such")


def test_what_is_written_is_read_again(own_place: Path) -> None:
    path = own_place / "mine.toml"
    figure = {
        "value": 1.5e-05,
        "unit": "s",
        "provenance": "measured",
        "source": 'by "hand"\n',
        "source_zh": "手工",
    }
    profile_files.write(path, {"title": "Mine"}, {"step_seconds": figure})
    (read,) = profile_files.read("mine").figures.values()
    assert read == (1.5e-05, "s", "measured", 'by "hand"\n')
    with pytest.raises(TypeError):
        profile_files.write(path, {"title": "Other"}, {"step_seconds": {"value": {1}}})
    assert profile_files.read("mine").title == "Mine"
    assert list(own_place.iterdir()) == [path]


def test_where_a_users_profiles_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path.home() / ".local/share/npu_lab/profiles"
    place = profile_files.user_folder
    assert place({}) == place({"XDG_DATA_HOME": "not/absolute"}) == home
    assert place({"XDG_DATA_HOME": "/data", "APPDATA": "/no"}) == Path(
        "/data/npu_lab/profiles"
    )
    monkeypatch.setattr(profile_files.sys, "platform", "win32")
    assert place({"XDG_DATA_HOME": "/no", "APPDATA": "/app"}) == Path(
        "/app/npu_lab/profiles"
    )
