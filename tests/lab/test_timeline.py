from __future__ import annotations

import base64
import itertools
import re
from xml.etree import ElementTree as ET

import pytest

from npu_lab import lab
from npu_lab.lab.lanes import Lanes
from npu_lab.lab.tables import text_width
from npu_lab.lab.timeline import TimelinePicture
from npu_lab.timeline import Provenance, Span, Timeline

SVG = "{http://www.w3.org/2000/svg}"


def run(
    steps: int,
    n: int,
    *,
    wait: float = 1e-4,
    starve_from: int | None = None,
    provenance: Provenance = "modelled",
    injected: float = 0.0,
) -> Timeline:
    """As a model makes it: launch 0.8 ms, compute 1 ms, return 0.4 ms, pause 0.3 ms."""
    spans, time, step = [], 0.0, 0
    for call in range(-(-steps // n)):
        start = time
        time += 8e-4 + injected
        for _ in range(min(n, steps - step)):
            starving = starve_from is not None and step >= starve_from
            end = time + (2e-3 if starving else wait)
            spans.append(Span("get_next", time, end, call, step))
            spans.append(Span("compute", end, end + 1e-3, call, step))
            time, step = end + 1e-3, step + 1
        time += 4e-4
        spans.append(Span("call", start, time, call))
        time += 3e-4
    return Timeline(tuple(spans), provenance, n, injected)


def tree(made: TimelinePicture) -> ET.Element:
    return ET.fromstring(made.svg)  # noqa: S314 (it is ours)


def of_class(made: TimelinePicture, name: str) -> list[ET.Element]:
    return [element for element in tree(made).iter() if element.get("class") == name]


def words(made: TimelinePicture) -> list[str]:
    return [element.text or "" for element in tree(made).iter(f"{SVG}text")]


def stops(made: TimelinePicture) -> list[str]:
    found = [e for e in tree(made).iter() if e.get("tabindex") == "0"]
    return [element.findtext(f"{SVG}title", "") for element in found]


RUNS = {
    "N=1": run(10, 1),
    "N=10": run(100, 10),
    "N=100": run(100, 100),
    "remainder": run(40, 7),
    "starving": run(400, 200, starve_from=50),
    "10000 calls": run(10_000, 1),
    "100 calls": run(10_000, 100),
    "10 calls": run(10_000, 1000),
    "many narrow": run(150, 1),
}


@pytest.mark.parametrize("timeline", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("ghost", [None, run(150, 1)], ids=["alone", "ghost"])
def test_each_drawing_is_small_and_whole(
    timeline: Timeline, ghost: Timeline | None
) -> None:
    made = lab.plot_timeline(timeline, ghost)
    assert len(made.svg.encode()) < 150_000
    root = tree(made)
    assert root.get("role") == "img"
    names = {e.get("id"): e for e in root.iter() if e.get("id")}
    assert f"N = {timeline.iterations_per_loop}" in (
        names[root.get("aria-labelledby")].text or ""
    )
    alt = names[root.get("aria-describedby")].text
    assert alt == f"{made.alt}\n{made.provenance}"
    assert not list(root.iter(f"{SVG}script"))
    assert 2 <= len(stops(made)) <= 60
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for box in root.iter(f"{SVG}rect"):
        x, y, w, h = (
            float(box.get(key, "-1")) for key in ("x", "y", "width", "height")
        )
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
        assert w > 0


@pytest.mark.parametrize("timeline", RUNS.values(), ids=RUNS)
def test_marks_are_merged_and_none_is_left_out(timeline: Timeline) -> None:
    scale = 624 / timeline.seconds
    calls, iterations = Lanes(timeline, scale, 0).marks()
    assert sum(mark.count for mark in calls) == len(timeline.calls)
    assert sum(mark.count for mark in iterations) == timeline.iterations
    drawn = [span for mark in (*calls, *iterations) for span in mark.spans]
    assert sorted(drawn, key=repr) == sorted(timeline.spans, key=repr)
    for mark in calls:
        assert mark.count == 1 or all(s.seconds * scale < 4 for s in mark.spans)
    assert len(calls) + len(iterations) <= 2 * 624 / 4 + 2 * len(calls)


def test_a_block_stays_within_its_call_and_says_how_many() -> None:
    made = lab.plot_timeline(RUNS["10 calls"])
    assert words(made).count("×1000") == 10
    assert any(stop.startswith("iteration 1-1000 (call 1)") for stop in stops(made))
    assert words(lab.plot_timeline(RUNS["10000 calls"])).count("×10000") == 2


def test_the_columns_of_a_block_show_where_the_device_starves() -> None:
    made = lab.plot_timeline(run(1000, 1000, starve_from=500))
    heights = [float(box.get("height", 0)) for box in of_class(made, "computes")]
    assert heights[0] > 2 * heights[-1]
    # The first half takes 0.55 s of 2.05 s.
    early = sum(height > heights[-1] * 1.5 for height in heights)
    assert early / len(heights) == pytest.approx(0.55 / 2.05, abs=0.03)


def test_a_block_is_filled_to_the_shares_of_its_time() -> None:
    timeline = RUNS["10 calls"]
    made = lab.plot_timeline(timeline)
    scale = 624 / timeline.seconds

    def area(*kinds: str) -> float:
        boxes = [box for kind in kinds for box in of_class(made, kind)]
        return sum(
            float(box.get("width", 0)) * float(box.get("height", 0))
            for box in boxes
            if float(box.get("y", 0)) > 50
        )

    lane = 28 * scale
    assert area("computes") / lane == pytest.approx(timeline.total("compute"), rel=0.01)
    assert area("wait") / lane == pytest.approx(timeline.total("get_next"), rel=0.03)


def test_single_spans_lie_where_they_are_in_time() -> None:
    timeline = RUNS["N=1"]
    made = lab.plot_timeline(timeline)
    scale = 624 / timeline.seconds
    for kind, drawn in (("compute", "compute"), ("call", "call")):
        boxes = [b for b in of_class(made, drawn) if float(b.get("y", 0)) > 50]
        spans = timeline.of(kind)  # type: ignore[arg-type]
        assert len(boxes) == len(spans) == 10
        for box, span in zip(boxes, spans, strict=True):
            assert float(box.get("x", 0)) == pytest.approx(
                84 + span.start * scale, abs=0.01
            )
            assert float(box.get("width", 0)) == pytest.approx(
                span.seconds * scale, abs=0.01
            )


def test_each_call_has_a_launch_and_a_return() -> None:
    made = lab.plot_timeline(RUNS["N=1"])
    legend = 1
    for kind in ("launch", "return"):
        heads = "".join(p.get("d", "") for p in of_class(made, f"{kind}-head"))
        assert heads.count("M") == 10 + legend


def test_marks_have_their_numbers_as_far_as_they_fit() -> None:
    shown = words(lab.plot_timeline(RUNS["N=1"]))
    for number in range(1, 11):
        assert shown.count(str(number)) >= 2  # on the call and on the iteration
    shown = words(lab.plot_timeline(RUNS["N=100"]))
    assert {"50", "100"} <= set(shown)
    assert "51" not in shown


def test_a_number_stands_on_the_wait_where_computing_has_no_room() -> None:
    spans = [
        Span("call", 0, 1, 0),
        Span("get_next", 0.1, 0.9, 0, 0),
        Span("compute", 0.9, 0.901, 0, 0),
    ]
    made = lab.plot_timeline(Timeline(tuple(spans), "measured"))
    (number,) = of_class(made, "number on-compute")
    assert float(number.get("x", 0)) == 84 + 624 / 2


def test_numbers_of_one_lane_do_not_overlap() -> None:
    for timeline in RUNS.values():
        rows: dict[str, list[tuple[float, str]]] = {}
        for element in tree(lab.plot_timeline(timeline)).iter(f"{SVG}text"):
            if (element.get("class") or "").startswith("number"):
                place = float(element.get("x", 0)), element.text or ""
                rows.setdefault(element.get("y", ""), []).append(place)
        for row in rows.values():
            row.sort()
            for (x0, left), (x1, right) in itertools.pairwise(row):
                assert x1 - x0 > 6 * (len(left) + len(right)) / 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_fit_also_in_a_wide_font(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", language)
    timeline = run(1000, 100, provenance="measured", injected=0.00125)
    made = lab.plot_timeline(timeline, ghost=timeline)
    sizes = {"title": 8.0, "note": 6.4, "legend": 6.6}
    starts: list[tuple[float, float]] = []
    for element in tree(made).iter(f"{SVG}text"):
        if (kind := element.get("class") or "") in sizes:
            left = float(element.get("x", 0))
            right = left + sizes[kind] * text_width(element.text or "")
            assert right <= 720
            starts += [(left, right)] if kind == "legend" else []
    for (_, right), (left, _) in itertools.pairwise(starts):
        assert right + 23 < left + 1  # the next swatch is left of its text


def test_the_keyboard_finds_the_numbers_of_each_mark() -> None:
    made = lab.plot_timeline(RUNS["N=1"])
    assert stops(made)[2] == "call 3: 2.3 ms on the host"
    assert stops(made)[12] == "iteration 3 (call 3): GetNext wait 100 us, compute 1 ms"


def test_shares_and_provenance_are_in_the_picture() -> None:
    made = lab.plot_timeline(run(20, 10, provenance="measured", injected=0.002))
    shown = words(made)
    assert "N = 10: 20 iterations in 2 calls, 28.7 ms" in shown
    assert {"compute 69.7 %", "GetNext wait 7.0 %", "device idle 23.3 %"} <= set(shown)
    assert made.provenance in shown
    assert "Measured" in made.provenance
    assert "2 ms injected into each call" in made.provenance
    assert "N = 10, 2 calls, 20 iterations" in made.provenance


@pytest.mark.parametrize(
    ("provenance", "word"),
    [("measured", "Measured"), ("modelled", "Modelled"), ("assumed", "Assumed")],
)
def test_the_picture_says_where_its_numbers_come_from(
    provenance: Provenance, word: str
) -> None:
    timeline = run(4, 2, provenance=provenance)
    assert lab.plot_timeline(timeline).provenance.startswith(word)
    assert lab.timeline_table(timeline).caption.startswith(word)


def test_text_says_what_the_picture_says() -> None:
    text = str(lab.plot_timeline(run(100, 10)))
    for fact in (
        "N = 10: 100 iterations in 10 calls, 125 ms",
        "GetNext 10 ms (8.0 %)",
        "computes 100 ms (80.2 %)",
        "idle 14.7 ms (11.8 %)",
        "launch 8 ms (6.4 %)",
        "return 4 ms (3.2 %)",
        "Modelled",
    ):
        assert fact in text


def test_a_ghost_is_drawn_pale_on_the_same_scale_and_labelled() -> None:
    one, ten = run(20, 1, provenance="measured"), run(20, 10)
    alone, both = lab.plot_timeline(ten), lab.plot_timeline(ten, ghost=one)
    ghosts = of_class(both, "ghost")
    assert len(ghosts) == 1
    pale = [box for box in ghosts[0].iter(f"{SVG}rect") if box.get("class") == "call"]
    assert len(pale) == 20
    assert "Compared (pale): N = 1" in both.alt
    assert "Compared (pale): Measured" in both.provenance
    first, compared = of_class(alone, "call")[1], of_class(both, "call")[1]
    ratio = float(compared.get("width", 0)) / float(first.get("width", 1))
    assert ratio == pytest.approx(ten.seconds / one.seconds, rel=0.01)


@pytest.mark.parametrize("timeline", RUNS.values(), ids=RUNS)
def test_the_table_holds_the_sums_exactly(timeline: Timeline) -> None:
    table = lab.timeline_table(timeline)
    rows = {row[0]: row[1:] for row in table.rows}
    unit, size = ("ms", 1e-3) if timeline.seconds < 1 else ("s", 1)
    assert table.header[3] == f"sum, {unit}"
    for name, seconds in (
        ("host call", timeline.total("call")),
        ("GetNext wait", timeline.total("get_next")),
        ("compute", timeline.total("compute")),
        ("device idle", timeline.idle_seconds),
        ("whole run", timeline.seconds),
    ):
        assert rows[name][2] == f"{seconds / size:.4f}"
    parts = [float(rows[n][2]) for n in ("GetNext wait", "compute", "device idle")]
    assert sum(parts) == pytest.approx(float(rows["whole run"][2]), abs=3e-4)
    assert rows["launch"][:2] == (f"{len(timeline.calls)}", "800 us")
    assert rows["return"][:2] == (f"{len(timeline.calls)}", "400 us")
    assert rows["compute"][0] == f"{timeline.iterations}"


def test_the_table_sets_a_ghost_beside_the_run() -> None:
    table = lab.timeline_table(run(20, 10), ghost=run(20, 1))
    assert table.header[-2:] == ("compared: sum, ms", "compared: share")
    assert table.rows[2][1:] == ("20", "100 us", "2.0000", "8.1 %", "2.0000", "3.9 %")


def test_overlapping_spans_are_drawn_apart_and_told() -> None:
    spans = [Span("call", 0, 0.010, 0)]
    for k in range(4):
        spans.append(Span("get_next", 0.001, 0.003 + k * 5e-4, 0, k))
        spans.append(Span("compute", 0.003 + k * 1e-3, 0.004 + k * 1e-3, 0, k))
    made = lab.plot_timeline(Timeline(tuple(spans), "measured", 4))
    assert "add up to more than 100 %" in made.alt
    assert "add up" not in lab.plot_timeline(RUNS["N=1"]).alt

    def edges(kind: str) -> tuple[float, float]:
        box = of_class(made, kind)[1]  # the first is in the legend
        y = float(box.get("y", 0))
        return y, y + float(box.get("height", 0))

    assert edges("wait")[1] <= edges("compute")[0]
    many = [Span("get_next", k * 1e-5, k * 1e-5 + 1e-2, 0, k) for k in range(5000)]
    assert tree(lab.plot_timeline(Timeline(tuple(many), "measured", 5000))) is not None


def test_order_of_the_spans_makes_no_difference() -> None:
    timeline = RUNS["remainder"]
    spans = list(timeline.spans)
    spans.reverse()
    again = Timeline(tuple(spans), timeline.provenance, timeline.iterations_per_loop)
    assert lab.plot_timeline(again) == lab.plot_timeline(timeline)


@pytest.mark.parametrize(
    "spans",
    [
        (Span("call", 0.0, 1e-3, 0),),
        (Span("call", 5.0, 5.0, 0),),
        (Span("compute", 0.0, 1e-3, 0, 0),),
        (Span("get_next", 1.0, 1.0, 0, 0), Span("compute", 1.0, 1.0, 0, 0)),
        (Span("call", 1e9, 1e9 + 1, 0), Span("compute", 1e9, 1e9 + 2, 0, 0)),
    ],
    ids=["call only", "no time", "device only", "device, no time", "late clock"],
)
def test_unusual_timelines_are_drawn(spans: tuple[Span, ...]) -> None:
    timeline = Timeline(spans, "measured")
    made = lab.plot_timeline(timeline)
    assert stops(made)
    assert not re.search(r"\b(nan|inf)\b", made.svg)
    assert len(lab.timeline_table(timeline).rows) == 7


def test_an_empty_timeline_is_refused() -> None:
    empty = Timeline((), "measured")
    for show in (lab.plot_timeline, lab.timeline_table):
        with pytest.raises(ValueError, match="holds no spans"):
            show(empty)
    with pytest.raises(ValueError, match="holds no spans"):
        lab.plot_timeline(RUNS["N=1"], ghost=empty)


def test_the_same_numbers_give_the_same_bytes_and_others_other_ids() -> None:
    first, again = lab.plot_timeline(run(10, 5)), lab.plot_timeline(run(10, 5))
    assert first.html == again.html
    ids = [
        e.get("id")
        for made in (first, lab.plot_timeline(run(10, 2)))
        for e in tree(made).iter()
        if e.get("id")
    ]
    assert len(set(ids)) == len(ids) == 4
    assert "url(#" not in first.svg  # nothing that another drawing could take over


def test_a_cell_shows_it_live_and_still_where_no_svg_is_let_through() -> None:
    made = lab.plot_timeline(RUNS["N=1"])
    bundle = made._repr_mimebundle_()
    assert bundle["text/plain"] == str(made)
    page = bundle["text/html"]
    # JupyterLab drops an attribute without a value, and the SVG's text would be seen.
    assert f'hidden="hidden">\n{made.svg}\n</div>' in page
    still = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert still is not None
    assert base64.b64decode(still[1]).decode() == made.svg
    assert "N = 1: 10 iterations in 10 calls" in re.findall(r'alt="([^"]*)"', page)[0]


def test_every_rule_of_its_style_is_its_own() -> None:
    style = tree(lab.plot_timeline(RUNS["N=1"])).findtext(f"{SVG}style", "")
    rules = re.sub(r"@media[^{]*\{", "", style)
    selectors = [
        part for rule in re.findall(r"([^{}]+)\{", rules) for part in rule.split(",")
    ]
    assert len(selectors) > 20
    assert all(part.strip().startswith(".npu-lab-timeline") for part in selectors)


def test_what_is_drawn_has_a_rule() -> None:
    style = tree(lab.plot_timeline(RUNS["N=1"])).findtext(f"{SVG}style", "")
    drawn = set()
    for timeline in RUNS.values():
        made = lab.plot_timeline(timeline, ghost=RUNS["N=1"])
        shapes = [*tree(made).iter(f"{SVG}rect"), *tree(made).iter(f"{SVG}path")]
        drawn |= {element.get("class") for element in shapes}
    assert {"wait", "wait-thin", "computes", "chip"} <= drawn
    assert all(f".npu-lab-timeline .{name}" in style for name in drawn)


def test_chinese_has_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> tuple[str, str, list[str]]:
        made = lab.plot_timeline(run(20, 10), ghost=run(20, 1))
        return str(made), str(lab.timeline_table(run(20, 10))), stops(made)

    english = shown()
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    chinese = shown()
    for texts in zip(
        [*english[:2], *english[2]], [*chinese[:2], *chinese[2]], strict=True
    ):
        one, other = (sorted(re.findall(r"\d[\d.]*", text)) for text in texts)
        assert one == other
    assert "等待 GetNext" in chinese[0]
    assert "迭代" in chinese[2][-1]
    assert "wait" not in "".join([chinese[0], chinese[1], *chinese[2]])
