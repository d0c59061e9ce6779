"""Adds to a graph what a host call needs: loop or twin, queue, counts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import counters, data_queue, loop, randoms
from npu_lab.device.additions import once
from npu_lab.device.conditions import Facts, Outcome
from npu_lab.device.options import SessionOptions
from npu_lab.device.rewriting import Rewriting
from npu_lab.device.subgraph import Subgraph


@dataclass
class Arranged:
    """What is run in place of a set of fetches, and what is counted with it.

    `substitutes` has one fetch for each of the user's, or is None where the user's own
    are run as they are.  `counted` names what is fetched beside them, `audit` the
    counters to read after a failure, `variables` what a session must start.
    """

    substitutes: tuple[Any, ...] | None = None
    counted: dict[str, Any] = field(default_factory=dict)
    audit: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)


class Arranging:
    """Adds to the graph what a program needs; the same `key` asks for the same."""

    def __init__(
        self,
        subgraph: Subgraph,
        fetches: Sequence[Any],
        options: SessionOptions,
        facts: Facts,
        outcome: Outcome,
        queue_depth: int,
        rewriting: Rewriting | None,
    ) -> None:
        self.subgraph, self.fetches = subgraph, fetches
        self.rewriting = rewriting
        self.loop, self.sink_data = outcome.loop, outcome.sink_data
        makes = self.subgraph.of_type("MakeIterator")
        self.depth = queue_depth if options.enable_data_pre_proc and makes else None
        limit = options["op_execute_timeout"] if self.sink_data else None
        self.timeout = limit if isinstance(limit, int) and limit > 0 else None
        seeded = bool(randoms.continued(subgraph))
        shares = seeded and (
            facts.iterations_per_loop > 1 or bool(options["op_execute_timeout"])
        )
        # A copy has random kernels of its own: without shared streams it is none.
        may_copy = not (
            makes or facts.reference_variables or randoms.not_continued(subgraph)
        )
        self.copies = self.loop or (may_copy and bool(self.timeout or shares))
        if rewriting is not None and rewriting.changes:
            self.copies |= not (makes or facts.reference_variables)
        self.stamps = self.copies or (may_copy and not seeded)

    def arrange(self, *, stamps: bool = False) -> Arranged:
        """Build it, or find it built; with `stamps` it tells the time, if it can."""
        stamps = stamps and self.stamps
        return once(
            self.subgraph.graph, (*self._key, stamps), lambda: self._make(stamps)
        )

    @property
    def _key(self) -> tuple[Hashable, ...]:
        fetched = tuple((type(f) is tf.Operation, f.name) for f in self.fetches)
        fed = frozenset(t.name for t in self.subgraph.feeds)
        how = self.loop, self.sink_data, self.copies, self.timeout, self.depth
        rewritten = self.rewriting.key if self.rewriting else None
        return (fetched, fed, rewritten, *how)

    def _make(self, stamps: bool) -> Arranged:
        subgraph, made = self.subgraph, Arranged()
        batches = counters.BATCHES if self.sink_data else counters.HOST_BATCHES
        if subgraph.get_next:
            made.variables[batches] = counters.ZERO
        if self.rewriting is not None:
            made.variables |= self.rewriting.variables
        if self.copies or stamps:
            inside = self.sink_data or not self.loop
            copier = loop.Copier(
                subgraph,
                self.fetches,
                batches if inside else None,
                self.timeout,
                stamps=stamps,
                rewriting=self.rewriting,
            )
            copied = loop.sink(copier) if self.loop else loop.twin(copier)
            made.substitutes = copied.substitutes
            made.counted |= copied.counted
            made.variables |= copied.variables
            after = [] if inside else _count_get_next(subgraph, batches)
            after.append(copied.counted["done"])
        else:
            after = _count_get_next(subgraph, batches)
            if self.depth is not None:
                made.substitutes = data_queue.filled(self.fetches, self.depth)
        if not self.loop:
            ends = after if made.substitutes else self.fetches
            if more := loop.beside(subgraph, ends):
                with tf.control_dependencies(more):  # a value: a callable fetches it
                    made.counted["beside"] = tf.identity(counters.ZERO)
        totals = [name for name in made.variables if name in counters.TOTALS]
        handles = {name: counters.handle(subgraph.graph, name) for name in totals}
        with tf.control_dependencies(after):
            made.counted |= {n: counters.read(h) for n, h in handles.items()}
        made.audit = {name: counters.read(handle) for name, handle in handles.items()}
        return made


def _count_get_next(subgraph: Subgraph, name: str) -> list[Any]:
    """Operations that count the GetNexts of a run in the variable `name`."""
    made = []
    for get_next in subgraph.get_next:
        count = counters.add_one(counters.handle(subgraph.graph, name))
        # Not by control_dependencies, which would leave a mark on the user's operation.
        count._add_control_input(get_next.operation)
        made.append(count)
    return made
