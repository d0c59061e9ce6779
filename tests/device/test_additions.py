"""What the device adds to a graph, it adds once."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import npu_lab.tf1 as tf
from npu_lab.device import Device
from tests.device.models import config, mlp, session


def operations(graph: Any) -> int:
    return len(graph.get_operations())


def run_through(model: Any, starts: list[Any], train: Any, load: Any) -> None:
    """A session's life: sunk and plain calls, two fetch sets."""
    with tf.Session(config=config(4, op_execute_timeout=30)) as opened:
        for start in starts:
            opened.run(start)
        load(opened, 4)
        opened.run([train, model.loss])
        opened.run([train, model.accuracy])
        opened.run(model.loss)


def build() -> tuple[Any, ...]:
    from npu_bridge.npu_init import util

    model, loop = mlp(), util.IterationPerLoop()
    train = loop.create_iteration_per_loop_var(model.train)
    starts = [tf.global_variables_initializer(), model.initializer]
    return model, starts, train, loop.load_iteration_per_loop_var


def test_a_second_session_of_a_graph_adds_nothing(device: Device) -> None:
    with tf.Graph().as_default() as graph:
        built = build()
        own = operations(graph)
        run_through(*built)
        first = operations(graph)
        assert first > own
        run_through(*built)
        assert operations(graph) == first
    assert device.ledger.device_iterations == 2 * 8


def test_a_new_count_adds_nothing(device: Device) -> None:
    from npu_bridge.npu_init import util

    with tf.Graph().as_default() as graph:
        model = mlp()
        loop = util.IterationPerLoop()
        train = loop.create_iteration_per_loop_var(model.train)
        with session(model, config(100)) as opened:
            loop.load_iteration_per_loop_var(opened, 5)
            opened.run(train)
            before = operations(graph)
            for count in (2, 3, 10):
                loop.load_iteration_per_loop_var(opened, count)
                opened.run(train)
        assert operations(graph) == before
    assert device.ledger.device_iterations == 5 + 2 + 3 + 10


def test_additions_go_with_their_graph(device: Device) -> None:
    def use() -> weakref.ref[Any]:
        with tf.Graph().as_default() as graph:
            run_through(*build())
        return weakref.ref(graph)

    graph = use()
    device.verdicts.clear()
    gc.collect()
    assert graph() is None
