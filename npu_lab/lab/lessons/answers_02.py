"""Answers to the exercises of lesson 02: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, ARG005, D103, PLR2004 (one signature each, names that tell)

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import npu_lab.tf1 as tf

Lines = Sequence[str]
KEYWORD = "Insert op success"


def _any(test: Callable[[str], bool]) -> Callable[[Lines], bool]:
    """As the skeleton: any keyword line of which `test` is true."""
    return lambda lines: any(test(line) for line in lines if KEYWORD in line)


def built(lines: Lines) -> bool:
    parts = "IteratorCtrl_StreamSwitch", "FlowCtrl_LoopCond"
    return any(part in line for line in lines if KEYWORD in line for part in parts)


def built_by_count(lines: Lines) -> int:
    return sum("IteratorCtrl_StreamSwitch" in line for line in lines if KEYWORD in line)


def no_return(lines: Lines) -> None:
    built(lines)


def yes_or_no(lines: Lines) -> str:
    return "yes" if built(lines) else "no"


def found(lines: Lines) -> list[str]:
    return [line for line in lines if KEYWORD in line and "Switch" in line]


def many(lines: Lines) -> bool:
    return sum(KEYWORD in line for line in lines) > 3


def more_than_ten(lines: Lines) -> bool:
    return sum(KEYWORD in line for line in lines) > 10


def all_of_them(lines: Lines) -> bool:
    return all("StreamSwitch" in line for line in lines if KEYWORD in line)


def any_line(lines: Lines) -> bool:
    return any("FlowCtrl" in line for line in lines)


def option_line(lines: Lines) -> bool:
    return any("iterations_per_loop" in line for line in lines)


JUDGES_RIGHT = (
    built,
    built_by_count,
    _any(lambda line: "StreamSwitch" in line),
    _any(lambda line: "FlowCtrl_LoopCond_ASSIGN" in line),
    _any(lambda line: "Node_Output_IteratorCtrl_StreamSwitch" in line),
)
JUDGES_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", True),
    ("nothing", no_return),
    ("no bool", yes_or_no),
    ("no bool", found),
    ("keyword", _any(lambda line: True)),
    ("keyword", _any(lambda line: "Variable" in line)),
    ("counted", many),
    ("counted", more_than_ten),
    ("all", all_of_them),
    ("no need", any_line),
    ("option", option_line),
    ("never", _any(lambda line: "IterationOp" in line)),
    ("never", lambda lines: False),
    ("get_next", _any(lambda line: "GetNext" in line)),
    ("get_next", _any(lambda line: "NoOp" in line)),
    ("old engine", _any(lambda line: "StreamExitActive" in line)),
    ("raised", _any(lambda line: line.name == "FlowCtrl_LoopCond")),  # type: ignore[attr-defined]
)


def _util() -> Any:
    from npu_bridge.npu_init import util  # type: ignore[import-not-found]

    return util


def sink(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return _util().set_iteration_per_loop(sess, train_op, n)


def sink_in_two_halves(sess: Any, train_op: Any, n: int) -> Any:
    iteration = _util().IterationPerLoop()
    train_op = iteration.create_iteration_per_loop_var(train_op)
    sess.run(tf.local_variables_initializer())
    iteration.load_iteration_per_loop_var(sess, n)
    return train_op


def initialized_too_late(sess: Any, train_op: Any, n: int) -> Any:
    train_op = _util().set_iteration_per_loop(sess, train_op, n)
    sess.run(tf.local_variables_initializer())
    return train_op


def initializer_not_run(sess: Any, train_op: Any, n: int) -> Any:
    tf.local_variables_initializer()
    return _util().set_iteration_per_loop(sess, train_op, n)


def global_initializer(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.global_variables_initializer())
    return _util().set_iteration_per_loop(sess, train_op, n)


def not_sunk(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return train_op


def discarded(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    _util().set_iteration_per_loop(sess, train_op, n)
    return train_op


def twice(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    _util().set_iteration_per_loop(sess, train_op, n)
    return _util().set_iteration_per_loop(sess, train_op, n)


def in_a_scope(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    with tf.name_scope("train"):
        return _util().set_iteration_per_loop(sess, train_op, n)


def one_less(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return _util().set_iteration_per_loop(sess, train_op, n - 1)


def ten(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return _util().set_iteration_per_loop(sess, train_op, 10)


def four(sess: Any, train_op: Any, n: int) -> Any:
    sess.run(tf.local_variables_initializer())
    return _util().set_iteration_per_loop(sess, train_op, 4)


def not_loaded(sess: Any, train_op: Any, n: int) -> Any:
    train_op = _util().IterationPerLoop().create_iteration_per_loop_var(train_op)
    sess.run(tf.local_variables_initializer())
    return train_op


def returns_nothing(sess: Any, train_op: Any, n: int) -> None:
    sink(sess, train_op, n)


def ran_it(sess: Any, train_op: Any, n: int) -> Any:
    return sess.run([sink(sess, train_op, n), tf.train.get_global_step()])


def a_tensor(sess: Any, train_op: Any, n: int) -> Any:
    sink(sess, tf.train.get_global_step(), n)


SINKS_RIGHT = (sink, sink_in_two_halves)
SINKS_WRONG: tuple[tuple[str, Any], ...] = (
    ("no function", 10),
    ("no operation", returns_nothing),
    ("no operation", ran_it),
    ("count reset", initialized_too_late),
    ("count reset", not_loaded),
    ("no local", initializer_not_run),
    ("no local", global_initializer),
    ("not sunk", not_sunk),
    ("discarded", discarded),
    ("name", twice),
    ("name", in_a_scope),
    ("other number", one_less),
    ("other number", ten),
    ("other number", four),
    ("raised", a_tensor),
)
