"""A training whose numbers can be told by hand, with overflows in chosen steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from tests.device.models import config

STEPS = 40
RATE = np.float32(0.125)
TOO_LARGE = 60000.0  # twice this is no float16


@dataclass
class State:
    """What a training ended with."""

    weight: np.float32
    step: int
    scale: np.float32
    good: int = 0
    bad: int = 0


def values(overflows: Collection[int], bad: float) -> Any:
    """One value a step, `bad` in the steps that overflow (counted from 0)."""
    return np.array(
        [bad if i in overflows else (i % 7 + 1) / 16 for i in range(STEPS)], np.float32
    )


def expected(
    overflows: Collection[int],
    init: float,
    every: int | None = None,
    decr_every: int = 2,
    incr: float = 2,
    decr: float = 0.8,
) -> State:
    """The formula, step by step in float32; without `every` the scale is fixed."""
    f = np.float32
    state = State(f(1), 0, f(init))
    for number, x in enumerate(values(overflows, 0)):
        finite = number not in overflows
        if finite:
            gradient = f(f(f(2) * x) * state.scale) * (f(1) / state.scale)
            state.weight = f(state.weight - f(RATE * gradient))
            state.step += 1
        if every is None:
            continue
        if finite and state.good + 1 >= every:
            if state.scale < f(3.4e38) / f(incr):
                state.scale = f(state.scale * f(incr))
            state.good = state.bad = 0
        elif finite:
            state.good += 1
        elif state.bad + 1 >= decr_every:
            state.scale = max(f(1), f(state.scale * f(decr)))
            state.good = state.bad = 0
        else:
            state.bad, state.good = state.bad + 1, 0
    return state


def trained(
    make_manager: Callable[[], Any],
    wrap: Callable[[Any, Any], Any],
    data: Any,
    n: int,
    calls: Sequence[Any] = (),
    **options: Any,
) -> State:
    """Train on one value of `data` a step; `calls` are called with each session."""
    from npu_bridge.npu_init import util

    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices(data)
        iterator = tf.data.make_initializable_iterator(dataset)
        x = iterator.get_next()
        weight = tf.get_variable("w", initializer=1.0)
        step = tf.train.get_or_create_global_step()
        manager = make_manager()
        optimizer = wrap(tf.train.GradientDescentOptimizer(RATE), manager)
        doubled = tf.cast(tf.cast(x, tf.float16) * 2.0, tf.float32)
        train = optimizer.minimize(weight * doubled, global_step=step)
        with tf.Session(config=config(n, **options)) as session:
            session.run(tf.global_variables_initializer())
            session.run(iterator.initializer)
            train = util.set_iteration_per_loop(session, train, n)
            for _ in range(len(data) // n):
                session.run(train)
            for call in calls:
                call(session)
            counts = [0, 0]
            if hasattr(manager, "_good_steps"):
                counts = session.run([manager._good_steps, manager._bad_steps])
            found = session.run([weight, step, manager.get_loss_scale()])
    return State(found[0], int(found[1]), found[2], *map(int, counts))
