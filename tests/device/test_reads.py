"""In a loop a variable is read before it is written, where the graph leaves it open."""

from __future__ import annotations

from typing import Any

import pytest

import npu_lab
import npu_lab.tf1 as tf
from npu_lab.device import Device, reads
from npu_lab.device.subgraph import Subgraph
from tests.device.training import Kept, same, train_plainly, train_sunk
from tests.device.zoo_pieces import (
    CLASSES,
    LABELS,
    PIXELS,
    WIDTH,
    cross_entropy,
    iterator_of,
    weight,
)

pytestmark = pytest.mark.filterwarnings("ignore::npu_lab.NpuLabWarning")
REPEATS = 12


def beside(*, ordered: bool) -> Kept:
    """As BERT trains: the step is advanced beside the update whose rate reads it."""
    iterator = iterator_of(PIXELS, LABELS)
    x, y = iterator.get_next()
    step = tf.train.get_or_create_global_step()
    loss = cross_entropy(tf.matmul(x, weight("w", WIDTH, CLASSES)), y)
    rate = 0.5 / (1.0 + tf.cast(step, tf.float32))
    pairs = tf.train.GradientDescentOptimizer(rate).compute_gradients(loss)
    update = tf.train.GradientDescentOptimizer(rate).apply_gradients(pairs)
    with tf.control_dependencies([update] if ordered else []):
        advance = step.assign(step + 1)
    return Kept(tf.group(update, advance), loss, [], [iterator.initializer])


def test_a_rate_never_sees_the_next_step(device: Device) -> None:
    npu_lab.deactivate()
    plain = train_plainly(lambda: beside(ordered=True), (40,))
    npu_lab.activate(view=True)
    for _ in range(REPEATS):
        sunk = train_sunk(lambda: beside(ordered=False), [20, 20], 20)
        same(sunk.states[40], plain.states[40])


def graph_def(build: Any) -> tuple[Any, set[str], dict[str, Any]]:
    """What is behind the fetches that `build` returns, its variables and functions."""
    with tf.Graph().as_default() as graph:
        behind = Subgraph.of(graph, build(), ())
        definition = graph.as_graph_def()
    kept = [node for node in definition.node if node.name in behind.names]
    del definition.node[:]
    definition.node.extend(kept)
    handles = {o.name for o in behind.operations if o.type == "VarHandleOp"}
    return definition, handles, behind.function_bodies


def waits(definition: Any) -> dict[str, set[str]]:
    """What each operation waits for, by control inputs."""
    return {
        node.name: {one[1:] for one in node.input if one.startswith("^")}
        for node in definition.node
    }


def added(build: Any) -> dict[str, set[str]]:
    definition, handles, bodies = graph_def(build)
    before = waits(definition)
    reads.order(definition, handles, bodies)
    after = waits(definition)
    with tf.Graph().as_default():
        tf.import_graph_def(definition)  # there is no circle
    return {n: after[n] - before[n] for n in after if after[n] - before[n]}


def test_only_reads_that_nothing_orders_are_waited_for() -> None:
    def build() -> list[Any]:
        v = tf.get_variable("v", initializer=1.0)
        early = tf.identity(v.read_value(), name="early")
        written = v.assign_add(2.0 * v.read_value(), read_value=False)
        with tf.control_dependencies([written]):
            late = tf.identity(v.read_value(), name="late")
        return [early.op, late.op]

    (waited,) = added(build).values()
    assert len(waited) == 1, "the value that is written needs the other read anyhow"


def test_two_variables_that_read_each_other_make_no_circle() -> None:
    def build() -> list[Any]:
        a = tf.get_variable("a", initializer=1.0)
        b = tf.get_variable("b", initializer=2.0)
        first = a.assign(3.0, read_value=False)
        second = b.assign(4.0, read_value=False)
        with tf.control_dependencies([first]):
            one = b.read_value().op
        with tf.control_dependencies([second]):
            two = a.read_value().op
        return [one, two]

    assert added(build) == {}


def test_a_read_in_a_branch_is_a_read_and_a_write_in_one_a_write() -> None:
    def build() -> list[Any]:
        yes = tf.placeholder(tf.bool, name="yes")
        v = tf.get_variable("v", initializer=1.0)
        read = tf.cond(yes, lambda: v + 1.0, lambda: 0.0, name="reading")
        write = v.assign(5.0, read_value=False)
        w = tf.get_variable("w", initializer=1.0)
        other = tf.cond(yes, lambda: w.assign_add(1.0), lambda: 0.0, name="writing")
        return [read.op, write, w.read_value().op, other.op]

    found = added(build)
    assert found.pop("writing"), "it waits for the read of w"
    ((_write, waited),) = found.items()
    assert waited == {"reading"}


def test_a_graph_without_a_race_is_left_as_it_is() -> None:
    def build() -> list[Any]:
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        return [tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v * v))]

    assert added(build) == {}
