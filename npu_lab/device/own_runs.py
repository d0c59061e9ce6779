"""The runs that the device makes for itself in a session: no host calls."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.device import counters, data_queue
from npu_lab.device.additions import once
from npu_lab.device.subgraph import COUNT_VARIABLE


class OwnRuns:
    """Starts, reads and stops what the device has in one session."""

    def __init__(self, session: Any, plain_run: Callable[..., Any]) -> None:
        self._session, self._plain_run = weakref.ref(session), plain_run
        self._lock = threading.Lock()
        self._started: set[str] = set()
        self._totals = dict.fromkeys(counters.TOTALS, 0)

    @property
    def session(self) -> Any:
        """The TensorFlow session."""
        return self._session()

    def run(self, fetches: Any, options: Any = None, feed_dict: Any = None) -> Any:
        """A run of the device's own: no host call of the user's, so not counted."""
        return self._plain_run(self.session, fetches, feed_dict, options, None)

    def loaded(self) -> int | None:
        """The steps the loaded count stands for, or None: not loaded here."""
        graph = self.session.graph
        try:
            count = graph.get_tensor_by_name(f"{COUNT_VARIABLE}:0")
        except KeyError:
            return None
        value = once(graph, "loaded count", lambda: counters.read(count))
        try:
            # In one run with what a loop needs: each new set of fetches takes time.
            loaded = self.start(dict.fromkeys(counters.OF_A_LOOP, counters.ZERO), value)
        except tf.errors.FailedPreconditionError:
            return None
        return max(1, int(loaded) + 1)

    def start(self, variables: Mapping[str, Any], value: Any = None) -> Any:
        """Set the session variables that this session has not used yet.

        Returns `value`, a tensor, as fetched in the same run.
        """
        new = {n: v for n, v in variables.items() if n not in self._started}
        if not new and value is None:
            return None
        graph = self.session.graph
        operations = {
            name: once(
                graph,
                f"{name}/initializer",
                partial(counters.initializer, graph, name, initial),
            )
            for name, initial in new.items()
        }
        if counters.STOP in new:
            self._stop_operation()  # there before a loop runs, as it may be needed then
        wanted = [] if value is None else value
        fetched, _ = self.run([wanted, list(operations.values())])
        self._started.update(new)
        return fetched

    def keep(self, handles: Sequence[Any]) -> dict[str, Any]:
        """The values of those of the variables that have one, by name."""
        keepers = {h.op.name: self._keeper(h) for h in handles}
        have = self.run({name: k.initialized for name, k in keepers.items()})
        return dict(self.run({n: k.value for n, k in keepers.items() if have[n]}))

    def put_back(self, handles: Sequence[Any], kept: Mapping[str, Any]) -> list[str]:
        """Give variables their `kept` values, or zeros; name those that change."""
        keepers = {h.op.name: self._keeper(h) for h in handles}
        now = self.run({name: k.value for name, k in keepers.items()})
        put = {n: kept.get(n, np.zeros_like(value)) for n, value in now.items()}
        self.run(
            [k.put for k in keepers.values()],
            feed_dict={k.new: put[name] for name, k in keepers.items()},
        )
        return [n for n in now if not np.array_equal(now[n], put[n])]

    def _keeper(self, handle: Any) -> data_queue.Kept:
        key = "kept", handle.name
        return once(self.session.graph, key, lambda: data_queue.keeper(handle))

    def stop(self) -> None:
        """End the loops that run now, each after the pass that it is in."""
        # On the caller's thread: the session's own may all be in the loop.
        caller = tf.compat.v1.RunOptions(inter_op_thread_pool=-1)
        self.run(self._stop_operation(), caller)

    def _stop_operation(self) -> Any:
        graph = self.session.graph
        stop = counters.handle(graph, counters.STOP)
        return once(graph, "stop", lambda: counters.assign(stop, counters.NEVER))

    def count(self, counted: Mapping[str, Any]) -> dict[str, int]:
        """What the graph counted since the last time, by the names of the ledger."""
        added = {}
        with self._lock:
            for name in counters.TOTALS:
                if name in counted:
                    new = int(counted[name]) - self._totals[name]
                    self._totals[name] += max(0, new)
                    added[name.rpartition("/")[2]] = max(0, new)
        return added
