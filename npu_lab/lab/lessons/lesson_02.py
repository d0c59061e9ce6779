"""Exercises of lesson 02: the loaded count, a judge for logs, the order of the setter.

A judge is tried on logs as the engine writes them; a setter is used in a small training
of its own, and the verdict on that decides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import npu_lab.tf1 as tf
from npu_lab import activation, hostlog
from npu_lab.hostlog.lines import CompiledGraph
from npu_lab.lab.exercises import Exercise, mistake, refuse_placeholder
from npu_lab.lab.lessons import answers_02 as answers
from npu_lab.lab.lessons.texts_02 import (
    JUDGE_MISTAKES,
    LOADED_MISTAKES,
    QUESTIONS,
    SINK_MISTAKES,
)

__all__ = ["EXERCISES", "JUDGE_MISTAKES", "LEDGER", "QUESTIONS"]

# What the exported script does.
LEDGER = {
    "session_runs": 120,
    "training_calls": 110,
    "device_iterations": 100,
    "batches_pulled": 200,
}
N = 25
_loaded_wrong = functools.partial(mistake, LOADED_MISTAKES)
_judge_wrong = functools.partial(mistake, JUDGE_MISTAKES)
_sink_wrong = functools.partial(mistake, SINK_MISTAKES)


def check_loaded(answer: Any) -> None:
    """`Wrong` unless it is the count that the setter loads for N."""
    if isinstance(answer, bool) or not isinstance(answer, Integral):
        raise _loaded_wrong("no int", got=repr(answer))
    if answer != N - 1:
        keys = {N: "n itself", N + 1: "one more", 0: "zero", 9: "another n"}
        raise _loaded_wrong(
            keys.get(int(answer), "steps"), got=answer, steps=answer + 1
        )


def _log(n: int, *, loop: bool, get_next: Sequence[str] = ("IteratorGetNext",)) -> Any:
    """The lines of an initializer's graph, and of a training graph."""
    graph = functools.partial(
        CompiledGraph,
        iterations_per_loop=n,
        mix_compile_mode=False,
        training_mode=True,
        known_shapes=True,
    )
    first = graph(graph_id=0, need_iteration=False, loop=False)
    second = graph(
        graph_id=1, need_iteration=loop, loop=loop, get_next=tuple(get_next) * loop
    )
    written = [*hostlog.lines.lines(first), *hostlog.lines.lines(second)]
    return [f"[{line.level}] {line.module} {line.message}" for line in written]


def _old(lines: list[str]) -> list[str]:
    """As an engine of 2020 wrote them."""
    return [line for line in lines if "ExitActive" not in line and "NoOp" not in line]


# Each log with its answer, and the mistake of a judge that says otherwise.
LOGS: tuple[tuple[str, bool, list[str]], ...] = (
    ("never", True, _log(10, loop=True)),
    ("no need", False, [x for x in _log(1, loop=False) if "No need" in x]),
    ("option", False, [x for x in _log(10, loop=False) if "_per_loop" in x]),
    ("keyword", False, _log(1, loop=False)),
    ("counted", False, _log(1, loop=False) * 15),  # thirty graphs
    ("get_next", True, _log(10, loop=True, get_next=())),
    ("old engine", True, _old(_log(10, loop=True))),
)


def check_loop_built(function: Callable[[list[str]], Any]) -> None:
    """Try a judge on several logs; `Wrong` for the first that it misjudges."""
    if not callable(function):
        raise _judge_wrong("no function")
    for key, wanted, lines in LOGS:
        answer = function(list(lines))
        refuse_placeholder(answer)
        if answer is None:
            raise _judge_wrong("nothing")
        if not isinstance(answer, (bool, Integral)):
            raise _judge_wrong("no bool", got=type(answer).__name__)
        if bool(answer) != wanted:
            some = key == "never" and any(function([line]) for line in lines)
            raise _judge_wrong("all" if some else key)


STEPS, CALLS = (4, 3), 2  # of a loop, one after the other; of each training


def check_sink(function: Callable[[Any, Any, int], Any]) -> None:
    """Train with what the learner's function sinks; the verdict says if it loops."""
    if not callable(function):
        raise _sink_wrong("no function")
    for n in STEPS:
        _try_sink(function, n)


def _try_sink(function: Callable[[Any, Any, int], Any], n: int) -> None:
    with tf.Graph().as_default() as graph, tf.Session(config=_config(n)) as sess:
        train_op, step, metric = _model(sess)
        sunk = function(sess, train_op, n)
        refuse_placeholder(sunk)
        if not isinstance(sunk, tf.Operation):
            raise _sink_wrong("no operation", got=type(sunk).__name__)
        made = [one.name for one in graph.get_operations() if "IterationOp" in one.name]
        if sunk is train_op:
            raise _sink_wrong("discarded" if made else "not sunk")
        if sunk.name != "IterationOp":
            raise _sink_wrong("name", got=sunk.name)
        for _ in range(CALLS):
            sess.run(sunk)
        _judge_training(int(sess.run(step)), n)
        try:
            sess.run(metric)
        except tf.errors.FailedPreconditionError as error:
            raise _sink_wrong("no local") from error


def _judge_training(steps: int, n: int) -> None:
    device = activation.active_device()
    verdict = next(v for v in reversed(device.verdicts) if v.iteration_op)  # type: ignore[union-attr]
    if not verdict.in_effect:
        raise _sink_wrong("count reset", state=verdict.state, calls=CALLS, steps=steps)
    if steps != n * CALLS:
        raise _sink_wrong(
            "other number", n=n, calls=CALLS, steps=steps, each=steps // CALLS
        )


def _model(sess: Any) -> tuple[Any, Any, Any]:
    """As in the lesson, with a metric's local variable; all else is initialized."""
    dataset = tf.data.Dataset.range(8).repeat().batch(2, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    x = tf.cast(iterator.get_next(), tf.float32)
    weight = tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(weight * x - 3 * x))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=step)
    local = [tf.GraphKeys.LOCAL_VARIABLES]
    metric = tf.Variable(0.0, trainable=False, collections=local, name="metric")
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    return train_op, step, metric


def _config(n: int) -> Any:
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["use_off_line"].b = True
    custom_op.parameter_map["enable_data_pre_proc"].b = True
    custom_op.parameter_map["iterations_per_loop"].i = n
    return config


LOOP_BUILT = """\
def loop_built(lines):
    inserted = [line for line in lines if "Insert op success" in line]
    return any("IteratorCtrl_StreamSwitch" in line for line in inserted)"""

SINK = """\
from npu_bridge.npu_init import *


def sink(sess, train_op, n):
    sess.run(tf.local_variables_initializer())
    train_op = util.set_iteration_per_loop(sess, train_op, n)
    return train_op"""

EXERCISES = (
    Exercise(
        name="02/loaded",
        title={"en": "the loaded count", "zh": "加载的循环次数"},
        checker=check_loaded,
        praise={
            "en": "The first pass needs no permission: 24 more make 25.",
            "zh": "第一次执行不需要判断：再执行 24 次，共 25 次。",
        },
        hints=(
            {
                "en": "How many times does the switch have to say yes?",
                "zh": "switch 需要回答多少次“是”？",
            },
            {
                "en": "passes(loaded) above must give 25.",
                "zh": "上文的 passes(loaded) 应返回 25。",
            },
        ),
        solution="loaded = 25 - 1",
        explanation={
            "en": "The switch tests after each pass, and loop_cond starts at 0: the"
            " first pass is made in any case. You still write 25 in the script; the"
            " setter subtracts.",
            "zh": "switch 在每次执行之后判断，loop_cond 从 0 开始：第一次必定执行。"
            "脚本中仍然写 25，由接口减一。",
        },
        mistakes=LOADED_MISTAKES,
        right=(24,),
        wrong=(
            ("n itself", 25),
            ("one more", 26),
            ("zero", 0),
            ("another n", 9),
            ("steps", 12),
            ("no int", "24"),
            ("no int", 24.0),
        ),
    ),
    Exercise(
        name="02/loop_built",
        title={"en": "a judge for logs", "zh": "判断日志"},
        checker=check_loop_built,
        praise={
            "en": "Right for every log tried, old and new, with and without GetNext.",
            "zh": "所有试过的日志都判断正确：新旧引擎，有无 GetNext。",
        },
        hints=(
            {
                "en": "Which piece of a name is in the markers, but in no other keyword"
                " line?",
                "zh": "名称中哪一部分只出现在标志行，不出现在其他关键字行？",
            },
            {
                "en": "Every loop has line 5, the switch of the big loop.",
                "zh": "每个循环都有第 5 行，即大循环的 switch。",
            },
            {
                "en": '"IteratorCtrl_StreamSwitch" in line',
                "zh": '写成 "IteratorCtrl_StreamSwitch" in line',
            },
        ),
        solution=LOOP_BUILT,
        explanation={
            "en": "A marker is a keyword line whose name holds"
            " IteratorCtrl_StreamSwitch or FlowCtrl_LoopCond. The big loop always has"
            " both; lines 7 and 10 to 12 depend on the engine and on GetNext.",
            "zh": "标志行是名称包含 IteratorCtrl_StreamSwitch 或 FlowCtrl_LoopCond 的"
            "关键字行。大循环总是两者都有；第 7 行和第 10 到 12 行取决于引擎版本和"
            " GetNext。",
        },
        mistakes=JUDGE_MISTAKES,
        right=answers.JUDGES_RIGHT,
        wrong=answers.JUDGES_WRONG,
    ),
    Exercise(
        name="02/sink",
        title={"en": "initialize, then sink", "zh": "先初始化，再下沉"},
        checker=check_sink,
        praise={
            "en": "In effect: each call ran all its steps, and the metric is ready.",
            "zh": "已生效：每次调用执行了全部 step，指标变量也已就绪。",
        },
        hints=(
            {
                "en": "Two lines are enough. Which of them sets the count, and which"
                " one would set it back?",
                "zh": "两行就够。哪一行设置循环次数？哪一行会把它复位？",
            },
            {
                "en": "First gap: run tf.local_variables_initializer(). Second gap: the"
                " setter, and keep what it returns.",
                "zh": "第一处：运行 tf.local_variables_initializer()。第二处：调用"
                "接口，并保留返回值。",
            },
            {
                "en": "Second gap: train_op ="
                " util.set_iteration_per_loop(sess, train_op, n)",
                "zh": "第二处：train_op ="
                " util.set_iteration_per_loop(sess, train_op, n)",
            },
        ),
        solution=SINK,
        explanation={
            "en": "The loop's variables are local: all initializers come first, the"
            " setter after them. And the loop runs only through the operation that the"
            " setter returns.",
            "zh": "循环变量是局部变量：所有初始化在前，接口在后。"
            "而且只有运行接口返回的算子，才会执行循环。",
        },
        mistakes=SINK_MISTAKES,
        right=answers.SINKS_RIGHT,
        wrong=answers.SINKS_WRONG,
    ),
)
