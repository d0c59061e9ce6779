"""The Chrome-trace JSON: lanes in order, nested slices, arrows, and the log's lines."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from npu_lab.hostlog import Record
from npu_lab.timeline import Timeline
from npu_lab.timing import TimingModel
from npu_lab.trace import chrome
from npu_lab.trace.chrome import CALLS, DEVICE, LOG

PHASES = {"M", "X", "s", "f"}


def modelled(steps: int = 25, n: int = 10) -> Timeline:
    return TimingModel.from_profile("teaching_host").schedule(steps, n)


def note(at: float, number: int = 1) -> chrome.Note:
    return chrome.Note(at, f"/log/plog-1_2.log:{number}", f"line {number}")


def slices(document: dict[str, Any], thread: int) -> list[dict[str, Any]]:
    return [
        event
        for event in document["traceEvents"]
        if event["ph"] == "X" and event["tid"] == thread
    ]


def test_every_event_has_what_the_format_demands() -> None:
    timeline = modelled()
    made = chrome.document(timeline, [note(timeline.calls[0].start)])
    assert json.loads(json.dumps(made)) == made
    for event in made["traceEvents"]:
        assert event["ph"] in PHASES
        assert event["name"]
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "M":
            continue
        assert event["ts"] >= 0
        assert event["cat"]
        if event["ph"] == "X":
            assert event["dur"] >= 0
        else:
            assert event["id"] > 0


def test_the_host_stands_above_the_device() -> None:
    named = [e for e in chrome.document(modelled())["traceEvents"] if e["ph"] == "M"]
    lanes = sorted(
        (e["args"]["sort_index"], e["tid"])
        for e in named
        if e["name"] == "thread_sort_index"
    )
    assert [thread for _, thread in lanes] == [CALLS, LOG, DEVICE]
    # Perfetto goes by who was named first.
    names = [e["args"]["name"] for e in named if e["name"] == "thread_name"]
    assert names == ["host calls", "host log", "device"]
    process = [e["args"]["name"] for e in named if e["name"] == "process_name"]
    assert process == ["modelled, N=10"]


@pytest.mark.parametrize(("steps", "n"), [(25, 10), (4, 1), (7, 7)])
def test_all_calls_and_iterations_are_there(steps: int, n: int) -> None:
    timeline = modelled(steps, n)
    made = chrome.document(timeline)
    assert len(slices(made, CALLS)) == len(timeline.calls)
    counted = Counter(one["name"].split()[0] for one in slices(made, DEVICE))
    assert counted == {"iteration": steps, "GetNext": steps, "compute": steps}
    known = [one["args"]["iterations"] for one in slices(made, CALLS)]
    assert sum(known) == steps


def test_slices_of_a_thread_are_nested_and_never_cross() -> None:
    open_until: list[int] = []
    made = slices(chrome.document(modelled(200, 10)), DEVICE)
    in_order = sorted((round(e["ts"] * 1000), -round(e["dur"] * 1000)) for e in made)
    for start, minus_length in in_order:
        while open_until and open_until[-1] <= start:
            open_until.pop()
        end = start - minus_length
        assert not open_until or end <= open_until[-1]
        open_until.append(end)


def test_arrows_lead_to_the_device_and_back() -> None:
    timeline = modelled()
    made = chrome.document(timeline)["traceEvents"]
    for name, source, target in (
        ("launch", CALLS, DEVICE),
        ("return", DEVICE, CALLS),
    ):
        starts = {e["id"]: e for e in made if e["ph"] == "s" and e["name"] == name}
        ends = {e["id"]: e for e in made if e["ph"] == "f" and e["name"] == name}
        assert starts.keys() == ends.keys()
        assert len(starts) == len(timeline.calls)
        for number, start in starts.items():
            assert start["tid"] == source
            assert ends[number]["tid"] == target
            assert start["ts"] <= ends[number]["ts"]


def test_a_line_of_the_log_leads_to_its_call_and_back() -> None:
    timeline = modelled()
    first, second = timeline.calls[:2]
    inside = note((second.start + second.end) / 2, 2)
    after = note(timeline.end + 1, 3)
    edge = note(first.start, 1)
    made = chrome.document(timeline, [edge, inside, after])
    lines = {one["args"]["place"]: one for one in slices(made, LOG)}
    calls = slices(made, CALLS)
    assert lines[inside.place]["args"]["call"] == second.call
    assert lines[edge.place]["args"]["call"] == first.call
    assert lines[after.place]["args"]["call"] is None
    assert calls[0]["args"]["log lines"] == [edge.place]
    assert calls[1]["args"]["log lines"] == [inside.place]
    arrows = [e for e in made["traceEvents"] if e["name"] == "written in"]
    assert len(arrows) == 4


def test_a_record_stands_where_the_clock_says() -> None:
    when = datetime(2026, 11, 30, 12, 0, 0, 250_000)
    record = Record(
        "INFO", "GE", 7, "python3", when, "a.cc", 5, "Insert op", "/log/p.log", 9
    )
    made = chrome.notes([record], when.replace(microsecond=0).timestamp())
    assert made == [chrome.Note(0.25, "/log/p.log:9", "Insert op")]


def test_it_says_where_its_times_come_from() -> None:
    timeline = modelled()
    other = chrome.document(timeline)["otherData"]
    assert other["provenance"] == timeline.provenance
    assert other["iterations_per_loop"] == timeline.iterations_per_loop == 10


def test_nothing_recorded_is_a_trace_without_slices() -> None:
    made = chrome.document(Timeline((), "measured"))
    assert {event["ph"] for event in made["traceEvents"]} == {"M"}
