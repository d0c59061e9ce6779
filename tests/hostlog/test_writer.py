from __future__ import annotations

import itertools
import os
import re
import sys
import threading
import warnings
from datetime import datetime
from pathlib import Path

import pytest

from npu_lab import hostlog
from npu_lab.diagnostics import NpuLabWarning
from npu_lab.hostlog import HostLog
from npu_lab.hostlog.writer import Line

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "EVENT")


def texts(root, folder):
    """Lines of the files in debug/plog or run/plog."""
    files = sorted((root / folder / "plog").glob("*"))
    return [line for file in files for line in file.read_text("utf-8").splitlines()]


def write_each_level(log):
    for level in LEVELS:
        log.write(level, "GE", "graph_manager.cc:100", f"a line of {level}")


def test_a_line_has_the_documented_format(make_log, tmp_path):
    before = datetime.now()
    make_log().write("INFO", "GE", "graph_manager.cc:100", "4242 Run:some text")
    (line,) = texts(tmp_path, "debug")
    form = (
        r"\[INFO\] GE\((\d+),([^()]+)\):"
        r"(\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d)\.(\d{3})\.(\d{3}) "
        r"\[graph_manager\.cc:100\]4242 Run:some text"
    )
    pid, process, second, milli, micro = re.fullmatch(form, line).groups()
    assert (int(pid), process) == (os.getpid(), Path(sys.executable).name)
    moment = datetime.strptime(second, "%Y-%m-%d-%H:%M:%S")
    moment = moment.replace(microsecond=int(milli + micro))
    assert before <= moment <= datetime.now()


def test_a_file_is_named_by_process_and_time(make_log, tmp_path):
    write_each_level(make_log())
    names = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.log")]
    assert sorted(str(name.parent) for name in names) == ["debug/plog", "run/plog"]
    for name in names:
        pid, stamp = re.fullmatch(r"plog-(\d+)_(\d{17})\.log", name.name).groups()
        assert int(pid) == os.getpid()
        made = datetime.strptime(stamp + "000", "%Y%m%d%H%M%S%f")
        assert abs((datetime.now() - made).total_seconds()) < 60


@pytest.mark.parametrize(
    ("level", "written"),
    [
        ("0", ["DEBUG", "INFO", "WARNING", "ERROR"]),
        ("1", ["INFO", "WARNING", "ERROR"]),
        ("2", ["WARNING", "ERROR"]),
        ("3", ["ERROR"]),
        (None, ["ERROR"]),
        ("", ["ERROR"]),
        ("4", []),
    ],
)
def test_the_level_governs_debug_but_not_run(make_log, tmp_path, level, written):
    log = make_log(level)
    write_each_level(log)
    assert log.level == int(level or 3)
    assert [line.split()[-1] for line in texts(tmp_path, "debug")] == written
    assert [line.split()[-1] for line in texts(tmp_path, "run")] == ["EVENT"]


def test_events_can_be_switched_off(make_log, tmp_path):
    write_each_level(make_log("1", ASCEND_GLOBAL_EVENT_ENABLE="0"))
    assert texts(tmp_path, "run") == []
    assert len(texts(tmp_path, "debug")) == 3


def test_the_screen_replaces_the_files(make_log, tmp_path, capsys):
    write_each_level(make_log("1", ASCEND_SLOG_PRINT_TO_STDOUT="1"))
    assert list(tmp_path.iterdir()) == []
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in shown] == ["INFO", "WARNING", "ERROR", "EVENT"]


def test_a_closed_screen_does_not_stop_the_program(make_log, monkeypatch):
    log = make_log("1", ASCEND_SLOG_PRINT_TO_STDOUT="1")
    with Path(os.devnull).open("w", encoding="utf-8") as closed:
        monkeypatch.setattr("sys.stdout", closed)
    write_each_level(log)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h"}, "/h/ascend/log"),
        ({"HOME": "/h", "ASCEND_WORK_PATH": "/w"}, "/w/log"),
        ({"ASCEND_WORK_PATH": "/w", "ASCEND_PROCESS_LOG_PATH": "/p"}, "/p"),
        ({"HOME": "/h", "ASCEND_PROCESS_LOG_PATH": ""}, "/h/ascend/log"),
    ],
)
def test_the_environment_names_the_root(environ, folder):
    assert str(HostLog(environ).folder) == folder


def test_a_relative_root_stays_where_the_program_started(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = HostLog({"ASCEND_PROCESS_LOG_PATH": "logs"}).start()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    write_each_level(log)
    log.close()
    assert len(texts(tmp_path / "logs", "debug")) == 1


@pytest.mark.parametrize("value", ["7", "INFO", "-1", "1.0"])
def test_a_level_that_does_not_exist_is_the_default_and_warns_once(make_log, value):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        log = make_log(value)
        log.start()
        write_each_level(log)
    assert log.level == 3
    (warning,) = caught
    assert warning.category is NpuLabWarning
    assert f"ASCEND_GLOBAL_LOG_LEVEL='{value}'" in str(warning.message)
    assert "0, 1, 2, 3, 4" in str(warning.message)


def test_warnings_follow_the_language(make_log, monkeypatch):
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    with pytest.warns(NpuLabWarning, match="请在程序启动前"):
        make_log("9")


def test_a_root_that_cannot_be_written_is_one_warning(make_log, tmp_path):
    root = tmp_path / "a file"
    root.write_text("not a folder")
    log = make_log(ASCEND_PROCESS_LOG_PATH=str(root))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_each_level(log)
        write_each_level(log)
    (warning,) = caught
    assert warning.category is NpuLabWarning
    assert str(root) in str(warning.message)
    assert "Set ASCEND_PROCESS_LOG_PATH" in str(warning.message)
    assert root.read_text() == "not a folder"


def test_a_full_disk_is_one_warning(make_log, monkeypatch):
    def full(descriptor, data):
        raise OSError(28, "No space left on device")

    log = make_log()
    monkeypatch.setattr("npu_lab.hostlog.writer.os.write", full)
    with pytest.warns(NpuLabWarning, match="No space left") as caught:
        write_each_level(log)
    assert len(caught) == 1


def test_the_environment_is_read_at_the_start_only(tmp_path, monkeypatch):
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path))
    monkeypatch.delenv("ASCEND_GLOBAL_LOG_LEVEL", raising=False)
    log = HostLog()
    log.start()
    monkeypatch.setenv("ASCEND_GLOBAL_LOG_LEVEL", "1")
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path / "late"))
    log.start()
    write_each_level(log)
    log.close()
    assert log.level == 3
    assert log.folder == tmp_path
    assert [line.split()[-1] for line in texts(tmp_path, "debug")] == ["ERROR"]


def test_a_file_appears_with_its_first_line(make_log, tmp_path):
    log = make_log("3")
    log.write("INFO", "GE", "a.cc:1", "held back")
    assert list(tmp_path.iterdir()) == []
    log.write("ERROR", "GE", "a.cc:1", "written")
    assert [path.name for path in tmp_path.iterdir()] == ["debug"]


def test_a_closed_log_opens_again_and_appends(make_log, tmp_path):
    log = make_log()
    for _ in range(3):
        log.write("INFO", "GE", "a.cc:1", "text")
        log.close()
    assert len(texts(tmp_path, "debug")) == 3
    assert len(list(tmp_path.rglob("*.log"))) == 1


def test_a_message_stays_one_line(make_log, tmp_path):
    make_log().write("INFO", "GE", "a.cc:1", "one\ntwo\r\nthree 变量 \udc80")
    (line,) = texts(tmp_path, "debug")
    assert line.endswith(r"one two  three 变量 \udc80")


def test_an_unknown_level_is_refused(make_log):
    with pytest.raises(
        ValueError, match=r"'FATAL'.*DEBUG, INFO, WARNING, ERROR, EVENT"
    ):
        make_log().write("FATAL", "GE", "a.cc:1", "text")


def test_time_orders_the_lines_of_both_files(make_log, tmp_path):
    log = make_log()
    for number in range(500):
        log.write(("INFO", "EVENT")[number % 2], "GE", "a.cc:1", str(number))
    records = list(hostlog.read(tmp_path))
    assert [int(record.message) for record in records] == list(range(500))
    times = [record.time for record in records]
    assert all(early < late for early, late in itertools.pairwise(times))


def test_blocks_of_many_threads_stay_whole(make_log, tmp_path):
    log = make_log()

    def work(name):
        for number in range(100):
            log.write_block(
                Line("INFO", "GE", "a.cc:1", f"{name} {number} {part} " + "x" * 200)
                for part in range(3)
            )

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [record.message.split()[:3] for record in hostlog.read(tmp_path)]
    assert len(found) == 8 * 100 * 3
    for first in range(0, len(found), 3):
        name, number, _ = found[first]
        block = [[name, number, str(part)] for part in range(3)]
        assert found[first : first + 3] == block


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_writes_files_of_its_own(run_python, tmp_path):
    done = run_python(
        "import os\n"
        "from npu_lab.hostlog import HostLog\n"
        "log = HostLog().start()\n"
        "log.write('INFO', 'GE', 'a.cc:1', 'before')\n"
        "log._lock.acquire()\n"  # as another thread may hold it at the fork
        "child = os.fork()\n"
        "if child: log._lock.release()\n"
        "log.write('INFO', 'GE', 'a.cc:1', 'child' if not child else 'parent')\n"
        "if child: os.waitpid(child, 0); print(os.getpid(), child)\n",
        ASCEND_GLOBAL_LOG_LEVEL="1",
        ASCEND_PROCESS_LOG_PATH=str(tmp_path / "log"),
    )
    assert done.stderr == ""
    parent, child = map(int, done.stdout.split())
    log = hostlog.read(tmp_path / "log")
    assert log.pids == sorted([parent, child])
    said = [(record.pid, record.message) for record in log]
    assert sorted(said) == sorted(
        [(parent, "before"), (parent, "parent"), (child, "child")]
    )


def test_importing_twice_or_reloading_writes_each_line_once(run_python, tmp_path):
    done = run_python(
        "import importlib, logging, sys\n"
        "logging.basicConfig(level=logging.DEBUG)\n"
        "handlers = list(logging.getLogger().handlers)\n"
        "import npu_lab.hostlog, npu_lab.hostlog.writer, npu_lab.hostlog.lines\n"
        "for module in ('writer', 'lines', ''):\n"
        "    name = ('npu_lab.hostlog.' + module).rstrip('.')\n"
        "    importlib.reload(sys.modules[name])\n"
        "    del sys.modules[name]\n"
        "    importlib.import_module(name)\n"
        "from npu_lab.hostlog import CompiledGraph, HostLog, compiled\n"
        "graph = CompiledGraph(1, 10, False, True, True, True, True)\n"
        "log = HostLog().start()\n"
        "log.start()\n"
        "compiled(log, graph)\n"
        "assert logging.getLogger().handlers == handlers\n",
        ASCEND_GLOBAL_LOG_LEVEL="1",
        ASCEND_PROCESS_LOG_PATH=str(tmp_path / "log"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = texts(tmp_path / "log", "debug")
    assert len(lines) == 11  # need iteration, line 0, nine of flow control
    assert len({line.split("]", 2)[2] for line in lines}) == 11
    assert len(texts(tmp_path / "log", "run")) == 1


def test_writing_gives_no_warning(make_log):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_each_level(make_log())
