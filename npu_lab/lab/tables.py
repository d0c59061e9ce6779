"""Tables: the text twin of every picture, as HTML and as aligned text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npu_lab.lab import pages
from npu_lab.lab._texts import say
from npu_lab.lab.measurement import Measurement


@dataclass(frozen=True)
class Table(pages.Shown):
    """Rows under a header; `caption` says where the numbers come from.

    `chosen` is the index of a row to set off, or None.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chosen: int | None = None

    def __str__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join(
                " " * (width - text_width(cell)) + cell
                for cell, width in zip(line, widths, strict=True)
            )
            for line in lines
        ]
        return "\n".join([*text, self.caption])

    @property
    def html(self) -> pages.Html:
        """The table without its style sheet."""
        header = [pages.fill("table_heading", text=text) for text in self.header]
        rows = []
        for number, row in enumerate(self.rows):
            cells = pages.join([pages.fill("table_cell", text=cell) for cell in row])
            kind = "npu-lab-chosen" if number == self.chosen else "npu-lab-row"
            rows.append(pages.fill("table_row", kind=kind, cells=cells))
        return pages.fill(
            "table",
            caption=self.caption,
            header=pages.join(header),
            rows=pages.Html("\n".join(rows)),
        )


def round_trip_table(
    measurements: Sequence[Measurement], chosen: int | None = None
) -> Table:
    """What crossed between host and device at each N: counts, no clock.

    `chosen` is the N whose row is set off.
    """
    return _table(
        measurements,
        ("N", "round trips", "device iterations", "batches"),
        say("counted", steps=measurements[0].steps),
        chosen,
    )


def step_time_table(
    measurements: Sequence[Measurement], chosen: int | None = None
) -> Table:
    """Wall-clock time per training step: the median and the spread of the repeats."""
    delay = ("delay",) if any(m.injected for m in measurements) else ()
    return _table(
        measurements, ("N", *delay, "median", "range"), _timed(measurements), chosen
    )


def measurement_table(
    measurements: Sequence[Measurement], chosen: int | None = None
) -> Table:
    """Counts and time side by side; the caption says which is which."""
    delay = ("delay",) if any(m.injected for m in measurements) else ()
    return _table(
        measurements,
        ("N", "round trips", "batches", *delay, "median", "range"),
        f"{say('counted', steps=measurements[0].steps)} {_timed(measurements)}",
        chosen,
    )


COLUMNS: dict[str, Callable[[Measurement], str]] = {
    "N": lambda m: f"{m.iterations_per_loop}",
    "round trips": lambda m: f"{m.round_trips}",
    "device iterations": lambda m: f"{m.device_iterations}",
    "batches": lambda m: f"{m.batches_pulled}",
    "delay": lambda m: m.injected or say("none"),
    "median": lambda m: _milliseconds(m.median),
    "range": lambda m: f"{_milliseconds(m.fastest)} - {_milliseconds(m.slowest)}",
}


def _table(
    measurements: Sequence[Measurement],
    columns: Sequence[str],
    caption: str,
    chosen: int | None,
) -> Table:
    numbers = [m.iterations_per_loop for m in measurements]
    return Table(
        caption,
        tuple(say(column) for column in columns),
        tuple(tuple(COLUMNS[column](m) for column in columns) for m in measurements),
        numbers.index(chosen) if chosen in numbers else None,
    )


def _timed(measurements: Sequence[Measurement]) -> str:
    first = measurements[0]
    return say("timed", repeats=len(first.seconds_per_step), steps=first.steps)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def text_width(text: str) -> int:
    """Columns on the screen: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
