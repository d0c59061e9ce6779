"""The reader on logs as machines leave them: rotated, damaged, huge, packed, shared."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import pytest

from npu_lab import hostlog
from npu_lab.hostlog import reader

MARKER = "Insert op success, name:FlowCtrl_LoopCond_ASSIGN, type:Assign."
GLOBAL_STEP = "Insert op success, name:ge_global_step, type:Variable."
NO_NEED = "No need FlowCtrl for graph 1"
CUT_OUT = (
    "[TF_ADAPTER][om.cc:9]7 OMPartition subgraph_1 begin. iterations_per_loop is 10."
)


def line(text, second=0, pid=42, level="INFO", module="GE"):
    head = f"[{level}] {module}({pid},python3):2026-07-01-10:00:{second:02}.000.000"
    return f"{head} [a.cc:7]{text}"


def put(path, *lines, end="\n"):
    """A log file of these lines; text that is bytes stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [one if isinstance(one, bytes) else one.encode() for one in lines]
    path.write_bytes(b"\n".join(raw) + end.encode())
    return path


def plog(root, pid=42, second=0, folder="debug"):
    return root / folder / "plog" / f"plog-{pid}_202607011000{second:02}000.log"


def messages(log):
    return [record.message for record in log]


def judged(folder, **how):
    return hostlog.judge(hostlog.read(folder, **how), {})


# Rotation, cuts, files that change while they are read.


@pytest.mark.parametrize("cut", [5, 60, 90, 110, -1])
def test_a_line_that_one_file_ends_with_goes_on_in_the_next(tmp_path, cut):
    marker = line(MARKER, 1)
    put(plog(tmp_path, second=0), line("first"), marker[:cut], end="")
    put(plog(tmp_path, second=2), marker[cut:], line("last", 2))
    log = hostlog.read(tmp_path)
    assert messages(log) == ["first", MARKER, "last"]
    assert hostlog.judge(log, {}).markers == 1


def test_a_cut_line_takes_nothing_from_a_file_that_begins_with_a_line(tmp_path):
    put(plog(tmp_path, second=0), line("Insert op succ"), end="")
    put(plog(tmp_path, second=2), line(NO_NEED, 2))
    assert messages(hostlog.read(tmp_path)) == ["Insert op succ", NO_NEED]


def test_a_marker_in_any_of_the_rotated_files_is_found(tmp_path):
    for second in range(9):
        put(plog(tmp_path, second=second), line(GLOBAL_STEP, second))
    assert judged(tmp_path).answer == "not built"
    put(plog(tmp_path, second=4), line(GLOBAL_STEP, 4), line(MARKER, 4))
    evidence = judged(tmp_path)
    assert (evidence.answer, evidence.keyword_lines, evidence.markers) == (
        "built",
        10,
        1,
    )


def test_half_a_marker_counts_when_the_line_is_whole(tmp_path):
    path = put(plog(tmp_path), line(GLOBAL_STEP), line(MARKER)[:-15], end="")
    log = hostlog.read(tmp_path)
    assert hostlog.judge(log, {}).answer == "not built"
    with path.open("a") as file:
        file.write(line(MARKER)[-15:] + "\n")
    assert hostlog.judge(log, {}).answer == "built"


def test_half_a_number_is_not_taken_for_the_option(tmp_path):
    whole = line(CUT_OUT)
    path = put(plog(tmp_path), line(GLOBAL_STEP), whole[:-2], end="")
    assert whole[:-2].endswith("is 1")
    assert judged(tmp_path).iterations_per_loop == ()
    put(path, line(GLOBAL_STEP), whole)
    assert judged(tmp_path).iterations_per_loop == (10,)


def test_a_file_that_grows_is_read_as_far_as_it_goes(tmp_path):
    """Also when a block ends in the middle of a line that is still being written."""
    path = put(plog(tmp_path), *[line("x" * 100)] * 2000, line("begun, ")[:-2], end="")
    found = []
    for record in hostlog.read(tmp_path):
        found.append(record.message)
        if len(found) == 1:
            with path.open("a") as file:
                file.write("; done\n" + line(MARKER) + "\n")
    assert found[2000:] == ["begun; done", MARKER]


def test_a_file_that_is_rotated_away_meanwhile_is_named(tmp_path):
    put(plog(tmp_path, second=0), line(GLOBAL_STEP))
    gone = put(plog(tmp_path, second=2), line(MARKER, 2))
    log = hostlog.read(tmp_path)
    gone.rename(gone.with_suffix(".moved"))
    evidence = hostlog.judge(log, {})
    assert evidence.answer == "cannot tell"
    assert evidence.unreadable == {str(gone): "No such file or directory"}
    gone.with_suffix(".moved").rename(gone)
    assert hostlog.judge(log, {}).answer == "built"
    assert log.unreadable == {}


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed there")
def test_a_file_removed_while_it_is_read_is_read_to_its_end(tmp_path):
    path = put(plog(tmp_path), *[line("x" * 100)] * 5000, line(MARKER))
    records = iter(hostlog.read(tmp_path))
    next(records)
    path.unlink()
    assert [record.message for record in records][-1] == MARKER


# What else stands in such files.


@pytest.mark.parametrize(
    "foreign",
    [
        b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>',
        b"2026-07-01 10:00:00.1: I tf_adapter/kernels/geop_npu.cc:8] The model",
        "日志：训练开始，损失为 0.5".encode(),
        "日志：训练开始".encode("gbk"),
        bytes(range(256)).replace(b"\n", b"") * 40,
        b"[INFO] [INFO] ((((((" * 9000,
        b"[A] b(1," * 9000,
        b"\0" * 3_000_000 + b"\n",
        b"\n\r\n\n",
        b"{" * 70_000 + MARKER.encode(),
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_what_is_no_line_of_the_log_hides_none_and_counts_as_none(tmp_path, foreign):
    put(plog(tmp_path), line("before"), foreign, line(MARKER, 1))
    log = hostlog.read(tmp_path)
    assert messages(log) == ["before", MARKER]
    assert log.skipped > 0
    assert hostlog.judge(log, {}).markers == 1


def test_random_bytes_between_lines_change_nothing(tmp_path):
    chance = random.Random(1)  # noqa: S311
    noise = [chance.randbytes(chance.randrange(300)) for _ in range(2000)]
    put(plog(tmp_path), *noise, line("one"), *noise, line(MARKER, 1), *noise)
    assert messages(hostlog.read(tmp_path)) == ["one", MARKER]
    assert judged(tmp_path).markers == 1


def test_line_ends_of_windows_are_no_part_of_the_message(tmp_path):
    put(plog(tmp_path), line("one") + "\r", line(MARKER) + "\r")
    assert messages(hostlog.read(tmp_path)) == ["one", MARKER]


@pytest.mark.parametrize(
    "before",
    ["\0" * 200_000, "\ufeff", "epoch 1: 10%\r epoch 1: 20%\r", "[1,0]<stdout>:",
     "2026-07-01T10:00:00Z ", "[INFO] GE(42,py"],
)  # fmt: skip
def test_what_stands_before_the_head_does_not_hide_the_line(tmp_path, before):
    """A hole of NULs, a mark of order, a progress bar, a launcher's tag, a cut line."""
    put(plog(tmp_path), before + line("one"), before + line(MARKER))
    log = hostlog.read(tmp_path)
    assert messages(log) == ["one", MARKER]
    assert {(record.pid, record.process) for record in log} == {(42, "python3")}
    assert hostlog.judge(log, {}).markers == 1


def test_plain_lines_behind_a_tag_are_not_hidden_by_the_tag(tmp_path):
    """All heads begin `[1`: the engine's first line must not pass for one known."""
    runtime, engine = line("opened", module="RUNTIME"), line("PreRun")
    put(tmp_path / "screen.txt", *("[1,0]<stdout>:" + one for one in (runtime, engine)))
    assert judged(tmp_path / "screen.txt").answer == "not built"


def test_an_event_printed_as_info_does_not_hide_the_lines_after_it(tmp_path):
    put(tmp_path / "kept.log", line("[EVENT]42 PreRun: start"), line("PreRun"))
    assert judged(tmp_path / "kept.log").answer == "not built"


def test_events_alone_cannot_tell_and_ask_for_the_level(tmp_path):
    put(plog(tmp_path, folder="run"), line(CUT_OUT, level="EVENT", module="FMK"))
    evidence = judged(tmp_path)
    assert evidence.answer == "cannot tell"
    assert evidence.iterations_per_loop == (10,)
    assert "ASCEND_GLOBAL_LOG_LEVEL=1" in evidence.mend


# Size.


def measured(make):
    """What `make` returns, and the most memory it held at a time."""
    tracemalloc.start()
    try:
        return make(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["many lines", "one line", "many tags", "many files"])
def test_memory_does_not_grow_with_the_log(tmp_path, kind):
    peaks = []
    for size in (1, 8):
        root = tmp_path / str(size)
        start = plog(root)
        if kind == "many lines":
            put(start, *[line("x" * 80)] * (size * 5_000), line(MARKER))
        elif kind == "one line":
            put(start, b"[INFO]" + b"y" * (size * 2_000_000), line(MARKER))
        elif kind == "many tags":
            tags = (f"2026-07-01T{n:08} " for n in range(size * 2_000))
            put(start, *[tag + line("text") for tag in tags], line(MARKER))
        else:
            for n in range(size * 20):
                path = start.with_name(f"plog-42_202607011000{n:03}00.log")
                put(path, *[line("x" * 80)] * 200, line(MARKER))
        evidence, peak = measured(lambda root=root: judged(root))
        assert evidence.answer == "built"
        peaks.append(peak)
    assert peaks[1] < 2 * peaks[0]  # eight times the log
    assert peaks[1] < 2_000_000


def test_the_quick_pass_says_what_a_full_one_says(tmp_path):
    """`judge` takes apart few lines of a folder, but all of a list of records."""
    chance = random.Random(7)  # noqa: S311
    texts = ["text", "PreRun", MARKER, GLOBAL_STEP, NO_NEED, CUT_OUT, "[EVENT]42 x",
             "iteration_per_loop: 10, need iteration: 1"]  # fmt: skip
    answers = set()
    for number in range(150):
        root = tmp_path / str(number)
        for pid in chance.sample([7, 42, 815], chance.randint(1, 3)):
            for folder in ("debug", "run"):
                lines = [
                    line(
                        chance.choice(texts),
                        chance.randrange(60),
                        pid,
                        chance.choice(["INFO", "EVENT", "ERROR"]),
                        chance.choice(["GE", "FMK", "RUNTIME"]),
                    )
                    for _ in range(chance.randrange(5))
                ]
                put(
                    plog(root, pid, folder=folder), *sorted(lines, key=lambda x: x[30:])
                )
        log = hostlog.read(root)
        quick, full = hostlog.judge(log, {}), hostlog.judge(list(log), {})
        if quick.processes:
            assert quick.as_dict() == {**full.as_dict(), "skipped_lines": log.skipped}
            answers.add(quick.answer)
    assert answers == {"built", "not built", "cannot tell"}


# Several processes.


@pytest.mark.parametrize(
    ("old", "new", "answer", "markers"),
    [
        ([MARKER], [NO_NEED], "not built", 0),
        ([NO_NEED], [MARKER], "built", 1),
        ([MARKER], [], "built", 1),  # one that compiled nothing is no answer
    ],
)
def test_the_process_that_compiled_last_is_judged(tmp_path, old, new, answer, markers):
    put(plog(tmp_path, 900, 0), line("start", 0, 900), *[line(t, 1, 900) for t in old])
    helper = line("worker", 5, 7, module="TEFUSION")
    put(plog(tmp_path, 7, 5), helper, *[line(t, 6, 7) for t in new])
    evidence = judged(tmp_path)
    assert (evidence.answer, evidence.markers) == (answer, markers)
    assert evidence.pid == (7 if new else 900)
    assert f"about process {evidence.pid}" in evidence.because
    for pid, one in evidence.processes.items():
        assert f"{pid} {one}" in evidence.because
    assert judged(tmp_path, pid=900).pid == 900


def test_a_last_run_that_logs_only_events_is_not_answered_for_by_an_older(tmp_path):
    put(plog(tmp_path, 900, 0), line(MARKER, 1, 900))
    event = line(CUT_OUT, 5, 7, level="EVENT", module="FMK")
    put(plog(tmp_path, 7, 5, "run"), event)
    evidence = judged(tmp_path)
    assert (evidence.answer, evidence.pid) == ("cannot tell", 7)
    assert evidence.processes == {900: "built", 7: "cannot tell"}


def test_a_file_not_read_matters_if_it_may_hold_a_later_answer(tmp_path):
    put(plog(tmp_path, 42, 5), line(NO_NEED, 5))
    older = put(plog(tmp_path, 7, 0).with_suffix(".log.gz"), "packed")
    evidence = judged(tmp_path)
    assert (evidence.answer, evidence.pid) == ("not built", 42)
    assert f"{older} (compressed)" in evidence.because
    later = put(plog(tmp_path, 8, 9).with_suffix(".log.gz"), "packed")
    evidence = judged(tmp_path)
    assert evidence.answer == "cannot tell"
    assert str(later) in evidence.because
    assert judged(tmp_path, pid=42).answer == "not built"


def test_many_processes_are_not_all_named_in_the_sentence(tmp_path):
    for n in range(20):
        put(plog(tmp_path, 100 + n, n), line(NO_NEED, n, 100 + n))
    evidence = judged(tmp_path)
    assert len(evidence.processes) == 20
    assert "119 not built" in evidence.because
    assert "By process: ... 112 not built, " in evidence.because


# Folders.


@pytest.fixture
def machine(tmp_path):
    """The log folder of a machine, as the vendor's logger lays it out."""
    root = tmp_path / "home" / "ascend" / "log"
    put(plog(root), line(MARKER))
    put(plog(root, folder="run"), line(CUT_OUT, level="EVENT"))
    put(plog(root, folder="security"), line("security"))
    for folder in ("debug", "run", "security"):
        put(root / folder / "device-0" / "device-42_20260701100000000.log", line("no"))
        put(root / folder / "device-0" / "plog-42_20260701100000000.log", line("no"))
    return root


@pytest.mark.parametrize(
    "named",
    [".", "debug", "run", "debug/plog", "run/plog", "..", "../..", "debug/plog/..",
     "debug/device-0/../plog"],
)  # fmt: skip
def test_any_level_of_the_layout_will_do(machine, named):
    assert messages(hostlog.read(machine / named)) == [MARKER, CUT_OUT]
    assert judged(machine / named).unreadable == {}


@pytest.mark.parametrize("named", ["debug", "debug/plog"])
def test_a_part_copied_alone_will_do(machine, tmp_path, named):
    copy = shutil.copytree(machine / named, tmp_path / "mit Leerzeichen 日志" / "x")
    assert messages(hostlog.read(copy)) == [MARKER]
    assert messages(hostlog.read(copy.parent)) == [MARKER]


def test_a_copy_kept_beside_the_log_is_no_part_of_it(machine):
    put(plog(machine / "backup", 7), line(NO_NEED, 9, 7))
    assert messages(hostlog.read(machine)) == [MARKER, CUT_OUT]
    assert messages(hostlog.read(machine / "backup")) == [NO_NEED]


def test_folders_of_several_ranks_are_read_together(tmp_path):
    for rank in (0, 1):
        put(plog(tmp_path / f"rank_{rank}", 40 + rank), line(MARKER, rank, 40 + rank))
    assert judged(tmp_path).processes == {40: "built", 41: "built"}


def test_the_home_folder_may_be_written_short(machine, monkeypatch):
    monkeypatch.setenv("HOME", str(machine.parent.parent))
    monkeypatch.setenv("USERPROFILE", str(machine.parent.parent))
    assert messages(hostlog.read("~/ascend/log")) == [MARKER, CUT_OUT]
    assert messages(hostlog.read("~no-such-user/log")) == []


def test_an_export_of_device_logs_holds_no_host_log(tmp_path):
    export = tmp_path / "2026-07-01-10-00-00" / "slog" / "dev-os-0"
    put(export / "debug" / "device-os" / "device-os_20260701100000000.log", line("x"))
    put(export / "run" / "device-0" / "device-0_20260701100000000.log", line("x"))
    evidence = judged(tmp_path)
    assert evidence.answer == "cannot tell"
    assert "not a device's" in evidence.because
    assert str(tmp_path) in evidence.because


@pytest.mark.parametrize("make", [False, True])
def test_an_empty_or_missing_folder_is_named(tmp_path, make):
    folder = tmp_path / "空 folder"
    if make:
        folder.mkdir()
    evidence = judged(folder)
    assert (evidence.answer, evidence.pid, evidence.unreadable) == (
        "cannot tell",
        None,
        {},
    )
    assert str(folder) in evidence.because


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("debug/plog/plog-42_20260701095900000.log.gz", "cannot tell"),
        ("debug/plog/plog-42_20260701095900000.LOG.GZ", "cannot tell"),
        ("debug/plog/plog.tar.gz", "cannot tell"),
        ("run/plog/plog-41_20260701095900000.zip", "not built"),  # an older process
        ("log.tar.gz", "not built"),
        ("debug/backup.zip", "not built"),
    ],
)
def test_compressed_files_are_named_not_read(tmp_path, name, answer):
    put(plog(tmp_path, second=1), line(NO_NEED, 1))
    packed = put(tmp_path / name, line(MARKER))
    evidence = judged(tmp_path)
    assert evidence.answer == answer
    assert evidence.unreadable == {str(packed): "compressed"}
    assert f"Not all could be read: {packed} (compressed)." in evidence.because
    assert ("Unpack" in evidence.mend) == (answer == "cannot tell")


def test_compressed_files_alone_are_to_be_unpacked(tmp_path):
    packed = put(tmp_path / "log.tar.gz", "packed")
    for folder in (tmp_path, packed):
        evidence = judged(folder)
        assert evidence.answer == "cannot tell"
        assert str(packed) in evidence.because
        assert "Unpack" in evidence.mend


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_followed_but_not_round_and_round(machine, tmp_path):
    elsewhere = tmp_path / "big disk"
    shutil.move(machine / "debug", elsewhere)
    (machine / "debug").symlink_to(elsewhere)
    for folder in (machine, machine / "run", machine.parent, elsewhere / "plog"):
        (folder / "loop").symlink_to(tmp_path)
    (elsewhere / "plog" / "plog").symlink_to(elsewhere)
    for folder in (machine, machine.parent, machine / "run"):
        assert messages(hostlog.read(folder)) == [MARKER, CUT_OUT]
        assert judged(folder).unreadable == {}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_nothing_is_named(machine):
    link = plog(machine, 42, 9)
    link.symlink_to(machine / "gone.log")
    log = hostlog.read(machine)
    assert messages(log) == [MARKER, CUT_OUT]
    assert log.unreadable == {str(link): "No such file or directory"}


@pytest.fixture
def not_root():
    """A folder that anyone may enter, and no right to read what is shut."""
    if not hasattr(os, "geteuid"):
        pytest.skip("no permission bits here")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    user = os.geteuid()
    yield folder, (lambda: os.seteuid(65534) if user == 0 else None)
    os.seteuid(user)
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=True)
    shutil.rmtree(folder)


@pytest.mark.parametrize("shut", ["debug/plog", "debug", "debug/plog/file", "."])
def test_what_may_not_be_read_is_named_and_the_rest_is_read(not_root, shut):
    root, drop = not_root
    file = put(plog(root), line(MARKER))
    put(plog(root, folder="run"), line(CUT_OUT, level="EVENT"))
    (root / "run" / "plog").chmod(0o755)
    plog(root, folder="run").chmod(0o644)
    closed = file if shut.endswith("file") else root / shut
    closed.chmod(0)
    drop()
    evidence = judged(root)
    assert evidence.answer == "cannot tell"
    assert evidence.unreadable == {str(closed): "Permission denied"}
    assert evidence.iterations_per_loop == (() if shut == "." else (10,))
    assert "as the user who ran the program" in evidence.mend


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="no /dev/stdin here")
def test_an_unpacked_stream_can_be_judged(tmp_path):
    done = subprocess.run(
        [sys.executable, reader.__file__, "/dev/stdin", "--language", "en"],
        input=line(MARKER) + "\n",
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("built\n")


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_name_that_is_no_text_can_be_printed(tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    put(plog(folder), line(MARKER))
    for option in ([], ["--json"]):
        done = subprocess.run(
            [sys.executable, reader.__file__, str(folder), *option],
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")
