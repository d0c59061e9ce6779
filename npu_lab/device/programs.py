"""Programs: what a session runs instead of the user's fetches.

A program belongs to one set of fetches and feeds in one session.  Building it judges
the call (`conditions`), builds the loop or the twin where one is due, and decides what
is counted with each run.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab._tensorflow import tf
from npu_lab.device import conditions, counters, data_queue, loop, randoms
from npu_lab.device.additions import once
from npu_lab.device.options import SessionOptions
from npu_lab.device.subgraph import (
    ITERATION_OP,
    ITERATOR_HANDLES,
    QUEUES,
    REFERENCE_VARIABLES,
    SUMMARIES,
    Subgraph,
)
from npu_lab.trace.verdict import (
    IN_EFFECT,
    NOT_EFFECTIVE,
    NOT_IN_EFFECT,
    Verdict,
)

building = threading.RLock()  # graphs are not made for threads
_serials: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
_next_serial = itertools.count()


def serial_number(graph: Any) -> int:
    """A number of its own for each graph, which does not keep the graph alive."""
    if graph not in _serials:
        _serials[graph] = next(_next_serial)
    return _serials[graph]


@dataclass
class Program:
    """How one host call is carried out.

    `substitutes` has one fetch for each of the user's, or is None where the user's own
    are run as they are.  `counted` names what is fetched beside them, `audit` the
    counters to read after a failure, `variables` what a session must start.
    `open_shapes` are the fed tensors whose shape only the fed value tells.  `lost` are
    the variables that it initialises on the host only.
    """

    subgraph: Subgraph
    facts: conditions.Facts
    outcome: conditions.Outcome
    verdict: Verdict
    device_graph: bool
    substitutes: tuple[Any, ...] | None = None
    counted: Mapping[str, Any] = field(default_factory=dict)
    audit: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    open_shapes: tuple[Any, ...] = ()
    lost: tuple[Any, ...] = ()
    compiled: set[tuple[Any, ...]] = field(default_factory=set)

    @property
    def kind(self) -> str:
        """What the ledger counts a call as."""
        return self.subgraph.kind

    @property
    def sunk(self) -> bool:
        """Whether a loop was built."""
        return self.outcome.loop


def facts_of(
    subgraph: Subgraph,
    fetches: Sequence[Any],
    options: SessionOptions | None,
    loaded: int | None,
) -> conditions.Facts:
    """Gather what `conditions.judge` wants to know."""
    given = (
        {
            name: getattr(options, name)
            for name in (
                "iterations_per_loop",
                "use_off_line",
                "graph_run_mode",
                "mix_compile_mode",
                "enable_data_pre_proc",
            )
        }
        if options is not None
        else {"on_device": False}
    )
    tables, variables = data_queue.on_the_device(subgraph)
    if options is not None and options["variable_placement"] == "Host":
        variables = ()
    return conditions.Facts(
        **given,
        pipeline_tables=tables,
        pipeline_variables=variables,
        trains=subgraph.trains,
        iteration_op=subgraph.iteration_op,
        near_misses=subgraph.near_misses,
        marked_in_graph=_holds(subgraph.graph, ITERATION_OP),
        loaded=loaded,
        get_next=tuple(g.name for g in subgraph.get_next),
        unknown_shapes={
            g.name: g.unknown_shape for g in subgraph.get_next if g.unknown_shape
        },
        one_shot=tuple(o.name for o in subgraph.of_type("OneShotIterator")),
        nested_get_next=subgraph.nested_get_next,
        feeds=tuple(t.name for t in subgraph.feeds if _is_data(t)),
        scalars=tuple(
            t.name for t in subgraph.feeds if t.shape.rank == 0 and _is_value(t)
        ),
        queues=subgraph.matching(QUEUES),
        reference_variables=tuple(
            o.name for o in subgraph.of_type(*REFERENCE_VARIABLES)
        ),
        restarting_randoms=randoms.not_continued(subgraph),
        summaries=tuple(
            f.name
            for f in fetches
            if not isinstance(f, tf.Operation) and SUMMARIES.fullmatch(f.op.type)
        ),
        fetched=tuple(f.name for f in fetches),
    )


def _is_value(fed: Any) -> bool:
    """Whether a fed tensor carries a value, not the handle of an iterator."""
    uses = {consumer.type for consumer in fed.consumers()}
    return not uses or not uses <= ITERATOR_HANDLES


def _is_data(fed: Any) -> bool:
    return fed.shape.rank != 0 and _is_value(fed)


def _holds(graph: Any, name: str) -> bool:
    try:
        graph.get_operation_by_name(name)
    except KeyError:
        return False
    return True


def state_of(facts: conditions.Facts, outcome: conditions.Outcome) -> str:
    """The state of a verdict, before the loop has run."""
    if not outcome.loop:
        return NOT_IN_EFFECT
    return IN_EFFECT if (facts.loaded or 1) > 1 else NOT_EFFECTIVE


def build(
    subgraph: Subgraph,
    fetches: Sequence[Any],
    options: SessionOptions | None,
    loaded: int | None,
    queue_depth: int = data_queue.DEPTH,
) -> Program:
    """Judge the call and build what it needs; raises what `judge` raises."""
    facts = facts_of(subgraph, fetches, options, loaded)
    try:
        outcome = conditions.judge(facts)
    except conditions.PipelineError as problem:
        raise _precondition(problem) from problem
    operations = {f.name if isinstance(f, tf.Operation) else f.op.name for f in fetches}
    program = Program(
        subgraph=subgraph,
        facts=facts,
        outcome=outcome,
        verdict=Verdict(
            fetches=tuple(sorted(operations)),
            trains=facts.trains,
            iteration_op=facts.iteration_op,
            option=facts.iterations_per_loop,
            loaded=loaded,
            state=state_of(facts, outcome),
            data=outcome.data,
            diagnostics=list(outcome.diagnostics),
            graph=serial_number(subgraph.graph),
        ),
        device_graph=facts.on_device
        and facts.use_off_line
        and not subgraph.only_on_host
        and not subgraph.of_type("MakeIterator"),
        open_shapes=tuple(t for t in subgraph.feeds if not t.shape.is_fully_defined()),
    )
    if options is not None and facts.use_off_line:
        program.lost = data_queue.initialised_on_the_host(subgraph)
        arranged = _Arranging(program, fetches, options, queue_depth)
        with building:
            made = once(subgraph.graph, arranged.key, arranged.make)
        program.substitutes = made.substitutes
        program.counted, program.audit = made.counted, made.audit
        program.variables = made.variables
    return program


def _precondition(problem: conditions.PipelineError) -> Exception:
    error = tf.errors.FailedPreconditionError(None, None, str(problem))
    error.diagnostic = problem.diagnostic
    return error


@dataclass
class Arranged:
    """What is run and counted in place of a set of fetches, as `Program` has it."""

    substitutes: tuple[Any, ...] | None = None
    counted: dict[str, Any] = field(default_factory=dict)
    audit: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)


class _Arranging:
    """Adds to the graph what a program needs; the same `key` asks for the same."""

    def __init__(
        self,
        program: Program,
        fetches: Sequence[Any],
        options: SessionOptions,
        queue_depth: int,
    ) -> None:
        self.subgraph, self.fetches = program.subgraph, fetches
        self.loop, self.sink_data = program.outcome.loop, program.outcome.sink_data
        makes = self.subgraph.of_type("MakeIterator")
        self.depth = queue_depth if options.enable_data_pre_proc and makes else None
        limit = options["op_execute_timeout"] if self.sink_data else None
        self.timeout = limit if isinstance(limit, int) and limit > 0 else None
        self.copies = bool(self.loop or self.timeout) or _shares_streams(program)

    @property
    def key(self) -> Hashable:
        """Equal for what would be built alike in one graph."""
        fetched = tuple((type(f) is tf.Operation, f.name) for f in self.fetches)
        fed = frozenset(t.name for t in self.subgraph.feeds)
        how = self.loop, self.sink_data, self.copies, self.timeout, self.depth
        return (fetched, fed, *how)

    def make(self) -> Arranged:
        subgraph, made = self.subgraph, Arranged()
        batches = counters.BATCHES if self.sink_data else counters.HOST_BATCHES
        if subgraph.get_next:
            made.variables[batches] = counters.ZERO
        if self.copies:
            inside = self.sink_data or not self.loop
            copier = loop.Copier(
                subgraph, self.fetches, batches if inside else None, self.timeout
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
        totals = [name for name in made.variables if name in counters.TOTALS]
        handles = {name: counters.handle(subgraph.graph, name) for name in totals}
        with tf.control_dependencies(after):
            made.counted |= {n: counters.read(h) for n, h in handles.items()}
        made.audit = {name: counters.read(handle) for name, handle in handles.items()}
        return made


def _shares_streams(program: Program) -> bool:
    """Whether a loop of the same session may go on with this run's random streams."""
    return (
        program.facts.iterations_per_loop > 1
        and not program.facts.reference_variables
        and bool(randoms.continued(program.subgraph))
    )


def _count_get_next(subgraph: Subgraph, name: str) -> list[Any]:
    """Operations that count the GetNexts of a run in the variable `name`."""
    made = []
    for get_next in subgraph.get_next:
        count = counters.add_one(counters.handle(subgraph.graph, name))
        # Not by control_dependencies, which would leave a mark on the user's operation.
        count._add_control_input(get_next.operation)
        made.append(count)
    return made
