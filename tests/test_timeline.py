from __future__ import annotations

import pytest

from npu_lab.timeline import Span, Timeline

CALLS = [Span("call", 0.0, 6.0, 0), Span("call", 7.0, 12.0, 1)]
DEVICE = [
    Span("get_next", 1.0, 1.5, 0, 0),
    Span("compute", 1.5, 3.0, 0, 0),
    Span("get_next", 3.0, 3.25, 0, 1),
    Span("compute", 3.25, 5.0, 0, 1),
    Span("get_next", 8.0, 8.5, 1, 2),
    Span("compute", 8.5, 11.0, 1, 2),
]


@pytest.fixture
def timeline() -> Timeline:
    return Timeline((*CALLS, *DEVICE), "modelled", 2)


def test_spans_are_ordered_by_start_whatever_their_order():
    spans = [*CALLS, *DEVICE]
    spans.reverse()
    ordered = Timeline(tuple(spans), "measured")
    starts = [span.start for span in ordered.spans]
    assert starts == sorted(starts)
    assert ordered.calls == tuple(CALLS)
    assert ordered.of("get_next", "compute") == tuple(DEVICE)


def test_a_run_is_from_the_first_start_to_the_last_end(timeline: Timeline):
    assert (timeline.start, timeline.end, timeline.seconds) == (0.0, 12.0, 12.0)
    assert timeline.iterations == 3


def test_totals_are_the_sums_of_the_spans(timeline: Timeline):
    assert timeline.total("call") == 11.0
    assert timeline.total("get_next") == 1.25
    assert timeline.total("compute") == 5.75


def test_idle_is_what_lies_between(timeline: Timeline):
    assert timeline.idle == ((0.0, 1.0), (5.0, 8.0), (11.0, 12.0))
    busy = timeline.total("get_next") + timeline.total("compute")
    assert timeline.idle_seconds + busy == timeline.seconds


def test_overlapping_device_spans_are_not_idle_twice():
    spans = (
        Span("call", 0.0, 10.0, 0),
        Span("get_next", 1.0, 6.0, 0, 0),
        Span("get_next", 2.0, 3.0, 0, 1),
        Span("compute", 6.0, 8.0, 0, 0),
        Span("compute", 7.0, 9.0, 0, 1),
    )
    assert Timeline(spans, "measured", 2).idle == ((0.0, 1.0), (9.0, 10.0))


def test_a_device_that_did_nothing_was_idle_all_the_time():
    alone = Timeline((Span("call", 2.0, 5.0, 0),), "measured")
    assert alone.idle == ((2.0, 5.0),)
    assert alone.iterations == 0


def test_an_empty_timeline_has_no_time():
    empty = Timeline((), "assumed")
    assert (empty.seconds, empty.idle, empty.total("call")) == (0.0, (), 0)


@pytest.mark.parametrize("end", [0.5, float("nan")])
def test_a_span_does_not_end_before_it_starts(end: float):
    with pytest.raises(ValueError, match="cannot end before it starts"):
        Timeline((Span("compute", 1.0, end, 0, 0),), "measured")
