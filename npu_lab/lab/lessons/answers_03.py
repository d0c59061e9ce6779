"""Answers to the exercises of lesson 03: right ones, and the known wrong ones."""
# ruff: noqa: ARG001, D103 (one signature each, names that tell)

from __future__ import annotations

import importlib
import math
from typing import Any


def right(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(steps // n):
        sess.run(train_op)
    if steps % n:
        iteration.load_iteration_per_loop_var(sess, steps % n)
        sess.run(train_op)


def right_with_while(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    while steps > 0:
        size = min(n, steps)
        iteration.load_iteration_per_loop_var(sess, size)
        sess.run([train_op])
        steps -= size


def right_tail_first(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    whole, rest = divmod(steps, n)
    if rest:
        iteration.load_iteration_per_loop_var(sess, rest)
        sess.run(train_op)
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(whole):
        sess.run(train_op)


def no_division(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(steps):
        sess.run(train_op)


def no_division_and_tail(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    no_division(sess, iteration, train_op, steps, n)
    if steps % n:
        iteration.load_iteration_per_loop_var(sess, steps % n)
        sess.run(train_op)


def rounded_up(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(math.ceil(steps / n)):
        sess.run(train_op)


def rest_without_load(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(steps // n):
        sess.run(train_op)
    if steps % n:
        sess.run(train_op)


def rest_left_out(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, n)
    for _ in range(steps // n):
        sess.run(train_op)


def one_less(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    rest_left_out(sess, iteration, train_op, steps, n)
    if steps % n:
        iteration.load_iteration_per_loop_var(sess, steps % n - 1)
        sess.run(train_op)


def one_by_one(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    rest_left_out(sess, iteration, train_op, steps, n)
    iteration.load_iteration_per_loop_var(sess, 1)
    for _ in range(steps % n):
        sess.run(train_op)


def all_one_by_one(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    iteration.load_iteration_per_loop_var(sess, 1)
    for _ in range(steps):
        sess.run(train_op)


def count_left(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    for _ in range(steps // n):
        sess.run(train_op)
    if steps % n:
        iteration.load_iteration_per_loop_var(sess, steps % n)
        sess.run(train_op)


def loads_only(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, n)


def loads_zero(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    rest_left_out(sess, iteration, train_op, steps, n)
    iteration.load_iteration_per_loop_var(sess, steps % n)
    sess.run(train_op)


def always_five_more(
    sess: Any, iteration: Any, train_op: Any, steps: int, n: int
) -> None:
    rest_left_out(sess, iteration, train_op, steps, n)
    iteration.load_iteration_per_loop_var(sess, 5)
    sess.run(train_op)


def all_at_once(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    iteration.load_iteration_per_loop_var(sess, steps)
    sess.run(train_op)


def set_again(sess: Any, iteration: Any, train_op: Any, steps: int, n: int) -> None:
    util = importlib.import_module("npu_bridge.estimator.npu.util")
    rest_left_out(sess, iteration, train_op, steps, n)
    if steps % n:
        sess.run(util.set_iteration_per_loop(sess, train_op, steps % n))


RIGHT_TRAIN = (right, right_with_while, right_tail_first)
WRONG_TRAIN: tuple[tuple[str, Any], ...] = (
    ("no function", 9),
    ("undivided", no_division),
    ("undivided", no_division_and_tail),
    ("past the end", rounded_up),
    ("past the end", rest_without_load),
    ("no tail", rest_left_out),
    ("one less", one_less),
    ("calls", one_by_one),
    ("calls", all_one_by_one),
    ("too few calls", all_at_once),
    ("graph grows", set_again),
    ("count left", count_left),
    ("nothing", loads_only),
    ("raised", loads_zero),
    ("steps", always_five_more),
)


def stop(reached: int, n: int, k: int) -> int:
    step, due = 0, k
    while True:
        step += n
        if step >= due:
            if step >= reached:
                return step
            due = (step // k + 1) * k


def stop_by_search(reached: int, n: int, k: int) -> int:
    multiples = range(k, reached + n + k, k)
    return min(s for m in multiples if (s := -(-m // n) * n) >= reached)


def stop_due_plus_k(reached: int, n: int, k: int) -> float:
    step, due = 0, k
    while step < due or step < reached:
        due += k if step >= due else 0
        step += n
    return float(step)


def n_ignored(reached: int, n: int, k: int) -> int:
    return math.ceil(reached / k) * k


def k_ignored(reached: int, n: int, k: int) -> int:
    return math.ceil(reached / n) * n


def common_multiple(reached: int, n: int, k: int) -> int:
    return math.ceil(reached / math.lcm(n, k)) * math.lcm(n, k)


def twice_rounded(reached: int, n: int, k: int) -> int:
    return math.ceil(math.ceil(reached / k) * k / n) * n


def drifting(reached: int, n: int, k: int) -> int:
    step, due = 0, k
    while True:
        step += n
        if step >= due:
            if step >= reached:
                return step
            due = step + k


def due_again(reached: int, n: int, k: int) -> int:
    step, due = 0, k
    while True:
        step += n
        if step >= due:
            if step >= reached:
                return step
            due = math.ceil(step / k) * k


def at_once(reached: int, n: int, k: int) -> int:
    return reached


def too_early(reached: int, n: int, k: int) -> int:
    return reached // k * k


def one_call_more(reached: int, n: int, k: int) -> int:
    return stop(reached, n, k) + n


def nothing(reached: int, n: int, k: int) -> None:
    stop(reached, n, k)


RIGHT_STOP = (stop, stop_by_search, stop_due_plus_k)
WRONG_STOP: tuple[tuple[str, Any], ...] = (
    ("no function", 130),
    ("n ignored", n_ignored),
    ("k ignored", k_ignored),
    ("common multiple", common_multiple),
    ("rounded twice", twice_rounded),
    ("drifting", drifting),
    ("due again", due_again),
    ("off the calls", at_once),
    ("too early", too_early),
    ("too late", one_call_more),
    ("no number", nothing),
)
