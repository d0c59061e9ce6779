"""The timeline of a run as a picture, as a table and in words.

The same drawing serves measured and modelled runs, and says which it is.  It is SVG,
part of the page: it follows the page's colours, and the keyboard reaches its marks.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from npu_lab.lab import lanes, pages, svg
from npu_lab.lab._texts import say
from npu_lab.lab.lanes import LEFT, RIGHT, Lanes
from npu_lab.lab.tables import Table, text_width
from npu_lab.timeline import Span, Timeline

NAMESPACE = "http://www.w3.org/2000/svg"
WIDTH = 720
LANES_TOP = 54.0
TICKS = 8
WIDE = 6.6  # of a letter in a wide font
UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
COLUMNS = ("count", "mean", "sum", "share")
PARTS = ("call", "launch", "get_next", "compute", "return", "idle", "whole")


@dataclass(frozen=True)
class TimelinePicture(pages.Shown):
    """An SVG with its text twin; the last expression of a cell shows it.

    `alt` says in words, numbers included, what the picture shows; `provenance` where
    the numbers come from.
    """

    svg: str
    alt: str
    provenance: str

    def __str__(self) -> str:
        return f"[{self.alt}\n{self.provenance}]"

    @property
    def html(self) -> pages.Html:
        """The picture as a page of its own.

        A page that lets no SVG through, such as a notebook that is not trusted, shows
        it as a still image.
        """
        image = base64.b64encode(self.svg.encode()).decode("ascii")
        live = pages.Html(self.svg)
        return pages.fill("timeline_page", alt=str(self), image=image, live=live)


def plot_timeline(timeline: Timeline, ghost: Timeline | None = None) -> TimelinePicture:
    """Host above, device below, on one time axis; what the device does and when.

    `ghost` is another run, such as the one before: drawn pale below, on the same scale.

    Raises:
        ValueError: a timeline holds no spans.
    """
    _check(timeline, ghost)
    seconds = max(run.seconds for run in (timeline, ghost) if run) or 1.0
    scale = (RIGHT - LEFT) / seconds
    main = Lanes(timeline, scale, LANES_TOP)
    pieces = [
        svg.text(0, 10, _headline(timeline), "title"),
        _legend(timeline, 34),
        *_names(main),
        lanes.draw(
            main,
            _describe,
            lambda idle: say("timeline idle mark", time=time_text(idle)),
        ),
    ]
    bottom = main.bottom
    if ghost:
        below = Lanes(ghost, scale, bottom + 36, 11, 16, 14, narrow=8.0)
        title = say("timeline ghost", text=_headline(ghost))
        pale = lanes.draw(below, None, time_text)
        pieces += [
            svg.text(0, bottom + 20, title, "note"),
            f'<g class="ghost">{pale}</g>',
            *_names(below),
        ]
        bottom = below.bottom
    axis = axis_ticks(seconds, scale, bottom + 8)
    notes = [_provenance(timeline)]
    if ghost:
        notes.append(say("timeline ghost", text=_provenance(ghost)))
    height = bottom + 42
    for note in notes:
        pieces.append(svg.text(0, height, note, "note"))
        height += 16
    alt = _alt(timeline)
    if ghost:
        alt += "\n" + say("timeline ghost", text=_alt(ghost))
    heights = [
        (LANES_TOP - 4, main.bottom),
        (below.top if ghost else bottom, bottom + 8),
    ]
    grid = "".join(f"M{x:.2f} {y0:g}V{y1:g}" for x, _ in axis for y0, y1 in heights)
    marks = "\n".join([svg.path(grid, "grid"), *pieces, *(piece for _, piece in axis)])
    facts = {
        "namespace": NAMESPACE,
        "width": WIDTH,
        "height": f"{height - 4:g}",
        "title": say("timeline title", text=_headline(timeline)),
        "alt": "\n".join([alt, *notes]),
    }
    # The same numbers give the same names, others give others.
    name = hashlib.sha256(repr((facts, marks)).encode()).hexdigest()[:12]
    drawn = pages.fill(
        "timeline", id=f"npu-lab-{name}", marks=pages.Html(marks), **facts
    )
    return TimelinePicture(drawn, alt, "\n".join(notes))


def timeline_table(timeline: Timeline, ghost: Timeline | None = None) -> Table:
    """Where the time went: number, sum, mean and share of each part.

    Launch and return are parts of the idle time; shares are of the whole.

    Raises:
        ValueError: a timeline holds no spans.
    """
    _check(timeline, ghost)
    runs = [run for run in (timeline, ghost) if run]
    unit, size = _unit(max(run.seconds for run in runs))
    header = [say("timeline part")]
    rows = [[say(f"timeline {part}")] for part in PARTS]
    notes = []
    for number, run in enumerate(runs):
        heads = [say(f"timeline {name}", unit=unit) for name in COLUMNS]
        if number:
            heads = [say("timeline before", text=head) for head in heads[-2:]]
        header += heads
        for row, (count, sum_) in zip(rows, _parts(run).values(), strict=True):
            mean = time_text(sum_ / count) if count else "-"
            cells = f"{count}", mean, f"{sum_ / size:.4f}", _percent(sum_, run)
            row.extend(cells[-len(heads) :])
        note = _provenance(run)
        notes.append(say("timeline ghost", text=note) if number else note)
    return Table(" ".join(notes), tuple(header), tuple(map(tuple, rows)))


def _check(*runs: Timeline | None) -> None:
    for run in runs:
        if run is not None and not run.spans:
            raise ValueError(say("timeline empty"))


def _parts(timeline: Timeline) -> dict[str, tuple[int, float]]:
    """How often there was each part of the time, and its seconds in all."""
    calls, reached = timeline.calls, lanes.reached(timeline)
    pairs = [(call, reached[call.call]) for call in calls if call.call in reached]
    waits = timeline.of("get_next")
    return {
        "call": (len(calls), timeline.total("call")),
        "launch": (len(pairs), sum(first - call.start for call, (first, _) in pairs)),
        "get_next": (len(waits), timeline.total("get_next")),
        "compute": (timeline.iterations, timeline.total("compute")),
        "return": (len(pairs), sum(call.end - last for call, (_, last) in pairs)),
        "idle": (len(timeline.idle), timeline.idle_seconds),
        "whole": (1, timeline.seconds),
    }


def _headline(timeline: Timeline) -> str:
    time = time_text(timeline.seconds)
    return say("timeline headline", time=time, **_counts(timeline))


def _counts(timeline: Timeline) -> dict[str, object]:
    counted = {"call": len(timeline.calls), "iteration": timeline.iterations}
    return {
        "n": timeline.iterations_per_loop,
        **{
            f"{name}s": say(
                f"timeline one {name}" if number == 1 else f"timeline {name}s",
                number=number,
            )
            for name, number in counted.items()
        },
    }


def _alt(timeline: Timeline) -> str:
    shares = {
        part: f"{time_text(seconds)} ({_percent(seconds, timeline)})"
        for part, (_, seconds) in _parts(timeline).items()
    }
    text = say("timeline alt", text=_headline(timeline), **shares)
    if lanes.overlaps(timeline):
        text += say("timeline overlap")
    return text


def _provenance(timeline: Timeline) -> str:
    text = say(f"timeline {timeline.provenance}")
    if timeline.injected:
        text += say("timeline injected", time=time_text(timeline.injected))
    return say("timeline provenance", text=text, **_counts(timeline))


def _describe(spans: Sequence[Span]) -> str:
    """What the keyboard and the pointer find at a mark: its numbers and its times."""
    call = spans[0].kind == "call"
    numbers = [span.call if call else span.iteration or 0 for span in spans]
    first, last = min(numbers) + 1, max(numbers) + 1
    sums = {
        kind: time_text(sum(span.seconds for span in spans if span.kind == kind))
        for kind in ("call", "get_next", "compute")
    }
    return say(
        "timeline mark call" if call else "timeline mark iteration",
        numbers=f"{first}" if first == last else f"{first}-{last}",
        of=spans[0].call + 1,
        **sums,
    )


def _names(at: Lanes) -> list[str]:
    """The names of the lanes, left of them."""
    pieces = []
    for lane, top, height in (
        ("host", at.top, at.host),
        ("device", at.device_top, at.device),
    ):
        tall = height > 20  # noqa: PLR2004 (room for a second line)
        y = top + height / 2
        name = say(f"timeline {lane}")
        pieces.append(svg.text(LEFT - 8, y - 6 * tall, name, "lane"))
        if tall:
            marks = say(f"timeline {lane} marks")
            pieces.append(svg.text(LEFT - 8, y + 7, marks, "under-lane"))
    return pieces


def _legend(timeline: Timeline, y: float) -> str:
    """A sample of each mark with its share of the time."""
    parts = _parts(timeline)
    x, pieces = 1.0, []
    for kind, part in (
        ("call", "call"),
        ("arrows", "arrows"),
        ("wait", "get_next"),
        ("compute", "compute"),
        ("idle", "idle"),
    ):
        label = say(f"timeline {part}")
        if kind in ("wait", "compute", "idle"):
            label += f" {_percent(parts[part][1], timeline)}"
        if kind == "arrows":
            for number, name in enumerate(("launch", "return")):
                left, low, high = x + 4 + 9 * number, y + 6, y - 6
                ends = (low, high) if number else (high, low)
                shaft, head = svg.arrow(left, ends[0], left, ends[1], 3)
                pieces += [svg.path(shaft, name), svg.path(head, f"{name}-head")]
        else:
            pieces.append(svg.box(x, x + 18, y - 6, y + 6, kind))
        pieces.append(svg.text(x + 23, y, label, "legend"))
        x += 23 + WIDE * text_width(label) + 12
    return "".join(pieces)


def axis_ticks(seconds: float, scale: float, y: float) -> list[tuple[float, str]]:
    """The ticks of the time axis: where, and what is drawn there."""
    unit, size = _unit(seconds)
    rough = seconds / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * (1 - 1e-9))
    line = svg.path(f"M{LEFT:g} {y:g}H{RIGHT:g}", "axis")
    ticks = [(LEFT, line + svg.text(LEFT - 8, y + 14, unit, "under-lane"))]
    for number in range(int(seconds / step * (1 + 1e-9)) + 1):
        x = LEFT + number * step * scale
        mark = svg.path(f"M{x:.2f} {y:g}v4", "axis")
        ticks.append(
            (x, mark + svg.text(x, y + 14, f"{number * step / size:g}", "tick"))
        )
    return ticks


def _percent(seconds: float, timeline: Timeline) -> str:
    return f"{100 * seconds / (timeline.seconds or 1.0):.1f} %"


def _unit(seconds: float) -> tuple[str, float]:
    return next((unit for unit in UNITS if seconds >= unit[1]), UNITS[-1])


def time_text(seconds: float) -> str:
    """Three digits and a unit."""
    seconds = float(f"{seconds:.3g}")
    unit, size = _unit(seconds)
    return f"{float(f'{seconds / size:.3g}'):.12g} {unit}" if seconds else "0"
