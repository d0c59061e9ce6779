"""A collective that waits in vain is ended, and none leaves a thread behind."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import npu_lab.tf1 as tf
from npu_lab.extras.distributed import alarm
from tests.extras.distributed.conftest import Launch, succeeded


class Session:
    """What the alarm needs of a session."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.own = self

    def run(self, fetches: Any) -> Any:
        return self.session.run(fetches)


class Calls:
    """What it needs of the operations of a call."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph

    def types(self) -> Any:
        return [(o.name, o.type) for o in self.graph.get_operations()]


def waiting(graph: Any) -> Any:
    """A note as of a collective that has begun now."""
    notes = alarm.Notes.of(graph)
    return tf.raw_ops.LookupTableInsertV2(
        table_handle=notes.table,
        keys=tf.constant(1, tf.int64),
        values=tf.timestamp(),
    )


@pytest.fixture
def call() -> Any:
    """A graph with a collective that is not run, and what runs beside a call."""
    with tf.Graph().as_default() as graph:
        alarm.limit(graph, 1)
        given = {"group_size": 2, "group_key": 1, "instance_key": 1}
        tf.raw_ops.CollectiveBcastSendV2(input=tf.zeros([]), **given)
        ends = tf.queue.FIFOQueue(9, tf.float32)
        yield ends, alarm.beside(Calls(graph), [ends.dequeue()])


def test_a_call_that_ends_is_not_held_up(call: Any) -> None:
    ends, beside = call
    end = ends.enqueue(0.0)
    with tf.Session() as session:
        for _ in range(3):
            session.run([end, beside])


def test_a_call_fails_when_a_collective_has_waited_too_long(call: Any) -> None:
    _, beside = call
    begun = waiting(tf.get_default_graph())
    with tf.Session() as session:
        session.run(begun)
        watched = alarm._Watched()
        watched.add(Session(session))
        start = time.monotonic()
        with pytest.raises(tf.errors.InvalidArgumentError, match=alarm.FAILED):
            session.run(beside)
        assert time.monotonic() - start > 0.9  # not before the limit
        watched._end()


def test_what_has_ended_in_time_raises_nothing(call: Any) -> None:
    notes = alarm.Notes.of(tf.get_default_graph())
    with tf.Session() as session:
        one = Session(session)
        session.run(notes.begun)
        assert alarm._Watched()._check(one) == 1 / alarm.LOOKS
        session.run(waiting(tf.get_default_graph()))
        alarm._Watched()._check(one)
        assert session.run(notes.begun).max() > 0


def test_a_call_without_collectives_has_nothing_beside_it() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1)
        assert alarm.beside(Calls(graph), []) == []
        assert alarm.watch(None, Calls(graph)) is None


def test_many_quick_steps_leave_no_thread_behind(launch: Launch) -> None:
    ranks = succeeded(launch(2, "quick.py", 2000, 100))
    for rank in ranks:
        before, after = map(int, (rank.folder / "threads").read_text().split())
        # TensorFlow's own timeout would leave one for each of 2000 steps.
        assert after < before + 200


def test_a_session_that_is_closed_is_forgotten(tmp_path: Path) -> None:
    watched = alarm._Watched()
    with tf.Graph().as_default(), tf.Session() as session:
        alarm.Notes.of(tf.get_default_graph())
    one = Session(session)
    watched.add(one)
    for _ in range(100):
        if one not in watched._sessions:
            break
        time.sleep(0.05)
    assert one not in watched._sessions
    watched._end()
