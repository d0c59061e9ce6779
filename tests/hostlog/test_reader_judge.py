from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from npu_lab import hostlog
from npu_lab.hostlog import reader

HERE = Path(reader.__file__)
LEVEL_1 = {"ASCEND_GLOBAL_LOG_LEVEL": "1"}


def counts(evidence):
    return (
        evidence.keyword_lines,
        evidence.flow_control_lines,
        evidence.markers,
        evidence.no_need_lines,
    )


def judged(log, *graphs, environ=LEVEL_1):
    for graph in graphs:
        hostlog.compiled(log, graph)
    return hostlog.judge(hostlog.read(log.folder), environ)


@pytest.mark.parametrize(
    ("get_next", "flow_control", "markers"),
    [((), 9, 5), (("IteratorGetNext",), 12, 8), (("a/GetNext", "GetNext_1"), 15, 11)],
)
def test_a_loop_leaves_markers(make_log, make_graph, get_next, flow_control, markers):
    evidence = judged(make_log(), make_graph(get_next=get_next))
    assert evidence.answer == "built"
    assert counts(evidence) == (1 + flow_control, flow_control, markers, 0)
    assert evidence.sunk_get_next == get_next
    assert evidence.iterations_per_loop == (10,)
    data = ", ".join(get_next) if get_next else "one batch serves all iterations"
    assert f"{markers} marker lines" in evidence.because
    assert data in evidence.because
    assert "step counter" in evidence.mend


def test_the_keyword_without_a_marker_is_no_loop(make_log, make_graph):
    graph = make_graph(iterations_per_loop=1, need_iteration=False, loop=False)
    evidence = judged(make_log(), graph)
    assert evidence.answer == "not built"
    assert counts(evidence) == (1, 0, 0, 1)
    assert "iterations_per_loop 1" in evidence.because
    assert "session option" in evidence.mend


def test_initialiser_and_loads_count_as_graphs_without_a_loop(make_log, make_graph):
    """Six graphs: initialisation, four variable loads, the training graph."""
    plain = [make_graph(n, need_iteration=False, loop=False) for n in range(1, 6)]
    evidence = judged(make_log(), *plain, make_graph(6))
    assert evidence.answer == "built"
    assert counts(evidence) == (15, 9, 5, 5)


def test_that_script_at_one_iteration_leaves_keywords_only(make_log, make_graph):
    facts = {"iterations_per_loop": 1, "need_iteration": False, "loop": False}
    evidence = judged(make_log(), make_graph(1, **facts), make_graph(2, **facts))
    assert evidence.answer == "not built"
    assert counts(evidence) == (2, 0, 0, 2)


def test_variables_present_in_the_graph_leave_fewer_lines_but_all_markers(
    make_log, make_graph
):
    present = frozenset({"npu_runconfig/one", "npu_runconfig/zero"})
    evidence = judged(make_log(), make_graph(present=present))
    assert counts(evidence) == (8, 7, 5, 0)


@pytest.mark.parametrize(
    ("changes", "because", "mend"),
    [
        ({"need_iteration": False}, "named IterationOp", "set_iteration_per_loop"),
        ({}, "added no flow control", "Load the loop variables"),
        ({"known_shapes": False}, "added no flow control", "drop_remainder=True"),
        ({"training_mode": False}, "added no flow control", "graph_run_mode at 1"),
    ],
)
def test_the_log_alone_narrows_the_cause_down(
    make_log, make_graph, changes, because, mend
):
    evidence = judged(make_log(), make_graph(loop=False, **changes))
    assert evidence.answer == "not built"
    assert because in evidence.because
    assert mend in evidence.mend


def test_without_the_adapters_lines_all_conditions_are_listed(make_log):
    log = make_log()
    log.write("INFO", "GE", "pass.cc:1", "No need FlowCtrl for graph 1")
    evidence = judged(log)
    assert evidence.answer == "not built"
    assert "no marker" in evidence.because
    assert "Check in this order" in evidence.mend


def test_lines_of_other_modules_alone_prove_nothing(make_log):
    log = make_log()
    log.write("INFO", "RUNTIME", "api.cc:1", "device opened")
    evidence = judged(log)
    assert evidence.answer == "cannot tell"
    assert "none of the graph engine" in evidence.because


@pytest.mark.parametrize(
    "line",
    [
        "[INFO] FMK(42,python3):2026-07-01-10:00:00.001.000 [adapter_logger.cc:3]"
        "[TF_ADAPTER][om.cc:9]42 OMPartition subgraph_1 begin. mix_compile_mode is"
        " False, iterations_per_loop is 10.\n",
        "[INFO] GE(42,python3):2026-07-01-10:00:00.001.000 [graph_manager.cc:12]"
        "[EVENT]42 PreRun:PreRun start: graph node size 1\n",
    ],
)
def test_run_logs_printed_as_info_do_not_tell_the_level(tmp_path, line):
    """Newer versions have no EVENT level: run/plog then holds INFO lines always."""
    plog = tmp_path / "run" / "plog"
    plog.mkdir(parents=True)
    (plog / "plog-42_20260701100000000.log").write_text(line)
    assert hostlog.judge(hostlog.read(tmp_path), {}).answer == "cannot tell"
    loose = tmp_path / "kept.log"
    loose.write_text(line)
    assert hostlog.judge(hostlog.read(loose), {}).answer == "cannot tell"


def test_keywords_in_the_run_folder_are_found_as_the_guide_says(tmp_path, make_log):
    log = make_log()
    log.write("EVENT", "GE", "a.cc:1", hostlog.lines.inserted("ge_global_step", "V"))
    name = "FlowCtrl_LoopCond_ASSIGN"
    log.write("EVENT", "GE", "a.cc:1", hostlog.lines.inserted(name, "Assign"))
    evidence = judged(log)
    assert counts(evidence) == (2, 1, 1, 0)
    assert evidence.answer == "built"


def test_an_unreadable_file_leaves_the_question_open(make_log, make_graph):
    log = make_log()
    hostlog.compiled(log, make_graph(loop=False))
    gone = log.folder / "debug" / "plog" / "plog-1_99991231235959999.log"
    gone.touch()
    opened = hostlog.read(log.folder)
    gone.unlink()
    evidence = hostlog.judge(opened)
    assert evidence.answer == "cannot tell"
    assert f"{gone} (No such file or directory)" in evidence.because
    assert "as the user who ran the program" in evidence.mend


def test_several_processes_are_listed(make_log, make_graph, tmp_path):
    log = make_log()
    hostlog.compiled(log, make_graph())
    other = next((tmp_path / "debug" / "plog").iterdir())
    text = other.read_text().replace(f"({os.getpid()},", "(1,")
    lines = [line for line in text.splitlines(True) if "IteratorCtrl" not in line]
    lines = [line for line in lines if "FlowCtrl_" not in line]
    (other.parent / "plog-1_20260701100000000.log").write_text("".join(lines))
    evidence = judged(log)
    assert evidence.answer == "built"
    assert evidence.processes == {1: "not built", os.getpid(): "built"}
    assert f"By process: 1 not built, {os.getpid()} built." in evidence.because
    one = hostlog.judge(hostlog.read(tmp_path, pid=1), LEVEL_1)
    assert one.answer == "not built"


def test_a_process_judges_its_own_log_if_it_wrote_one(
    make_log, make_graph, monkeypatch
):
    log = make_log()
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(log.folder))
    plog = log.folder / "debug" / "plog"
    plog.mkdir(parents=True)
    (plog / "plog-1_20260701100000000.log").write_text(
        "[INFO] GE(1,python3):2026-07-01-10:00:00.000.000 [a.cc:1]"
        "Insert op success, name:FlowCtrl_LoopCond_ASSIGN, type:Assign.\n"
    )
    assert hostlog.judge().answer == "built"
    hostlog.compiled(log, make_graph(loop=False))
    assert hostlog.judge().answer == "not built"


# The level: what the log can and cannot say, in processes of their own.

SCRIPT = """
import os
from npu_lab.hostlog import CompiledGraph, HostLog, compiled, judge
log = HostLog().start()
{after}
compiled(log, CompiledGraph(1, 10, False, True, True, True, True))
evidence = judge()
print(evidence.answer, evidence.markers, evidence.because, evidence.mend, sep="|")
"""
LATE = "os.environ['ASCEND_GLOBAL_LOG_LEVEL'] = '1'"


@pytest.mark.parametrize(
    ("level", "after", "answer", "markers", "because", "mend"),
    [
        (None, "", "cannot tell", 0, "unset means 3", "LOG_LEVEL=1 before"),
        ("1", "", "built", 5, "5 marker lines", "step counter"),
        ("0", "", "built", 5, "5 marker lines", "step counter"),
        (None, LATE, "cannot tell", 0, "set too late", "start the program"),
        ("3", "", "cannot tell", 0, "level was too high", "LOG_LEVEL=1 before"),
    ],
)
def test_the_level_at_start_up_decides_what_can_be_told(
    run_python, level, after, answer, markers, because, mend
):
    code = SCRIPT.format(after=after)
    done = run_python(code, ASCEND_GLOBAL_LOG_LEVEL=level)
    assert done.stderr == ""
    said = done.stdout.strip().split("|")
    assert said[:2] == [answer, str(markers)]
    assert because in said[2]
    assert mend in said[3]


def test_a_missing_folder_is_named(tmp_path):
    evidence = hostlog.judge(hostlog.read(tmp_path / "nowhere"), LEVEL_1)
    assert evidence.answer == "cannot tell"
    assert str(tmp_path / "nowhere") in evidence.because
    assert "ASCEND_PROCESS_LOG_PATH" in evidence.mend


def test_the_texts_follow_the_language(make_log, make_graph, monkeypatch):
    log = make_log()
    monkeypatch.setenv("NPU_LAB_LANG", "zh")
    evidence = judged(log, make_graph(get_next=("IteratorGetNext",)))
    assert evidence.answer == "built"
    assert "GetNext算子已下沉到循环内：IteratorGetNext。" in evidence.because


@pytest.mark.parametrize("key", reader.TEXTS)
def test_both_languages_state_the_same_facts(key):
    english, chinese = (
        sorted(re.findall(r"{\w+}", text)) for text in reader.TEXTS[key]
    )
    assert english == chinese
    assert re.search("[\u4e00-\u9fff]", reader.TEXTS[key][1])


# Logs of an older engine: exit by ModelExit, no NoOp, no full stop after the graph id.

OLD_NAMES = (
    ("ge_global_step", "Variable"),
    ("npu_runconfig/loop_cond", "Variable"),
    ("npu_runconfig/one", "Variable"),
    ("npu_runconfig/zero", "Variable"),
    ("npu_runconfig/iterations_per_loop", "Variable"),
    ("Node_Output_IteratorCtrl_StreamSwitch", "StreamSwitch"),
    ("FlowCtrl_LoopCond_ASSIGN", "Assign"),
    ("Node_Output_IteratorCtrl_StreamSwitch_StreamExitActive", "StreamActive"),
    ("Node_Output_IteratorCtrl_StreamSwitch_ModelExit", "ModelExit"),
    ("FlowCtrl_LoopCond_ASSIGNADD", "AssignAdd"),
    ("Node_Output_IteratorCtrl_StreamSwitch_StreamActive", "StreamActive"),
    ("IteratorGetNext_IteratorCtrl_StreamSwitch", "StreamSwitch"),
    ("IteratorGetNext_IteratorCtrl_StreamSwitch_StreamActive", "StreamActive"),
)


def old_log(root, names):
    head = "[INFO] GE(815,python3.7):2020-11-05-15:20:30.{:03}.001 [passes/{}:90]815 "
    lines = [head.format(0, "flow_ctrl_pass.cc") + "Run:No need FlowCtrl for graph 1"]
    for number, (name, kind) in enumerate(names, 1):
        text = f"InsertOp:Insert op success, name:{name}, type:{kind}."
        lines.append(head.format(number, "flow_ctrl_pass.cc") + text)
    other = "Insert op success, name:cond/Switch_StreamSwitch_t, type:StreamSwitch."
    lines.append(head.format(900, "other_pass.cc") + other)
    path = root / "debug" / "plog" / "plog-815_20201105152030000.log"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n")
    return hostlog.read(root)


def test_an_old_log_is_judged_like_a_new_one(tmp_path):
    evidence = hostlog.judge(old_log(tmp_path, OLD_NAMES), {})
    assert evidence.answer == "built"
    assert counts(evidence) == (14, 12, 8, 1)
    assert evidence.sunk_get_next == ("IteratorGetNext",)


def test_operators_of_other_passes_are_no_markers(tmp_path):
    evidence = hostlog.judge(old_log(tmp_path, OLD_NAMES[:1]), {})
    assert evidence.answer == "not built"
    assert counts(evidence) == (2, 0, 0, 1)


# The file alone, as on a real machine.


def python37():
    """A Python 3.7 that runs, or None; version managers leave shims that do not."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [shutil.which("python3.7"), *pyenv.glob("versions/3.7*/bin/python")]
    for program in filter(None, found):
        test = [str(program), "-c", "import sys; print(sys.version_info[:2] == (3, 7))"]
        if (
            subprocess.run(test, check=False, capture_output=True, text=True).stdout
            == "True\n"
        ):
            return str(program)
    return None


@pytest.fixture(params=["python3.7", "this Python"])
def run_alone(request, tmp_path):
    """Run a copy of the reader that can see nothing of npu_lab."""
    program = python37() if request.param == "python3.7" else shutil.which("python3")
    if program is None:
        pytest.skip(f"no {request.param} on this machine")
    copy = shutil.copy(HERE, tmp_path / "copied_reader.py")

    def run(*arguments, **environ):
        command = [program, "-s", "-S", str(copy), *map(str, arguments)]
        return subprocess.run(
            command,
            env={"HOME": str(tmp_path), **environ},
            cwd=tmp_path,
            check=False,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    return run


def test_alone_it_says_the_same(run_alone, make_log, make_graph, tmp_path):
    log = make_log(ASCEND_PROCESS_LOG_PATH=str(tmp_path / "log"))
    evidence = judged(log, make_graph(1, get_next=("IteratorGetNext",)), make_graph(2))
    done = run_alone(log.folder, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {**evidence.as_dict(), "folder": str(log.folder)}


@pytest.mark.parametrize(
    ("changes", "level", "status", "word"),
    [
        ({}, "1", 0, "built"),
        ({"loop": False}, "1", 1, "not built"),
        ({}, "3", 3, "cannot tell"),
    ],
)
def test_alone_its_status_is_the_answer(
    run_alone, make_log, make_graph, tmp_path, changes, level, status, word
):
    log = make_log(level, ASCEND_PROCESS_LOG_PATH=str(tmp_path / "log"))
    hostlog.compiled(log, make_graph(**changes))
    done = run_alone(ASCEND_PROCESS_LOG_PATH=str(log.folder))
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.splitlines()[0] == word
    assert run_alone(log.folder, "--pid", os.getpid()).returncode == status
    assert run_alone(log.folder, "--pid", 1).returncode == 3


def test_alone_it_speaks_chinese_on_any_terminal(run_alone, make_log, make_graph):
    log = make_log()
    hostlog.compiled(log, make_graph())
    arguments = (log.folder, "--language", "zh")
    done = run_alone(*arguments, PYTHONIOENCODING="utf-8")
    assert done.stdout.startswith("已构建\n日志中有 5 行标志行")
    ascii_only = run_alone(*arguments, PYTHONIOENCODING="ascii")
    assert (ascii_only.returncode, ascii_only.stderr) == (0, "")
    assert ascii_only.stdout.startswith("???\n")


def test_alone_wrong_usage_has_a_status_of_its_own(run_alone):
    done = run_alone("--pid", "one")
    assert done.returncode == 2
    assert "usage:" in done.stderr
