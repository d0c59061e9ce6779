"""Training as scripts do it, plain and sunk, with all that can be compared after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import npu_lab.tf1 as tf
from tests.device.models import config


@dataclass
class Kept:
    """What a training script keeps of its model.

    `metrics` are fetched every other step.  `setup` is run once, after the variables'
    initializers; `feed` makes the feed_dict of every call in one session.
    """

    train: Any
    loss: Any
    metrics: Sequence[Any] = ()
    setup: Sequence[Any] = ()
    feed: Callable[[Any], dict[Any, Any] | None] = lambda opened: None


@dataclass
class Trained:
    """The losses and metrics by the step they came after, and all global variables."""

    losses: dict[int, Any] = field(default_factory=dict)
    metrics: dict[int, Any] = field(default_factory=dict)
    states: dict[int, dict[str, Any]] = field(default_factory=dict)


def plain_config() -> Any:
    """The session options of `models.config`, without NpuOptimizer."""
    proto = config()
    del proto.graph_options.rewrite_options.custom_optimizers[:]
    return proto


def state(opened: Any) -> dict[str, Any]:
    """The value of every global variable."""
    variables = {v.name: v for v in tf.global_variables()}
    return opened.run(variables)


def start(opened: Any, model: Kept) -> Any:
    """Initialise as scripts do; returns the feed_dict of the calls to come."""
    opened.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for operation in model.setup:
        opened.run(operation)
    return model.feed(opened)


def step(opened: Any, operation: Any, model: Kept, fed: Any, done: int, to: Trained):
    """One host call, which ends at step `done`: even steps also fetch the metrics."""
    if done % 2:
        to.losses[done] = opened.run([operation, model.loss], fed)[1]
        return
    fetches = [operation, {"loss": model.loss, "metrics": list(model.metrics)}]
    values = opened.run(fetches, fed)[1]
    to.losses[done], to.metrics[done] = values["loss"], values["metrics"]


def train_plainly(build: Callable[[], Kept], ends: Sequence[int]) -> Trained:
    """Plain TensorFlow, one step a call, with the state after each of `ends` steps."""
    trained = Trained()
    with tf.Graph().as_default():
        model = build()
        with tf.Session(config=plain_config()) as opened:
            fed = start(opened, model)
            for done in range(1, max(ends) + 1):
                step(opened, model.train, model, fed, done, trained)
                if done in ends:
                    trained.states[done] = state(opened)
    return trained


def train_sunk(build: Callable[[], Kept], calls: Sequence[int], option: int) -> Trained:
    """As many steps as each entry of `calls` says in a host call; 1 is a plain run.

    Where the number changes, a new count is loaded.
    """
    from npu_bridge.npu_init import util

    trained, loaded, done = Trained(), 1, 0
    with tf.Graph().as_default():
        model = build()
        loop = util.IterationPerLoop()
        with tf.Session(config=config(option)) as opened:
            fed = start(opened, model)
            sunk = None
            for steps in calls:
                operation = model.train
                if steps > 1:
                    if sunk is None:
                        sunk = loop.create_iteration_per_loop_var(model.train)
                    if steps != loaded:
                        loop.load_iteration_per_loop_var(opened, steps)
                    operation, loaded = sunk, steps
                done += steps
                step(opened, operation, model, fed, done, trained)
            trained.states[done] = state(opened)
    return trained


def bits(value: Any) -> Any:
    """A fetched value as something that is equal only where every bit is."""
    if isinstance(value, dict):
        return {key: bits(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        return type(value), value.dtype, value.shape, value.tobytes()
    return value


def same(mine: Any, theirs: Any) -> None:
    """The same bits, whatever the structure."""
    np.testing.assert_equal(mine, theirs)  # says where they differ
    assert bits(mine) == bits(theirs)
