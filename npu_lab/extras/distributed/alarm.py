"""Ends a collective that has waited too long for another rank.

TensorFlow's own timeout of a collective keeps a thread asleep for all of its seconds,
also when the collective is long over: a quick loop has thousands of them, until the
system gives no more and TensorFlow aborts.  So no collective here has one.  Each notes
when it begins and that it has ended, and beside a call an operation waits for its end.
One thread looks at the notes; where a collective has waited too long, it lets that
operation fail, and TensorFlow ends the collectives of the call with it.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed.eager_alarm import EagerNotes

v1 = tf.compat.v1

TIMEOUT = 10.0  # seconds; on hardware 1836
FAILED = "npu_lab: a collective has waited too long"
LOOKS = 8  # within the timeout
LONGEST_PAUSE, SHORTEST_PAUSE = 1.0, 0.05  # seconds between two looks
KIND = "Collective"
NAME = "npu_lab/alarm"
OVER = 0.0
GOOD, BAD = 0.0, 1.0
_eager: list[EagerNotes] = []  # of the process, once there is one
ALWAYS = np.iinfo(np.int64).max  # what is given is never too old


def limit(graph: Any, seconds: float | None) -> None:
    """Set how long a collective of `graph` may wait; None is the default, 10 s.

    One of two sessions has that of the later one.
    """
    graph._npu_lab_hccl_timeout = seconds or TIMEOUT


def limit_of(graph: Any) -> float:
    """How long a collective of `graph` may wait, seconds."""
    return float(getattr(graph, "_npu_lab_hccl_timeout", None) or TIMEOUT)


class Notes:
    """What is in a graph for the alarm, made when it is first asked for."""

    def __init__(self, graph: Any) -> None:
        self.graph, self.count = graph, 0
        self.fail: list[Any] = []
        with self.apart():
            self.table = tf.raw_ops.MutableHashTableV2(
                key_dtype=tf.int64, value_dtype=tf.float64, shared_name=NAME
            )
            _, self.begun = tf.raw_ops.LookupTableExportV2(
                table_handle=self.table, Tkeys=tf.int64, Tvalues=tf.float64
            )

    @classmethod
    def of(cls, graph: Any) -> Notes:
        """Those of a graph."""
        found: Notes | None = getattr(graph, "_npu_lab_alarm", None)
        if found is None:
            found = graph._npu_lab_alarm = cls(graph)
        return found

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Build at the top of the graph, after nothing."""
        free = self.graph.control_dependencies(None)
        with self.graph.as_default(), free, self.graph.name_scope(f"{NAME}/"):
            yield

    def gate(self) -> list[Any]:
        """Two handles of one gate, which hands a value on from who gives to who takes.

        With one handle a function would let them run one after the other.
        """
        with self.apart():
            name = f"{NAME}/{len(self.fail)}"
            handles = [
                tf.raw_ops.ResourceConditionalAccumulator(
                    dtype=tf.float32, shape=[], shared_name=name
                )
                for _ in range(2)
            ]
            self.fail.append(_give(handles[0], BAD))
        return handles


def noted(graph: Any, tensor: Any, build: Callable[[Any], Any]) -> Any:
    """The collective that `build` makes of a tensor; it notes its begin and its end.

    `graph` is the one that all functions are part of; of functions that are called
    eagerly, it is none that is run.
    """
    with tf.init_scope():
        eager = tf.executing_eagerly()
    notes = _eager_notes() if eager else Notes.of(graph)
    notes.count += 1
    number = tf.constant(notes.count, tf.int64)

    def note(value: Any) -> Any:
        return tf.raw_ops.LookupTableInsertV2(
            table_handle=notes.table, keys=number, values=value
        )

    with tf.control_dependencies([tensor]):
        begun = note(tf.timestamp())
    with tf.control_dependencies([begun]):
        made = build(tensor)
    with tf.control_dependencies([made]):
        ended = note(tf.constant(OVER, tf.float64))
    with tf.control_dependencies([ended]):
        return tf.identity(made)


def _eager_notes() -> EagerNotes:
    if not _eager:
        _eager.append(EagerNotes(TIMEOUT))
    return _eager[0]


def beside(subgraph: Any, done: Sequence[Any]) -> list[Any]:
    """What runs beside a call with collectives, and fails when the alarm is raised.

    `done` is what the call ends with.
    """
    if not _has_collectives(subgraph):
        return []
    giver, taker = Notes.of(subgraph.graph).gate()
    with tf.control_dependencies(list(done)):
        over = _give(giver, GOOD)
    came = tf.raw_ops.ResourceAccumulatorTakeGradient(
        handle=taker, num_required=1, dtype=tf.float32
    )
    return [over, tf.raw_ops.Assert(condition=tf.equal(came, GOOD), data=[FAILED])]


def _give(gate: Any, value: float) -> Any:
    return tf.raw_ops.ResourceAccumulatorApplyGradient(
        handle=gate, local_step=ALWAYS, gradient=tf.constant(value)
    )


def _has_collectives(subgraph: Any) -> bool:
    return any(kind.startswith(KIND) for _, kind in subgraph.types())


def watch(session: Any, subgraph: Any) -> Callable[[], None] | None:
    """What to do before each call of this kind; None where it has no collectives.

    `session` is its DeviceSession.
    """
    if not _has_collectives(subgraph):
        return None
    return lambda: _watched.add(session)


class _Watched:
    """The sessions that are looked at, by one thread."""

    def __init__(self) -> None:
        self._sessions: WeakSet[Any] = WeakSet()
        self._told: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, session: Any) -> None:
        """Look at a session from now on."""
        with self._lock:
            self._sessions.add(session)
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, daemon=True)
                self._thread.start()
                atexit.register(self._end)

    def _end(self) -> None:
        self._ends.set()
        if self._thread is not None:
            self._thread.join(2 * LONGEST_PAUSE)

    def _look(self) -> None:
        pause = SHORTEST_PAUSE
        while not self._ends.wait(pause):
            with self._lock:
                sessions = list(self._sessions)
            pause = LONGEST_PAUSE
            for session in sessions:
                try:
                    pause = min(pause, self._check(session))
                except Exception:  # noqa: BLE001  (closed, or broken)
                    with self._lock:
                        self._sessions.discard(session)

    def _check(self, session: Any) -> float:
        """Raise the alarm if it is time; return when to look again (seconds)."""
        graph = session.session.graph
        notes, limit = Notes.of(graph), limit_of(graph)
        told = self._told.get(session, OVER)
        new = [float(b) for b in session.own.run(notes.begun) if b > told]
        if new and time.time() - min(new) > limit:
            self._told[session] = max(new)
            session.own.run(notes.fail)
        return max(SHORTEST_PAUSE, min(LONGEST_PAUSE, limit / LOOKS))


_watched = _Watched()
