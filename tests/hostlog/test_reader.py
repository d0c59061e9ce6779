from __future__ import annotations

import os
import tracemalloc
from datetime import datetime
from pathlib import Path

import pytest

from npu_lab import hostlog
from npu_lab.hostlog import lines, reader
from npu_lab.hostlog.writer import Line

LINE = (
    "[{level}] GE({pid},python3):2026-07-01-10:00:{second:06.3f}.456 [a.cc:7]{text}\n"
)


def put(path, *texts, pid=42, level="INFO", start=0):
    """Write a log file, a line a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for second, text in enumerate(texts, start):
            file.write(LINE.format(level=level, pid=pid, second=second, text=text))
    return path


def messages(log):
    return [record.message for record in log]


def test_what_was_written_is_read_back(make_log, make_graph, tmp_path):
    graph = make_graph(get_next=("IteratorGetNext",))
    written = lines.lines(graph)
    make_log().write_block(written)
    records = list(hostlog.read(tmp_path))
    assert [
        Line(r.level, r.module, f"{r.source}:{r.line_number_in_source}", r.message)
        for r in records
    ] == written
    assert {r.pid for r in records} == {os.getpid()}
    run = [r for r in records if r.level == "EVENT"]
    assert [Path(r.path).parent for r in run] == [tmp_path / "run" / "plog"]
    debug = [r for r in records if r.level == "INFO"]
    assert {Path(r.path).parent for r in debug} == {tmp_path / "debug" / "plog"}
    assert [r.lineno for r in debug] == list(range(1, 15))


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("[INFO] GE(42,python3):", " [pass.cc:7]"),
        ("[INFO] GE(42,python3) :", " [pass.cc:7]"),
        ("[INFO] GE(42, python3):", " [pass.cc:7]"),
        ("[INFO] GE (42,python3): ", " [pass.cc:7]"),
        ("[INFO]GE(42,python3):", "[pass.cc:7]"),
    ],
)
def test_spaces_in_the_head_do_not_matter(head, tail):
    line = f"{head}2026-07-01-10:20:30.123.456{tail}4242 Run: text [b.cc:9]"
    assert reader.parse(line, "file", 3) == reader.Record(
        "INFO", "GE", 42, "python3", datetime(2026, 7, 1, 10, 20, 30, 123456),
        "pass.cc", 7, "4242 Run: text [b.cc:9]", "file", 3,
    )  # fmt: skip


def test_milliseconds_alone_and_no_source_are_read():
    line = "[EVENT] AICPU(7,aicpu (x)):2026-07-01-10:20:30.123 load failed"
    record = reader.parse(line)
    assert (record.process, record.source, record.message) == (
        "aicpu (x)",
        "",
        " load failed",
    )
    assert record.time.microsecond == 123000


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2026-07-01 10:00:00.1: I tf_adapter/kernels/geop_npu.cc:8] The model",
        "[INFO] GE(42,python3):2026-13-01-10:20:30.123.456 [pass.cc:7]the 13th month",
        "[INFO] GE(42,python3):2026-07-01-19:2856.519.792 [pass.cc:7]no colon",
        "[INFO] GE(42,pyth",
        "Insert op success, name:FlowCtrl_LoopCond_ASSIGN, type:Assign.",
    ],
)
def test_a_foreign_or_damaged_line_is_no_record(line):
    assert reader.parse(line) is None


def test_foreign_lines_are_skipped_and_counted(tmp_path):
    path = put(tmp_path / "debug/plog/plog-42_20260701100000000.log", "one")
    with path.open("ab") as file:
        file.write(b"Traceback (most recent call last):\n\xff\xfe\x00\n\n")
    put(path, "two", start=1)
    log = hostlog.read(tmp_path)
    assert messages(log) == ["one", "two"]
    assert log.skipped == 3
    assert messages(log) == ["one", "two"]
    assert log.skipped == 3


def test_bytes_that_are_no_utf8_are_replaced(tmp_path):
    path = put(tmp_path / "plog-42_20260701100000000.log", "x")
    path.write_bytes(path.read_bytes().replace(b"x", b"caf\xe9"))
    assert messages(hostlog.read(tmp_path)) == ["caf\ufffd"]


def test_a_line_still_being_written_is_read_as_far_as_it_is_there(tmp_path):
    path = put(tmp_path / "plog-42_20260701100000000.log", "one", "Insert op success")
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert messages(hostlog.read(tmp_path)) == ["one", "Insert op"]
    path.write_bytes(whole[: len(whole) // 2 + 5])
    log = hostlog.read(tmp_path)
    assert messages(log) == ["one"]
    assert log.skipped == 1


@pytest.mark.parametrize(
    "named", [".", "debug", "run", "debug/plog", "run/plog", "../log/run/plog"]
)
def test_both_folders_are_read_whichever_is_named(tmp_path, monkeypatch, named):
    root = tmp_path / "log"
    put(root / "debug/plog/plog-42_20260701100000000.log", "first", "third", start=1)
    put(root / "run/plog/plog-42_20260701100000001.log", "0", "1.", "2.", level="EVENT")
    put(root / "debug/device-0/device-42_20260701100000000.log", "device")
    put(root / "security/plog/plog-42_20260701100000000.log", "security")
    expected = ["0", "first", "1.", "third", "2."]
    assert sorted(messages(hostlog.read(root / named))) == sorted(expected)
    monkeypatch.chdir(root / named)
    assert sorted(messages(hostlog.read("."))) == sorted(expected)


def test_one_file_or_a_folder_of_files_will_do(tmp_path):
    first = put(tmp_path / "plog-42_20260701100000000.log", "one")
    put(tmp_path / "plog-43_20260701100000000.log", "two", pid=43)
    put(tmp_path / "notes.txt", "three")
    assert messages(hostlog.read(first)) == ["one"]
    assert messages(hostlog.read(str(tmp_path))) == ["one", "two"]
    screen = put(tmp_path / "screen.txt", "kept from the screen")
    assert messages(hostlog.read(screen)) == ["kept from the screen"]


def test_the_default_folder_is_the_one_the_environment_names(tmp_path, monkeypatch):
    for name in ("ASCEND_PROCESS_LOG_PATH", "ASCEND_WORK_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    put(tmp_path / "ascend/log/debug/plog/plog-42_20260701100000000.log", "home")
    assert messages(hostlog.read()) == ["home"]
    put(tmp_path / "w/log/debug/plog/plog-42_20260701100000000.log", "work")
    monkeypatch.setenv("ASCEND_WORK_PATH", str(tmp_path / "w"))
    assert messages(hostlog.read()) == ["work"]
    put(tmp_path / "p/debug/plog/plog-42_20260701100000000.log", "process")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "p"))
    assert messages(hostlog.read()) == ["process"]


def test_rotated_files_of_a_process_follow_each_other(tmp_path):
    plog = tmp_path / "debug/plog"
    put(plog / "plog-42_20260701100010000.log", "c", "d", start=10)
    put(plog / "plog-42_20260701100000000.log", "a", "b")
    put(tmp_path / "run/plog/plog-42_20260701100000500.log", "event", start=5)
    assert messages(hostlog.read(tmp_path)) == ["a", "b", "event", "c", "d"]


def test_processes_follow_each_other_and_one_can_be_asked_for(tmp_path):
    plog = tmp_path / "debug/plog"
    put(plog / "plog-7_20260701100005000.log", "late", pid=7, start=5)
    put(plog / "plog-900_20260701100000000.log", "early", "last", pid=900, start=0)
    log = hostlog.read(tmp_path)
    assert log.pids == [7, 900]
    assert messages(log) == ["early", "last", "late"]
    assert messages(hostlog.read(tmp_path, pid=7)) == ["late"]
    assert messages(hostlog.read(tmp_path, pid=8)) == []


def test_processes_in_one_file_are_told_apart_by_their_lines(tmp_path):
    path = put(tmp_path / "plog.log", "of 42")
    put(path, "of 43", pid=43, start=1)
    assert hostlog.read(path).pids == [42, 43]
    assert messages(hostlog.read(path, pid=43)) == ["of 43"]


def test_a_log_is_a_sequence_that_can_be_read_again(tmp_path):
    path = put(tmp_path / "plog-42_20260701100000000.log", "a", "b", "c")
    log = hostlog.read(tmp_path)
    assert (len(log), log[0].message, log[-1].message) == (3, "a", "c")
    assert messages(log[1:]) == ["b", "c"]
    with pytest.raises(IndexError):
        log[3]
    put(path, "d", start=3)
    assert len(log) == 4
    assert hostlog.read(tmp_path)
    assert not hostlog.read(tmp_path / "nowhere")


def test_a_large_log_is_streamed(tmp_path):
    path = put(tmp_path / "plog-42_20260701100000000.log", "x" * 1000)
    path.write_bytes(path.read_bytes() * 5_000)
    with path.open("ab") as file:
        file.write(b"[INFO] one endless line" + b"y" * 5_000_000 + b"\n")
    put(path, "the end", start=1)
    log = hostlog.read(tmp_path)
    tracemalloc.start()
    try:
        count = sum(1 for _ in log)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (count, log.skipped) == (5_001, 1)
    assert peak < 1_000_000
    assert list(log)[-1].lineno == 5_002


def test_a_file_that_vanishes_is_named_and_the_others_are_read(tmp_path):
    plog = tmp_path / "debug/plog"
    put(plog / "plog-42_20260701100000000.log", "here")
    gone = put(plog / "plog-43_20260701100000000.log", "gone", pid=43)
    log = hostlog.read(tmp_path)
    gone.unlink()
    assert messages(log) == ["here"]
    assert log.unreadable == {str(gone): "No such file or directory"}
