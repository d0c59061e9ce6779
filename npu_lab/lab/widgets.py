"""The slider over N: measures when moved, and shows pictures and tables in place.

Everything it shows comes from the plain functions of `plots` and `tables`; here are
only the controls.  The children are updated in place, so the cell keeps its height and
has no output but the widget.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from npu_lab.diagnostics import NpuLabWarning
from npu_lab.lab import pages, plots, tables
from npu_lab.lab._texts import say
from npu_lab.lab.measurement import Measurement, measure

CHOICES = (1, 2, 5, 10, 20, 50, 100)


class RoundTripSlider(ipywidgets.VBox):  # type: ignore[misc]
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
        self.slider = ipywidgets.SelectionSlider(
            options=[(str(n), n) for n in choices],
            value=value,
            description=say("slider label"),
            continuous_update=False,
            style={"description_width": "initial"},
            layout={"width": "520px", "max_width": "100%"},
        )
        self.status = ipywidgets.HTML()
        self.picture = ipywidgets.HTML()
        self.step_time = ipywidgets.HTML()
        self.table = ipywidgets.HTML()
        super().__init__(
            [self.slider, self.status, self.table, self.picture, self.step_time]
        )
        self.slider.observe(self._moved, names="value")
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
        self._tell(say("measuring", n=n))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NpuLabWarning)
            self._by_n[n] = self._measure_at(n)
        plain, chosen = self._by_n[self._choices[0]], self._by_n[n]
        pair = [plain, chosen] if plain is not chosen else [chosen]
        self.table.value = pages.styled(tables.measurement_table(pair, n).html)
        self.picture.value = pages.styled(plots.plot_crossings(plain, chosen).html)
        self.step_time.value = pages.styled(
            plots.plot_step_time(self.measurements, (), n, self._choices).html
        )
        notes = [
            str(w.message) for w in caught if issubclass(w.category, NpuLabWarning)
        ]
        self._tell(" ".join([say("measured", n=n), *notes]))

    def _moved(self, change: Any) -> None:
        # An exception in a callback would vanish.
        try:
            self.show(change["new"])
        except KeyboardInterrupt:
            self._tell(say("interrupted"))
        except Exception as error:  # noqa: BLE001 (shown, where one looks)
            reason = f"{type(error).__name__}: {error}"
            self._tell(say("failed", n=change["new"], reason=reason))

    def _tell(self, text: str) -> None:
        self.status.value = pages.styled(pages.fill("status", text=text))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        # Its own text would spell out all that is shown, times included.
        choices = ", ".join(name for name, _ in self.slider.options)
        data["text/plain"] = say("slider text", choices=choices)
        return bundle


def round_trip_slider(
    build_model: Callable[[], tuple[Any, Any, Any]],
    npu_config: Callable[[int], Any],
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
