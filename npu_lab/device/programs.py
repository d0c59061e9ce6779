"""Programs: what a session runs instead of the user's fetches.

A program belongs to one set of fetches and feeds in one session.  Building it judges
the call (`conditions`), builds the loop or the twin where one is due, and decides what
is counted with each run.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab._tensorflow import tf
from npu_lab.device import conditions, data_queue, randoms
from npu_lab.device.arrange import Arranged, Arranging
from npu_lab.device.options import SessionOptions
from npu_lab.device.rewriting import Rewriting
from npu_lab.device.subgraph import (
    ITERATION_OP,
    ITERATOR_HANDLES,
    REFERENCE_VARIABLES,
    SUMMARIES,
    Subgraph,
)
from npu_lab.diagnostics import Diagnostic, diagnose
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

    `arranged` is what is run, `arranging` builds it anew for a trace, and is None where
    nothing runs on the device.  `open_shapes` are the fed tensors whose shape only the
    fed value tells.  `notes` are what a rewriting says, `lost` the variables that it
    initialises on the host only.  `watched` is to be called before each run.
    """

    subgraph: Subgraph
    facts: conditions.Facts
    outcome: conditions.Outcome
    verdict: Verdict
    device_graph: bool
    arranged: Arranged = field(default_factory=Arranged)
    arranging: Arranging | None = None
    open_shapes: tuple[Any, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    lost: tuple[Any, ...] = ()
    watched: Callable[[], None] | None = None
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
        queues=subgraph.queues,
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
    rewriting: Rewriting | None = None,
) -> Program:
    """Judge the call and build what it needs; raises what `judge` raises."""
    facts = facts_of(subgraph, fetches, options, loaded)
    try:
        outcome = conditions.judge(facts)
    except conditions.PipelineError as problem:
        raise _precondition(problem) from problem
    notes = list(rewriting.diagnostics) if rewriting else []
    if rewriting and rewriting.changes and facts.reference_variables:
        notes.append(diagnose("SINK064", what=facts.reference_variables))
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
            diagnostics=[*outcome.diagnostics, *notes],
            graph=serial_number(subgraph.graph),
        ),
        device_graph=facts.on_device
        and facts.use_off_line
        and not subgraph.only_on_host
        and not subgraph.of_type("MakeIterator"),
        notes=tuple(notes),
        open_shapes=tuple(t for t in subgraph.feeds if not t.shape.is_fully_defined()),
    )
    if options is not None and facts.use_off_line:
        program.lost = data_queue.initialised_on_the_host(subgraph)
        program.arranging = Arranging(
            subgraph, fetches, options, facts, outcome, queue_depth, rewriting
        )
        with building:
            program.arranged = program.arranging.arrange()
    return program


def _precondition(problem: conditions.PipelineError) -> Exception:
    error = tf.errors.FailedPreconditionError(None, None, str(problem))
    error.diagnostic = problem.diagnostic
    return error
