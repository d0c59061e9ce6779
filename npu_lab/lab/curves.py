"""The time per step over N: guess, model and measurements, as figures and as a table.

Without measurements all of it is virtual time, the same on every computer.  With them
the model is on their clock only if it was fitted to them; what is drawn always says so.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from npu_lab import language
from npu_lab.lab import drawing, picture
from npu_lab.lab._texts import TEXTS, say
from npu_lab.lab.measurement import Measurement
from npu_lab.lab.picture import DEVICE, HELD_OUT, INK, MUTED, OTHER, Picture
from npu_lab.lab.plots import WIDTH, number_of
from npu_lab.lab.tables import Table
from npu_lab.lab.timeline import UNITS
from npu_lab.timing import Fit, TimingModel

Times = Mapping[int, tuple[float, ...]]

NUMBERS = (1, 2, 5, 10, 20, 50, 100)
NAMES = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
APART = 46  # pixels between two columns of numbers
LEFT, RIGHT = 0.155, 0.985  # of the width
HIGH, ROW, LINE = 230, 21.4, 14  # pixels: of the axes, a row of numbers, a line


class Series(NamedTuple):
    """What is drawn in one colour, mark and line: seconds by N, of every repeat."""

    name: str
    colour: str
    mark: str
    line: str = "none"
    label: str | None = None
    times: Times = MappingProxyType({})
    path: Mapping[int, float] = MappingProxyType({})  # of the line, if not the medians

    @property
    def medians(self) -> dict[int, float]:
        """One time for each N."""
        return {n: statistics.median(self.times[n]) for n in sorted(self.times)}

    @property
    def longest(self) -> float:
        """The longest time, 0 if there is none."""
        every = itertools.chain(self.path.values(), *self.times.values())
        return max(every, default=0.0)


# No two of them share a colour or a mark.
GUESS = Series("your guess", OTHER, "D", "--")
MODEL = Series("model", DEVICE, "x", "-")
MEASURED = Series("measured", INK, "o")
HELD = Series("held out", HELD_OUT, "^", label="measured, held out")
AS_IT_IS, INJECTED = Series("as it is", DEVICE, "o"), Series("injected", OTHER, "s")


class Curve(NamedTuple):
    """The series of one figure: guess, model, measured, held out; some may be empty."""

    series: tuple[Series, ...]
    notes: tuple[str, ...]
    facts: dict[str, object]

    @property
    def numbers(self) -> list[int]:
        """Every N."""
        return sorted({n for one in self.series for n in one.times})

    @property
    def errors(self) -> dict[int, str]:
        """The model's relative error at each N held out."""
        _, modelled, _, held = (one.medians for one in self.series)
        errors = {n: modelled[n] / held[n] - 1 for n in held if modelled}
        return {n: f"{100 * error:+z.1f} %" for n, error in errors.items()}

    def provenance(self, to: language.Language) -> list[str]:
        """Where each series comes from, a sentence each."""
        return [TEXTS[f"curve {key}"][to].format(**self.facts) for key in self.notes]


def curve(
    model: TimingModel | Fit | None,
    measured: Sequence[Measurement],
    guess: Any,
    held_out: Sequence[Measurement],
) -> Curve:
    """Put together what is to be drawn; ValueError where that cannot be one figure."""
    every = [*measured, *held_out]
    if len({(m.link_delay, m.bandwidth) for m in every}) > 1:
        raise ValueError(say("curve injections"))
    times, held = _times(measured), _times(held_out)
    if both := sorted(times.keys() & held):
        raise ValueError(say("curve twice", numbers=", ".join(map(str, both))))
    given = guess if isinstance(guess, Mapping) else {}
    values = {n: number_of(one) for n, one in given.items()}
    guessed = {n: (one,) for n, one in values.items() if one is not None and n > 0}
    if not (every or model or guessed):
        raise ValueError(say("curve empty"))
    origin = _origin(model, measured)
    pure = model.model if isinstance(model, Fit) else model
    places = {*guessed, *times, *held} if every else {*guessed, *NUMBERS}
    low, high = _ends(places)
    dense = {max(1, round(low * (high / low) ** (k / 100))) for k in range(101)}
    path = pure.curve(sorted(places | dense)) if pure else {}
    modelled = {n: (path[n],) for n in places if pure}
    facts = _facts(every)
    there = {
        "guess": guessed,
        origin: pure,
        "measured": every,
        "held out": held,
        "injected": facts.get("injected"),
        "clocks": every and pure and origin == "virtual",
    }
    series = (
        GUESS._replace(times=guessed),
        MODEL._replace(times=modelled, path=path),
        MEASURED._replace(times=times),
        HELD._replace(times=held),
    )
    return Curve(series, tuple(key for key in there if there[key]), facts)


def _times(measurements: Iterable[Measurement]) -> Times:
    times: dict[int, tuple[float, ...]] = {}
    for m in measurements:
        n = m.iterations_per_loop
        times[n] = times.get(n, ()) + m.seconds_per_step
    return times


def _facts(every: Sequence[Measurement]) -> dict[str, object]:
    """How it was measured."""
    if not every:
        return {}
    runs = {len(times) for times in _times(every).values()}
    told = "-".join(str(number) for number in sorted({min(runs), max(runs)}))
    return {"runs": told, "steps": every[0].steps, "injected": every[0].injected}


def _origin(model: TimingModel | Fit | None, measured: Sequence[Measurement]) -> str:
    """Which clock the model is on: "fitted" is that of the measurements."""
    try:
        fit = TimingModel.fit(measured)
    except ValueError:  # too few
        fit = None
    if fit and model in (fit, fit.model):
        return "fitted"
    return "fitted elsewhere" if isinstance(model, Fit) else "virtual"


def plot_curve(
    model: TimingModel | Fit | None = None,
    measured: Sequence[Measurement] = (),
    guess: Any = None,
    held_out: Sequence[Measurement] = (),
    chosen: int | None = None,
) -> Picture:
    """The time per step over N: the learner's guess, the model, the measurements.

    Args:
        model: a timing model or a fit.  It is said whether it was fitted to
            `measured`; if not, its time is virtual.
        measured: every repeat is a small mark, the median a large one.
        guess: {N: seconds}; anything else is no guess.
        held_out: measured as well, but not for the fit: the model's relative error is
            shown at each.
        chosen: an N to set off.

    Raises:
        ValueError: there is nothing to draw; the measurements had different delays or
            bandwidths injected; an N is both measured and held out.
    """
    drawn = curve(model, measured, guess, held_out)
    notes = "\n".join(drawn.provenance("en"))
    return _picture(drawn.series, drawn.numbers, notes, chosen, drawn.errors)


def plot_step_time(
    measurements: Sequence[Measurement],
    delayed: Sequence[Measurement] = (),
    chosen: int | None = None,
    numbers: Sequence[int] | None = None,
) -> Picture:
    """Wall-clock time per step at each N: each repeat a small mark, the median a large.

    The medians stand as numbers below.  `delayed` is a second series, measured with a
    wait injected into each round trip.  `numbers` are the N that get a place, by
    default those that were measured.
    """
    plain = (AS_IT_IS if delayed else MEASURED)._replace(times=_times(measurements))
    slow = INJECTED._replace(times=_times(delayed))
    notes = [TEXTS["curve measured"]["en"].format(**_facts(measurements))]
    for name, series in (plain.name, measurements), (slow.name, delayed):
        if series and series[0].injected:
            told = f"{series[0].injected} injected into each round trip"
            notes.append(f"Series {name!r}: {told}.")
            slow = slow._replace(label=told)
    places = numbers or sorted({*plain.times, *slow.times})
    return _picture((plain, slow), places, "\n".join(notes), chosen)


def curve_table(
    model: TimingModel | Fit | None = None,
    measured: Sequence[Measurement] = (),
    guess: Any = None,
    held_out: Sequence[Measurement] = (),
    chosen: int | None = None,
) -> Table:
    """The table twin of `plot_curve`, with the modelled time of a whole call as well.

    The arguments and the errors are those of `plot_curve`.
    """
    drawn = curve(model, measured, guess, held_out)
    unit, size = _unit(drawn.series)
    guessed, modelled, timed, held = (one.medians for one in drawn.series)
    both = {**drawn.series[2].times, **drawn.series[3].times}
    ends = [_texts({n: end(both[n]) for n in both}, size) for end in (min, max)]
    columns = {
        "your guess": _texts(guessed, size),
        "per step": _texts(modelled, size),
        "per call": _texts({n: n * step for n, step in modelled.items()}, size),
        "measured step": _texts({**timed, **held}, size),
        "spread": {n: f"{ends[0][n]} - {ends[1][n]}" for n in both},
        "held out": drawn.errors,
    }
    there = {name: cells for name, cells in columns.items() if cells}
    numbers = drawn.numbers
    rows = [(str(n), *(cells.get(n, "-") for cells in there.values())) for n in numbers]
    return Table(
        say("between sentences").join(drawn.provenance(language.current())),
        ("N", *(say(f"curve column {name}", unit=unit) for name in there)),
        tuple(rows),
        numbers.index(chosen) if chosen in numbers else None,
    )


def _picture(
    series: Sequence[Series],
    numbers: Sequence[int],
    notes: str,
    chosen: int | None,
    errors: Mapping[int, str] = MappingProxyType({}),
) -> Picture:
    unit, size = _unit(series)
    rows = [(s.name, s.colour, _texts(s.medians, size)) for s in series if s.times]
    if errors:
        rows.append(("error, held out", HELD_OUT, {**errors}))
    under = ROW * (1 + len(rows)) + LINE * len(notes.splitlines()) + 12
    high = HIGH + under
    with picture.style():
        figure = picture.canvas(WIDTH, round(high))
        axes = figure.add_axes((LEFT, under / high, RIGHT - LEFT, (HIGH - 26) / high))
        draw(axes, [one for one in series if one.times], size, numbers, chosen)
        shown = columns(numbers, errors)
        drawing.row_name(axes, 1, "N", INK)
        for line, (name, colour, cells) in enumerate(rows, 2):
            kept = {n: text for n, text in cells.items() if n in shown}
            drawing.row(axes, line, name, colour, kept, chosen)
        axes.set_xticks(shown, [str(n) for n in shown])
        axes.set_title(f"{NAMES[unit]} per training step")
    told = ". ".join(
        f"{name}: " + ", ".join(f"N={n}: {text}" for n, text in cells.items())
        for name, _, cells in rows
    )
    alt = f"Time per training step over N, in {NAMES[unit]}. {told}."
    return picture.finished(figure, alt, notes)


def _unit(series: Sequence[Series]) -> tuple[str, float]:
    """The unit of a figure, by the longest time that is no guess, if there is one."""
    longest = [one.longest for one in series if one.name != GUESS.name]
    top = max(longest) or series[0].longest
    return next((unit for unit in UNITS if top >= unit[1]), UNITS[-1])


def _texts(seconds: Mapping[int, float], size: float) -> dict[int, str]:
    """Three digits each, and no exponent."""
    return {n: f"{float(f'{one / size:.3g}'):.12g}" for n, one in seconds.items()}


def columns(numbers: Sequence[int], first: Iterable[int] = ()) -> list[int]:
    """The N whose texts have room below the axis; those of `first` come first."""
    low, high = _ends(numbers)
    pixels = (RIGHT - LEFT) * WIDTH / math.log(high / low)
    shown: list[int] = []
    for n in [*first, *numbers]:
        if all(abs(math.log(n / other)) * pixels >= APART for other in shown):
            shown.append(n)
    return sorted(shown)


def _ends(numbers: Iterable[int]) -> tuple[float, float]:
    return min(numbers) / 1.25, max(numbers) * 1.25


def draw(
    axes: Any,
    series: Sequence[Series],
    size: float,
    numbers: Sequence[int],
    chosen: int | None = None,
) -> None:
    """The marks and lines of all series, and a legend; `size` is that of the unit."""
    low, high = _ends(numbers)
    longest = {one.name: one.longest for one in series}
    guessed = longest.pop(GUESS.name, 0.0)
    slowest = max(longest.values(), default=0.0)
    # A guess far outside stands at the edge; its number is below.
    top = 1.08 * (max(slowest, min(guessed, 2 * slowest)) or guessed or 1) / size
    for one in series:
        look: Any = {"color": one.colour, "linewidth": 1.5, "markerfacecolor": "none"}
        lined, medians = one.path or one.medians, one.medians
        for times, how in (lined, {"ls": one.line}), (medians, {"marker": one.mark}):
            ys = [min(max(seconds / size, 0), top) for seconds in times.values()]
            clip = times is one.path
            axes.plot([*times], ys, **{"ls": "none", **look, **how}, clip_on=clip)
        if one.line == "none":  # measured: all repeats
            marks = [(n, t / size) for n, times in one.times.items() for t in times]
            axes.plot(*zip(*marks, strict=True), "_", color=one.colour)
            ends = [[end(t) / size for t in one.times.values()] for end in (min, max)]
            axes.vlines([*one.times], *ends, color=one.colour, linewidth=1)
        label = one.label or one.name
        axes.plot([], [], **look, ls=one.line, marker=one.mark, label=label)
    if chosen is not None:
        axes.axvline(chosen, color=MUTED, linewidth=0.8, linestyle=":", zorder=0)
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.legend(frameon=False, loc="upper right", fontsize=9)
    axes.set(xlim=(low, high), ylim=(0, top))
