"""The timeline over ranks: one clock, who waited for whom, picture, table and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from npu_lab import language, trace_files
from npu_lab.extras.distributed import timeline
from npu_lab.extras.distributed.launcher import launch
from npu_lab.extras.distributed.timeline import __main__ as command
from npu_lab.extras.distributed.timeline import _texts
from npu_lab.timeline import Meeting, Span, Timeline
from npu_lab.trace import chrome
from npu_lab.trace_files import TraceFileError
from tests.extras.distributed.conftest import SCRIPTS

MS = 1e-3
GRADIENT = Meeting("all-reduce", 1, 4711, 2)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_LAB_LANG", "en")


def trace(
    path: Path,
    data: list[float],
    ends: list[float],
    *,
    zero: float = 1000.0,
    host: str = "one",
    size: int = 2,
    meetings: tuple[Meeting, ...] = (GRADIENT,),
) -> Path:
    """A rank whose batches take so many ms, and whose all-reduces end at `ends`."""
    spans, now = [], 0.0
    for step, (wait, end) in enumerate(zip(data, ends, strict=True)):
        ready, come, done = now + wait, now + wait + 1, end + 1
        times = {"get_next": (now, ready), "compute": (ready, done)}
        for kind, (a, b) in times.items():
            spans.append(Span(kind, a * MS, b * MS, 0, step))  # type: ignore[arg-type]
        for meeting in meetings:
            met = meeting._replace(size=size)
            spans.append(Span("collective", come * MS, end * MS, 0, step, met))
        now = done
    spans.append(Span("call", 0.0, now * MS, 0))
    line = Timeline(tuple(spans), "measured", len(data))
    made = chrome.document(line, (), {"zero": zero, "host": host})
    path.write_text(json.dumps(made), "utf-8")
    return path


STEPS = 10


def pair(folder: Path, *, ahead: float = 0.0, hosts: str = "aa") -> list[Path]:
    """Rank 1 waits 20 ms for data; it comes 19 ms after rank 0, all leave 2 ms later.

    The clock of rank 1 is `ahead` by so many seconds.
    """
    ends = [23.0 + 24 * n for n in range(STEPS)]
    return [
        trace(folder / "rank_0.trace.json", [1.0] * STEPS, ends, host=hosts[0]),
        trace(
            folder / "rank_1.trace.json",
            [20.0] * STEPS,
            ends,
            host=hosts[1],
            zero=1000.0 + ahead,
        ),
    ]


def test_waiting_is_the_time_to_the_last_arrival(tmp_path: Path) -> None:
    line = timeline.join(pair(tmp_path))
    assert len(line.steps) == STEPS
    for waits in line.waits:
        assert waits == pytest.approx({0: 19 * MS, 1: 0.0}, abs=1e-7)
    spent = line.steps[3].shares[0].spent
    expected = {"data": 1 * MS, "compute": 2 * MS, "late": 19 * MS, "meet": 2 * MS}
    assert spent == pytest.approx(expected, abs=1e-7)
    found = line.straggler
    assert found is not None
    assert (found.rank, found.last) == (1, STEPS)
    assert found.share == pytest.approx(19 / 24, abs=1e-6)


def test_ranks_that_take_turns_in_being_last_are_no_stragglers(tmp_path: Path) -> None:
    ends = [23.0 + 24 * n for n in range(STEPS)]
    slow, quick = [20.0, 1.0] * 5, [1.0, 20.0] * 5
    paths = [trace(tmp_path / "a", slow, ends), trace(tmp_path / "b", quick, ends)]
    line = timeline.join(paths)
    assert line.straggler is None
    assert "no rank is a straggler" in str(line.table())


def test_who_is_always_last_but_not_waited_for_is_none(tmp_path: Path) -> None:
    ends = [23.0 + 24 * n for n in range(STEPS)]
    paths = [
        trace(tmp_path / "a", [20.0] * STEPS, ends),
        trace(tmp_path / "b", [20.5] * STEPS, ends),
    ]
    assert timeline.join(paths).straggler is None


def test_ranks_of_one_host_share_its_clock(tmp_path: Path) -> None:
    # Rank 1 began to record 5 ms later: what it says is later by as much.
    line = timeline.join(pair(tmp_path, ahead=5 * MS))
    assert line.waits[0] == pytest.approx({0: 24 * MS - 2 * MS, 1: 0.0}, abs=3 * MS)
    assert [clock.offset for clock in line.clocks] == [0.0]
    assert "All ranks read the clock of one host" in str(line.table())


def test_the_clock_of_another_host_is_estimated_with_its_error(tmp_path: Path) -> None:
    line = timeline.join(pair(tmp_path, ahead=3.5, hosts="ab"))
    first, second = line.clocks
    assert (first.offset, first.error) == (0.0, 0.0)
    assert second.offset == pytest.approx(3.5, abs=1e-6)
    # Rank 1 spends 2 ms in the all-reduce: by less it cannot be told.
    assert second.error is not None
    assert second.error == pytest.approx(21 * MS, abs=20 * MS)
    assert line.waits[5] == pytest.approx({0: 19 * MS, 1: 0.0}, abs=1e-5)
    assert "b is +3.5 s off (within" in str(line.table())


def test_a_host_that_shares_no_all_reduce_is_said_to_be_unknown(tmp_path: Path) -> None:
    ends = [23.0 + 24 * n for n in range(STEPS)]
    sent = (Meeting("broadcast", 1, 5, 2),)
    paths = [
        trace(tmp_path / "a", [1.0] * STEPS, ends, host="a", meetings=sent),
        trace(tmp_path / "b", [1.0] * STEPS, ends, host="b", meetings=sent),
    ]
    line = timeline.join(paths)
    assert line.clocks[1].error is None
    assert "unknown" in str(line.table())


def test_a_rank_that_ended_early_is_compared_as_far_as_it_came(tmp_path: Path) -> None:
    first, _ = pair(tmp_path)
    ends = [23.0 + 24 * n for n in range(4)]
    short = trace(tmp_path / "short", [20.0] * 4, ends)
    line = timeline.join([first, short])
    assert len(line.steps) == 4
    assert "Rank 1 recorded 4 collectives, others 10" in str(line.table())


def test_groups_do_not_mix(tmp_path: Path) -> None:
    """Ranks 0 and 1 meet, and 2 and 3: nobody waits for the other pair."""
    ends = [23.0 + 24 * n for n in range(STEPS)]
    groups = [Meeting("all-reduce", key, 4711, 2) for key in (7, 7, 8, 8)]
    waits = [1.0, 2.0, 19.0, 20.0]
    paths = [
        trace(tmp_path / f"{n}", [w] * STEPS, ends, meetings=(group,))
        for n, (w, group) in enumerate(zip(waits, groups, strict=True))
    ]
    line = timeline.join(paths)
    expected = {0: 1 * MS, 1: 0.0, 2: 1 * MS, 3: 0.0}
    assert line.waits[0] == pytest.approx(expected, abs=1e-7)


def test_collectives_at_once_are_waited_for_once(tmp_path: Path) -> None:
    ends = [23.0 + 24 * n for n in range(STEPS)]
    both = (GRADIENT, GRADIENT._replace(instance=4712))
    paths = [
        trace(tmp_path / "a", [1.0] * STEPS, ends, meetings=both),
        trace(tmp_path / "b", [20.0] * STEPS, ends, meetings=both),
    ]
    line = timeline.join(paths)
    assert line.waits[0][0] == pytest.approx(19 * MS, abs=1e-7)
    threads = {e["tid"] for e in line.document()["traceEvents"] if e["ph"] == "X"}
    assert len({t for t in threads if t in (4, 5)}) == 2  # a lane each


def test_all_is_in_one_file_with_the_lanes_of_a_rank_together(tmp_path: Path) -> None:
    paths = pair(tmp_path, ahead=1.0)
    line = timeline.join(paths)
    line.save(tmp_path / "all.json")
    made = json.loads((tmp_path / "all.json").read_text("utf-8"))
    events = made["traceEvents"]
    assert {event["pid"] for event in events} == {1}
    names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    ranks = [int(re.match(r"rank (\d)", name)[1]) for name in names]  # type: ignore[index]
    assert ranks == sorted(ranks)
    slices = [event for event in events if event["ph"] == "X"]
    for rank, path in enumerate(paths):
        own = [e for e in slices if e["args"].get("rank") == rank]
        kept = [e for e in own if e["name"] != "wait for ranks"]
        assert len(kept) == len(trace_files.read(path))
    waits = [e for e in slices if e["name"] == "wait for ranks"]
    assert {e["args"]["rank"] for e in waits} == {0, 1} or len(waits) == STEPS
    assert min(e["ts"] for e in slices) >= 0
    # It is a trace like others, but not one of a rank.
    assert trace_files.lines(tmp_path / "all.json", 0)
    with pytest.raises(TraceFileError, match="one of all ranks already"):
        timeline.join([tmp_path / "all.json", paths[0]])


def test_the_picture_says_the_same_in_words(tmp_path: Path) -> None:
    line = timeline.join(pair(tmp_path))
    drawn = line.draw()
    root = ET.fromstring(drawn.svg)  # noqa: S314  (our own)
    assert "rank 1 is the straggler: last in 10 of 10 steps" in drawn.alt
    assert "waiting for ranks 19 ms" in drawn.alt
    assert "not on an NPU" in drawn.provenance
    stops = [g for g in root.iter() if g.get("tabindex") == "0"]
    assert len(stops) == 2 * 6  # six steps of two ranks
    texts = ["".join(t.itertext()) for t in root.iter() if t.tag.endswith("text")]
    assert "straggler" in texts
    assert "19 ms" in texts
    assert not re.search(r'[" ](nan|inf)\b', drawn.svg)
    assert drawn.svg == line.draw().svg  # the same numbers, the same picture


@pytest.mark.parametrize(("first", "count"), [(0, 6), (11, 1), (1, 0)])
def test_steps_that_are_not_there_are_refused(
    tmp_path: Path, first: int, count: int
) -> None:
    with pytest.raises(ValueError, match="1-10"):
        timeline.join(pair(tmp_path)).draw(first, count)


def test_the_steps_stand_in_a_table(tmp_path: Path) -> None:
    table = timeline.join(pair(tmp_path)).step_table(3, 2)
    assert table.rows == (("3", "19 ms", "0", "1"), ("4", "19 ms", "0", "1"))


def test_what_cannot_be_joined_is_refused(tmp_path: Path) -> None:
    first, second = pair(tmp_path)
    with pytest.raises(TraceFileError, match="1 trace"):
        timeline.join([first])
    alone = trace(tmp_path / "x", [1.0], [5.0], meetings=())
    with pytest.raises(TraceFileError, match="no collective in common"):
        timeline.join([alone, second])
    old = tmp_path / "old"
    old.write_text(json.dumps({"traceEvents": []}), "utf-8")
    with pytest.raises(TraceFileError, match="does not say when it was recorded"):
        timeline.join([first, old])
    with pytest.raises(TraceFileError, match="no such"):
        timeline.join([first, tmp_path / "no such"])


def test_the_command_takes_a_folder(tmp_path: Path, capsys: Any) -> None:
    pair(tmp_path)
    out, picture = tmp_path / "all.json", tmp_path / "all.svg"
    options = ["--steps", "-o", str(out), "--picture", str(picture)]
    assert command.main([str(tmp_path), *options]) == 0
    said = capsys.readouterr().out
    assert "rank 1 is the straggler" in said
    assert said.count("19 ms") >= STEPS
    assert picture.read_text("utf-8").startswith("<svg")
    assert trace_files.read(out)
    (tmp_path / "empty").mkdir()
    assert command.main([str(tmp_path / "empty")]) == 2
    assert "no rank_0.trace.json" in capsys.readouterr().err


def test_all_texts_are_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, texts in _texts.TEXTS.items():
        assert set(texts) == set(language.LANGUAGES), key
    line = timeline.join(pair(tmp_path, hosts="ab"))
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    assert "10 步中有 10 步最后到达" in str(line.table())
    assert "等待其他 rank" in line.draw().alt


def test_real_ranks_are_recorded_inside_the_loop(tmp_path: Path) -> None:
    script = SCRIPTS / "straggler.py"
    arguments = (20, 10, 1, 0.05)
    job = launch(script, arguments, ranks=2, folder=tmp_path / "job", trace=True)
    assert job.ok, job.message
    line = timeline.join(timeline.traces_in(job.folder))
    assert len(line.steps) == 20
    found = line.straggler
    assert found is not None
    assert found.rank == 1
    # Rank 1 waits 50 ms for each batch, and rank 0 for rank 1.
    late = sorted(waits[0] for waits in line.waits)
    assert late[10] > 0.02
    for trace_ in line.traces:
        begun = {s.iteration: s.start for s in trace_.spans if s.kind == "get_next"}
        ended = {s.iteration: s.end for s in trace_.spans if s.kind == "compute"}
        # The offset of another clock was added: not exact to the last digit.
        close = 1e-6
        for span in trace_.met.values():
            assert begun[span.iteration] <= span.start + close
            assert span.start <= span.end <= ended[span.iteration] + close
    for key, span in line.traces[0].met.items():
        other = line.traces[1].met[key]
        assert span.end >= other.start  # nobody leaves before all have come
        assert other.end >= span.start
