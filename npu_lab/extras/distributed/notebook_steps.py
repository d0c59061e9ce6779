"""The steps of several ranks side by side: who waits for data, and who for whom.

Each rank has recorded its own trace, by its own clock.  They are laid over each other
where all of them leave the same all-reduce, which ends for all at once.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from npu_lab import trace_files
from npu_lab.extras.distributed._notebook_texts import say
from npu_lab.lab import picture
from npu_lab.lab.picture import DEVICE, HOST, INK, PALE_DEVICE, Picture
from npu_lab.lab.tables import Table

WIDTH, LANE = 720, 56  # pixels
MILLISECONDS = 1e-3  # of a microsecond


@dataclass(frozen=True)
class Step:
    """One step of one rank, milliseconds: begun, data there, all-reduce over."""

    start: float
    data: float
    end: float

    @property
    def waits(self) -> tuple[float, float]:
        """For the data, and from then on to the end, the all-reduce included."""
        return self.data - self.start, self.end - self.data


@dataclass(frozen=True)
class Steps:
    """The steps of each rank, from its trace."""

    ranks: tuple[tuple[Step, ...], ...]

    @property
    def medians(self) -> list[tuple[float, float]]:
        """For each rank the medians of what a step waits, milliseconds."""
        return [
            tuple(map(statistics.median, zip(*(s.waits for s in steps), strict=True)))
            for steps in self.ranks
        ]

    @property
    def straggler(self) -> int:
        """The rank that comes to the all-reduce last, and so does not wait there."""
        after = [after for _, after in self.medians]
        return after.index(min(after))

    @property
    def table(self) -> Table:
        """The medians, a row for each rank; that of the straggler is set off."""
        header = tuple(map(say, ("rank", "wait data", "wait ranks")))
        rows = tuple(
            (str(rank), *(f"{value:.1f} ms" for value in both))
            for rank, both in enumerate(self.medians)
        )
        count = min(map(len, self.ranks))
        return Table(say("waits caption", steps=count), header, rows, self.straggler)


def read_steps(traces: Sequence[Path]) -> Steps:
    """The steps in the traces of all ranks, in the ranks' order.

    Raises:
        TraceFileError: one cannot be read.
    """
    return Steps(tuple(tuple(_steps(trace)) for trace in traces))


def plot_steps(steps: Steps, first: int = 20, count: int = 4) -> Picture:
    """The steps `first` and following of each rank, on one axis."""
    chosen = [rank[first : first + count] for rank in steps.ranks]
    longest = max(lane[-1].end - lane[0].start for lane in chosen)
    height = 96 + LANE * len(chosen)
    with picture.style():
        figure = picture.canvas(WIDTH, height)
        axes = figure.add_axes((0.09, 66 / height, 0.89, 1 - 100 / height))
        for rank, lane in enumerate(chosen):
            zero = lane[-1].end - longest
            for step in lane:
                begun, data, end = (t - zero for t in (step.start, step.data, step.end))
                axes.barh(rank, data - begun, left=begun, height=0.5, color=HOST)
                bar = axes.barh(rank, end - data, left=data, height=0.5, color=DEVICE)
                bar[0].set(facecolor=PALE_DEVICE, edgecolor=DEVICE, hatch="//")
                axes.plot([end, end], [rank - 0.4, rank + 0.4], color=INK, lw=1.6)
        axes.set(ylim=(len(chosen) - 0.4, -0.6), xlim=(0, 1.01 * longest))
        axes.set_xlabel("milliseconds")
        axes.set_yticks(range(len(chosen)), [f"rank {r}" for r in range(len(chosen))])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.set_title(
            "orange: waits for data   hatched: computes, waits in the all-reduce"
            "   line: all-reduce over",
            fontsize=9,
        )
    shown = "; ".join(
        f"rank {rank}: {data:.1f} ms data, {after:.1f} ms compute and all-reduce"
        for rank, (data, after) in enumerate(steps.medians)
    )
    return picture.finished(
        figure,
        f"{count} steps of {len(chosen)} ranks on one axis; medians of a step: {shown}."
        f" The straggler is rank {steps.straggler}.",
        "Measured on this computer. Laid over each other at the end of an all-reduce.",
    )


def _steps(trace: Path) -> list[Step]:
    found: dict[str, dict[int, tuple[float, float]]] = {"GetNext": {}, "compute": {}}
    for one in trace_files.read(trace):
        iteration = one["args"].get("iteration")
        if one["name"] in found and iteration is not None:
            start = one["ts"] * MILLISECONDS
            found[one["name"]][iteration] = start, start + one["dur"] * MILLISECONDS
    data, compute = found.values()
    return [
        Step(data[number][0], data[number][1], compute[number][1])
        for number in sorted(data.keys() & compute.keys())
    ]
