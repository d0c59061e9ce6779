"""Widgets over N: they measure or model when moved, and show it in place.

Everything they show comes from plain functions; here are only the controls.  The
children are updated in place, so the cell keeps its height and has no output but the
widget.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ipywidgets

from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab import curves, pages, plots, tables, timeline
from npu_lab.lab._texts import say
from npu_lab.lab.measurement import (
    STEPS,
    Build,
    Config,
    Measurement,
    measure,
    measure_sweep,
)
from npu_lab.timing import Fit, TimingModel

CHOICES = curves.NUMBERS
STEPS_SHOWN = 20
WRAPPED = {"flex_flow": "row wrap"}


class Panel(ipywidgets.VBox):  # type: ignore[misc]
    """Controls, a line of status, and HTML that is updated in place."""

    def __init__(self, controls: Sequence[Any], shown: Sequence[Any]) -> None:
        self.status = ipywidgets.HTML()
        super().__init__([*controls, self.status, *shown])

    @property
    def text(self) -> str:
        """What a page without widgets shows."""
        raise NotImplementedError

    def tell(self, text: str) -> None:
        """Put a text into the line of status."""
        self.status.value = pages.styled(pages.fill("status", text=text))

    def guarded(self, show: Callable[[], None]) -> Callable[[Any], None]:
        """`show` as a callback that tells its errors, which would vanish."""

        def called(_change: Any) -> None:
            try:
                show()
            except KeyboardInterrupt:
                self.tell(say("interrupted"))
            except Exception as error:  # noqa: BLE001 (shown, where one looks)
                self.tell(say("failed", reason=f"{type(error).__name__}: {error}"))

        return called

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        # Its own text would spell out all that is shown, times included.
        data["text/plain"] = self.text
        return bundle


class RoundTripSlider(Panel):
    """A slider over `choices`; `measure_at(N)` is called whenever it has been moved.

    `measurements` holds the last measurement at each N that was visited, in the order
    of N; the first of the choices is measured at the start, to compare with.
    """

    def __init__(
        self,
        measure_at: Callable[[int], Measurement],
        choices: Sequence[int] = CHOICES,
        value: int = 10,
    ) -> None:
        self._measure_at = measure_at
        self._choices = list(choices)
        self._by_n: dict[int, Measurement] = {}
        self.slider = _slider(choices, value)
        self.picture = ipywidgets.HTML()
        self.step_time = ipywidgets.HTML()
        self.table = ipywidgets.HTML()
        super().__init__([self.slider], [self.table, self.picture, self.step_time])
        self.slider.observe(
            self.guarded(lambda: self.show(self.slider.value)), names="value"
        )
        if value != choices[0]:
            self._by_n[choices[0]] = measure_at(choices[0])
        self.show(value)

    @property
    def measurements(self) -> list[Measurement]:
        """What was measured so far, by N."""
        return [self._by_n[n] for n in sorted(self._by_n)]

    def show(self, iterations_per_loop: int) -> None:
        """Measure at N and bring pictures and tables up to date."""
        n = iterations_per_loop
        self.tell(say("measuring", n=n))
        with _noted() as notes:
            self._by_n[n] = self._measure_at(n)
        plain, chosen = self._by_n[self._choices[0]], self._by_n[n]
        pair = [plain, chosen] if plain is not chosen else [chosen]
        self.table.value = pages.styled(tables.measurement_table(pair, n).html)
        self.picture.value = pages.styled(plots.plot_crossings(plain, chosen).html)
        self.step_time.value = pages.styled(
            curves.plot_step_time(self.measurements, (), n, self._choices).html
        )
        self.tell(" ".join([say("measured", n=n), *notes]))

    @property
    def text(self) -> str:
        """The choices; no time that was measured."""
        return say("slider text", choices=", ".join(map(str, self._choices)))


class NExplorer(Panel):
    """A slider over N for a timing model: timeline, times, and curve, all modelled.

    `guess` and `measured` are laid over the curve, as `plot_curve` does.
    """

    def __init__(
        self,
        model: TimingModel | Fit,
        guess: Any = None,
        measured: Sequence[Measurement] = (),
    ) -> None:
        self._overlay = model, measured, guess
        self._model = model.model if isinstance(model, Fit) else model
        numbers = sorted({*CHOICES, *(m.iterations_per_loop for m in measured)})
        self.slider = _slider(numbers, 10)
        self.timeline, self.table, self.picture = (ipywidgets.HTML() for _ in range(3))
        super().__init__([self.slider], [self.timeline, self.table, self.picture])
        self.slider.observe(self.guarded(self.show), names="value")
        self.show()

    def show(self) -> None:
        """Bring timeline, table and curve up to date."""
        n, model = self.slider.value, self._model
        steps = max(STEPS_SHOWN, n)
        run, plain = (model.schedule(steps, number) for number in (n, 1))
        drawn = timeline.plot_timeline(run, plain if n > 1 else None)
        self.timeline.value = drawn.html
        for part, plain_function in (
            (self.table, curves.curve_table),
            (self.picture, curves.plot_curve),
        ):
            part.value = pages.styled(plain_function(*self._overlay, chosen=n).html)
        milliseconds = [
            1000 * t for t in (model.call_seconds(n), model.seconds_per_step(n))
        ]
        self.tell(say("explored", n=n, call=milliseconds[0], step=milliseconds[1]))

    @property
    def text(self) -> str:
        """The choices, and the table where it holds virtual time alone."""
        model, measured, guess = self._overlay
        choices = ", ".join(name for name, _ in self.slider.options)
        told = say("slider text", choices=choices)
        if measured or isinstance(model, Fit):
            return told
        table = curves.curve_table(model, (), guess, chosen=self.slider.value)
        return f"{told}\n{table}"


class Sweep(Panel):
    """A button that measures a model at all `numbers`, as `measure_sweep` does.

    Shown is what `plot_curve` and `curve_table` show.  Without a `model`, one is fitted
    to all N but those `held_out`.  Interrupting the kernel ends the sweep; what was
    measured stays in `measurements`.
    """

    def __init__(
        self,
        build_model: Build,
        npu_config: Config,
        numbers: Sequence[int] = CHOICES,
        steps: int = STEPS,
        *,
        model: TimingModel | Fit | None = None,
        guess: Any = None,
        held_out: Sequence[int] = (),
        **how: Any,
    ) -> None:
        self._measured = build_model, npu_config, numbers, steps
        self._how, self._model = how, model
        self._guess, self._held_out = guess, held_out
        self.measurements: list[Measurement] = []
        self.button = ipywidgets.Button(description=say("sweep button"))
        self.table = ipywidgets.HTML()
        self.picture = ipywidgets.HTML(layout={"min_height": "360px"})
        super().__init__([self.button], [self.table, self.picture])
        self.button.on_click(self.guarded(self.run))
        self.tell(say("sweep ready"))

    def run(self) -> None:
        """Measure, then show."""
        with _noted() as notes:
            self.measurements = measure_sweep(
                *self._measured, progress=self.tell, **self._how
            )
        parts: dict[bool, list[Measurement]] = {False: [], True: []}
        for m in self.measurements:
            parts[m.iterations_per_loop in self._held_out].append(m)
        model = self._model
        if model is None:
            with contextlib.suppress(ValueError):  # too few N
                model = TimingModel.fit(parts[False])
        overlay = model, parts[False], self._guess, parts[True]
        lines = [pages.fill("line", text=note) for note in notes]
        table = curves.curve_table(*overlay).html
        self.table.value = pages.styled(pages.join([*lines, table]))
        self.picture.value = pages.styled(curves.plot_curve(*overlay).html)

    @property
    def text(self) -> str:
        """That there is a button."""
        return say("sweep text")


def round_trip_slider(
    build_model: Build,
    npu_config: Config,
    *,
    choices: Sequence[int] = CHOICES,
    value: int = 10,
    **how: Any,
) -> RoundTripSlider:
    """A slider over N for a model; the arguments are those of `measure`.

    Moving it trains anew: round trips and batches are counted by the ledger, the time
    per step is taken in five repeats.
    """
    return RoundTripSlider(
        lambda n: measure(build_model, npu_config, n, **how), choices, value
    )


n_explorer, sweep = NExplorer, Sweep


def _slider(numbers: Sequence[int], value: int) -> Any:
    return ipywidgets.SelectionSlider(
        options=[(str(n), n) for n in numbers],
        value=value,
        description=say("slider label"),
        continuous_update=False,
        style={"description_width": "initial"},
        layout={"width": "520px", "max_width": "100%"},
    )


@contextlib.contextmanager
def _noted() -> Iterator[list[str]]:
    """Collects the texts of diagnostics that would be shown beside the widget."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NpuLabWarning)
        yield notes
    notes += [str(w.message) for w in caught if issubclass(w.category, NpuLabWarning)]
