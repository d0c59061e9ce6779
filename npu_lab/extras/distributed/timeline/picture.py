"""Draws the timeline over ranks, as SVG in the style of the other timelines.

Above, some steps of each rank on one axis; below, how long each rank waited for the
others in every step.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npu_lab.extras.distributed.timeline import steps, tables
from npu_lab.extras.distributed.timeline._texts import text
from npu_lab.extras.distributed.timeline.steps import Share, Step
from npu_lab.lab import pages, svg
from npu_lab.lab.lanes import LEFT, RIGHT
from npu_lab.lab.tables import text_width
from npu_lab.lab.timeline import (
    NAMESPACE,
    WIDE,
    WIDTH,
    TimelinePicture,
    axis_ticks,
    time_text,
)

if TYPE_CHECKING:
    from npu_lab.extras.distributed.timeline import RankTimeline

TOP = 72.0
HOST, DEVICE, BETWEEN = 9.0, 26.0, 3.0  # heights of the lanes of a rank
GROUP = HOST + BETWEEN + DEVICE + 16
STRIP = 20.0
OUTLIER = 2.0  # times what nine of ten steps wait at most
LABEL = 46.0  # wide enough for a time on it
KINDS = {"data": "wait", "compute": "compute", "late": "late", "meet": "meet"}


def draw(line: RankTimeline, first: int | None, count: int) -> TimelinePicture:
    """The picture of `count` steps, from `first` on or in the middle.

    Raises:
        ValueError: there is no such step.
    """
    total = len(line.steps)
    if first is None:
        first = max(1, (total - count) // 2 + 1)
    chosen = line.steps[max(0, first - 1) :][: max(0, count)]
    if not chosen or first < 1:
        raise ValueError(f"{text('step')} {first}: 1-{total}")
    begin = min(share.start for step in chosen for share in step.shares.values())
    end = max(share.end for step in chosen for share in step.shares.values())
    scale = (RIGHT - LEFT) / (end - begin)
    lanes = _Window(line, chosen, begin, end, scale)
    bottom = TOP + GROUP * len(line.traces)
    axis = axis_ticks(end - begin, scale, bottom)
    longest = sorted(max(waits.values()) for waits in line.waits)
    most = longest[-1]
    top = min(most, OUTLIER * longest[int(0.9 * (total - 1))]) or 1.0
    strips = list(_strips(line, chosen, bottom + 46, top))
    cut = text("cut", top=time_text(top)) if top < most else ""
    strip_text = text("strip", steps=total, most=time_text(most)) + cut
    grid = "".join(f"M{x:.2f} {TOP - 4:g}V{bottom:g}" for x, _ in axis)
    height = bottom + 46 + (STRIP + 6) * len(line.traces) + 14
    pieces = [
        svg.path(grid, "grid"),
        *_title(line),
        _legend(50),
        *lanes.pieces(),
        *(piece for _, piece in axis),
        svg.text(0, bottom + 34, strip_text, "note"),
        *strips,
    ]
    notes = tables.provenance(line)
    for note in notes:
        pieces.append(svg.text(0, height, note, "note"))
        height += 16
    alt = _alt(line, chosen, most, cut)
    facts = {
        "namespace": NAMESPACE,
        "width": WIDTH,
        "height": f"{height - 4:g}",
        "title": tables.headline(line),
        "alt": "\n".join([alt, *notes]),
    }
    style = Path(__file__).with_name("ranks.css").read_text("utf-8")
    marks = "\n".join([f"<style>\n{style}</style>", *pieces])
    name = hashlib.sha256(repr((facts, marks)).encode()).hexdigest()[:12]
    drawn = pages.fill(
        "timeline", id=f"npu-lab-{name}", marks=pages.Html(marks), **facts
    )
    return TimelinePicture(drawn, alt, "\n".join(notes))


def _title(line: RankTimeline) -> list[str]:
    """The headline, its two parts below each other: one line is too long for both."""
    parts = re.split(r"(?<=[;；]) ?", tables.headline(line), maxsplit=1)
    return [svg.text(0, 10 + 17 * n, part, "title") for n, part in enumerate(parts)]


class _Window:
    """The steps that are drawn one by one, a group of lanes for each rank."""

    def __init__(
        self,
        line: RankTimeline,
        chosen: Sequence[Step],
        begin: float,
        end: float,
        scale: float,
    ) -> None:
        self.line, self.chosen = line, chosen
        self.begin, self.end, self.scale = begin, end, scale

    def x(self, time: float) -> float:
        """Where a time lies, cut off at the edges."""
        return LEFT + (min(max(time, self.begin), self.end) - self.begin) * self.scale

    def pieces(self) -> Iterator[str]:
        """All that is drawn of the ranks, one below the other."""
        for rank in range(len(self.line.traces)):
            top = TOP + GROUP * rank
            yield from self._names(rank, top)
            yield from self._calls(rank, top)
            device = top + HOST + BETWEEN
            yield svg.box(LEFT, RIGHT, device, device + DEVICE, "idle")
            for step in self.chosen:
                if rank in step.shares:
                    said = _said(rank, step)
                    drawn = "".join(self._share(step.shares[rank], device))
                    yield svg.titled(said, drawn, stop=True)
        for step in self.chosen:
            yield from self._meetings(step)

    def _names(self, rank: int, top: float) -> Iterator[str]:
        yield svg.text(LEFT - 8, top + HOST / 2, text("call"), "under-lane")
        y = top + HOST + BETWEEN + DEVICE / 2
        found = self.line.straggler
        slowest = found is not None and found.rank == rank
        name = f"{text('rank')} {rank}"
        yield svg.text(LEFT - 8, y - 6 * slowest, name, "lane")
        if slowest:
            yield svg.text(LEFT - 8, y + 7, text("is straggler"), "under-lane")

    def _calls(self, rank: int, top: float) -> Iterator[str]:
        for span in self.line.traces[rank].spans:
            seen = span.end > self.begin and span.start < self.end
            if span.kind == "call" and seen:
                edges = self.x(span.start), self.x(span.end)
                box = svg.box(*edges, top, top + HOST, "call")
                said = f"{text('call')} {span.call + 1}: {time_text(span.seconds)}"
                yield svg.titled(said, box)

    def _share(self, share: Share, top: float) -> Iterator[str]:
        yield self._box(share.start, share.data, top, "data")
        yield self._box(share.data, share.end, top, "compute")
        for part in share.parts:
            yield self._box(part.all_there, part.end, top, "meet")
            yield self._box(part.start, part.all_there, top, "late")
        yield self._time(share.start, share.data, top, "wait")
        for part in share.parts:
            yield self._time(part.start, part.all_there, top, "late")

    def _box(self, start: float, end: float, top: float, part: str) -> str:
        if end <= start:
            return ""
        return svg.box(self.x(start), self.x(end), top, top + DEVICE, KINDS[part])

    def _time(self, start: float, end: float, top: float, kind: str) -> str:
        if (end - start) * self.scale < LABEL:
            return ""
        x, told = self.x((start + end) / 2), time_text(float(f"{end - start:.2g}"))
        return svg.text(x, top + DEVICE / 2, told, f"number on-{kind}")

    def _meetings(self, step: Step) -> Iterator[str]:
        """A line through all ranks where the last one came, and the step's number."""
        parts = [p for share in step.shares.values() for p in share.parts]
        low = TOP + HOST
        high = TOP + GROUP * len(self.line.traces) - 12
        for there in sorted({part.all_there for part in parts}):
            yield svg.path(svg.line(self.x(there), low, self.x(there), high), "last")
        share = step.shares[min(step.shares)]
        x, y = self.x((share.start + share.end) / 2), high + 5
        if (share.end - share.start) * self.scale >= LABEL / 2:
            yield svg.text(x, y, f"{step.number}", "number")


def _strips(
    line: RankTimeline, chosen: Sequence[Step], top: float, most: float
) -> Iterator[str]:
    """For each rank a bar for each step; steps too narrow share one: the longest.

    They are cut off at `most` seconds.
    """
    waits, width = line.waits, RIGHT - LEFT
    columns = min(len(waits), int(width / 3))
    edges = [round(n * len(waits) / columns) for n in range(columns + 1)]
    for rank in range(len(line.traces)):
        base = top + (STRIP + 6) * rank + STRIP
        yield svg.text(LEFT - 8, base - STRIP / 2, f"{text('rank')} {rank}", "lane")
        yield svg.path(f"M{LEFT:g} {base:g}H{RIGHT:g}", "axis")
        for a, b in itertools.pairwise(edges):
            wait = max(one.get(rank, 0.0) for one in waits[a:b])
            x0, x1 = (LEFT + width * n / len(waits) for n in (a, b))
            gap = min(1.0, (x1 - x0) / 5)
            if wait > 0:
                high = base - STRIP * min(1.0, wait / most)
                yield svg.box(x0, x1 - gap, high, base, "late-thin")
    first, last = chosen[0].number - 1, chosen[-1].number
    x0, x1 = (LEFT + width * n / len(waits) for n in (first, last))
    bottom = top + (STRIP + 6) * len(line.traces) - 4
    yield svg.box(x0, x1, top - 3, bottom, "frame")


def _legend(y: float) -> str:
    """A sample of each mark."""
    x, pieces = 1.0, []
    for part, kind in ({"call": "call"} | KINDS).items():
        label = text(part)
        pieces.append(svg.box(x, x + 18, y - 6, y + 6, kind))
        pieces.append(svg.text(x + 23, y, label, "legend"))
        x += 23 + WIDE * text_width(label) + 10
    pieces.append(svg.path(svg.line(x + 4, y - 7, x + 4, y + 7), "last"))
    pieces.append(svg.text(x + 12, y, text("last came"), "legend"))
    return "".join(pieces)


def _said(rank: int, step: Step) -> str:
    """What the keyboard and the pointer find at a step of a rank."""
    spent = {k: time_text(v) for k, v in step.shares[rank].spent.items()}
    return text("mark", rank=rank, step=step.number, **spent)


def _alt(line: RankTimeline, chosen: Sequence[Step], most: float, cut: str) -> str:
    told = [tables.headline(line)]
    for rank in range(len(line.traces)):
        means = steps.means(line.steps, rank)
        told.append(
            text("alt rank", rank=rank, **{k: time_text(v) for k, v in means.items()})
        )
    facts = {"first": chosen[0].number, "last": chosen[-1].number}
    told.append(text("alt shown", most=time_text(most), cut=cut, **facts))
    return " ".join(told)
