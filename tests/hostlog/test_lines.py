from __future__ import annotations

import re

import pytest

from npu_lab import hostlog
from npu_lab.hostlog import lines

BIG_LOOP = [
    ("npu_runconfig/loop_cond", "Variable"),
    ("npu_runconfig/one", "Variable"),
    ("npu_runconfig/zero", "Variable"),
    ("npu_runconfig/iterations_per_loop", "Variable"),
    ("Node_Output_IteratorCtrl_StreamSwitch", "StreamSwitch"),
    ("FlowCtrl_LoopCond_ASSIGN", "Assign"),
    ("Node_Output_IteratorCtrl_StreamSwitch_StreamExitActive", "StreamActive"),
    ("FlowCtrl_LoopCond_ASSIGNADD", "AssignAdd"),
    ("Node_Output_IteratorCtrl_StreamSwitch_StreamActive", "StreamActive"),
]


def small_loop(name):
    return [
        (f"{name}_IteratorCtrl_StreamSwitch", "StreamSwitch"),
        (f"{name}_IteratorCtrl_StreamSwitch_NoOp", "NoOp"),
        (f"{name}_IteratorCtrl_StreamSwitch_StreamActive", "StreamActive"),
    ]


@pytest.mark.parametrize(
    "get_next", [(), ("IteratorGetNext",), ("a/GetNext", "GetNext_1")]
)
def test_flow_control_is_the_big_loop_then_a_small_one_per_get_next(get_next):
    expected = BIG_LOOP + [row for name in get_next for row in small_loop(name)]
    assert lines.flow_control_operators(get_next) == expected


def test_loop_variables_in_the_graph_are_not_inserted_again():
    present = {"npu_runconfig/one", "npu_runconfig/iterations_per_loop"}
    rows = lines.flow_control_operators([], present)
    assert rows == [row for row in BIG_LOOP if row[0] not in present]


def what_is_logged(log, graph):
    """Level, folder and message without prefix of the lines of one graph."""
    hostlog.compiled(log, graph)
    prefix = r"(\[TF_ADAPTER\]\[[\w/]+\.cc:\d+\])?\d+ (\w+:)?"
    return [
        (record.level, record.module, re.sub("^" + prefix, "", record.message))
        for record in hostlog.read(log.folder)
    ]


def event(graph_id, n, mixed=False):
    return (
        "EVENT",
        "FMK",
        f"OMPartition subgraph_{graph_id} begin. mix_compile_mode is {mixed},"
        f" iterations_per_loop is {n}.",
    )


def need(graph_id, n, needed):
    return (
        "INFO",
        "FMK",
        f"[GEOP] graph id: {graph_id}, iteration_per_loop: {n},"
        f" need iteration: {needed}",
    )


def insert(name, kind):
    return ("INFO", "GE", f"Insert op success, name:{name}, type:{kind}.")


GLOBAL_STEP = insert("ge_global_step", "Variable")


@pytest.mark.parametrize("get_next", [(), ("IteratorGetNext",)])
def test_a_loop_is_logged_in_order(make_log, make_graph, get_next):
    flow_control = BIG_LOOP + [row for name in get_next for row in small_loop(name)]
    graph = make_graph(31, get_next=get_next)
    assert what_is_logged(make_log(), graph) == [
        event(31, 10),
        need(31, 10, 1),
        GLOBAL_STEP,
        *(insert(*row) for row in flow_control),
    ]


def test_a_training_graph_without_a_loop_has_the_keyword_too(make_log, make_graph):
    graph = make_graph(2, iterations_per_loop=1, need_iteration=False, loop=False)
    assert what_is_logged(make_log(), graph) == [
        event(2, 1),
        need(2, 1, 0),
        GLOBAL_STEP,
        ("INFO", "GE", "No need FlowCtrl for graph 2."),
    ]


def test_unknown_shapes_leave_the_step_variable_out(make_log, make_graph):
    graph = make_graph(known_shapes=False, loop=False)
    assert what_is_logged(make_log(), graph) == [
        event(1, 10),
        need(1, 10, 1),
        ("INFO", "GE", "No need FlowCtrl for graph 1."),
    ]


def test_outside_training_mode_the_pass_does_not_run(make_log, make_graph):
    graph = make_graph(training_mode=False, loop=False, mix_compile_mode=True)
    logged = what_is_logged(make_log(), graph)
    assert logged == [event(1, 10, mixed=True), need(1, 10, 1)]


def test_at_the_default_level_only_the_event_is_written(make_log, make_graph):
    assert what_is_logged(make_log(None), make_graph()) == [event(1, 10)]


@pytest.mark.parametrize(
    "condition", ["training_mode", "known_shapes", "need_iteration"]
)
def test_a_loop_without_its_condition_is_refused(make_graph, condition):
    with pytest.raises(ValueError, match=f"graph 7: .* without {condition}"):
        make_graph(7, **{condition: False})


def test_the_compiled_line_has_the_form_of_the_tensorflow_logger():
    head, text = lines.model_compiled(11).split("] ")
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}"
    assert re.fullmatch(moment + r": I tf_adapter/kernels/geop_npu\.cc:\d+", head)
    assert text == (
        "The model has been compiled on the Ascend AI processor,"
        " current graph id is: 11"
    )
