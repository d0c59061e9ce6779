"""The other doors into a session: TensorFlow's own callables, and partial runs.

Keras in graph mode never calls `Session.run`: it has the session make a callable.  What
comes through these doors is judged, logged and counted like a run, but never sunk:
native Keras is fixed at one iteration per host call, whatever the session option says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tensorflow.python.client import session as tf_session

from npu_lab.device import calls, conditions, programs
from npu_lab.device.session import DeviceSession
from npu_lab.device.subgraph import Subgraph
from npu_lab.diagnostics import Diagnostic, diagnose

# What would make a loop, or have a copy run in place of the user's operations.
AS_WRITTEN = {"iterations_per_loop": 1, "op_execute_timeout": None}


class SessionCallable(tf_session.BaseSession._Callable):  # type: ignore[misc]
    """TensorFlow's callable, counted as a host call while its session has a device.

    `side_of` gives the device's side of a session, or None while there is none.
    Raises KeyError where `options` names what the graph does not have.
    """

    def __init__(
        self,
        side: DeviceSession,
        options: Any,
        side_of: Callable[[Any], DeviceSession | None],
    ) -> None:
        self._handle = None  # __del__ looks at it, also when this raises
        session = side.session
        tensors = partial(_tensors, session.graph)
        self._feeds, self._values = tensors(options.feed), tensors(options.fetch)
        targets = [session.graph.get_operation_by_name(n) for n in options.target]
        self._fetches = [*self._values, *targets]
        self._joined = tensors(c.from_tensor for c in options.tensor_connection)
        self._side_of, self._known = side_of, (side, self._judge(side))
        counting = type(options)()
        counting.CopyFrom(options)
        counting.fetch.extend(t.name for t in self._known[1].arranged.counted.values())
        session._extend_graph()
        super().__init__(session, counting)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As in TensorFlow: a list with one value for each fetch."""
        call = partial(super().__call__, *args, **kwargs)
        side = self._side_of(self._session)
        wanted = len(self._values)
        if side is None or len(args) != len(self._feeds):
            return call()[:wanted]
        program = self._program(side)

        def split() -> Any:
            values = call()
            counted = zip(program.arranged.counted, values[wanted:], strict=True)
            return values[:wanted], dict(counted)

        return side.cross(program, dict(zip(self._feeds, args, strict=True)), split)

    def _program(self, side: DeviceSession) -> programs.Program:
        with side._lock:
            known, program = self._known
            if known is not side:  # another device than the one before
                program = self._judge(side)
                self._known = side, program
        return program

    def _judge(self, side: DeviceSession) -> programs.Program:
        option = getattr(side.options, "iterations_per_loop", 1)
        names = tuple(f.name for f in self._fetches)
        reason = diagnose("SINK043", option=option, fetches=names)
        at_one = diagnose("SINK058", fetches=names)
        # With what is joined to its inputs: that tells apart what reads two Datasets.
        behind = [*self._fetches, *self._joined]
        program = _judged(side, behind, self._feeds, reason, at_one)
        operations = {name.partition(":")[0] for name in names}
        program.verdict.fetches = tuple(sorted(operations))
        return program


def partial_run(
    side: DeviceSession, call: Callable[[], Any], fetches: Any, feed_dict: Any
) -> Any:
    """What `call`, one part of a partial run, returns; its errors are TensorFlow's."""
    side.note_door("partial_run")
    graph = side.session.graph
    with graph.as_default():
        unique = tf_session._FetchMapper.for_fetch(fetches).unique_fetches()
    fed = dict(calls.fed(graph, feed_dict))
    # What an earlier part was fed is used again here.
    placeholders = Subgraph.of(graph, unique, list(fed)).of_type("Placeholder")
    feeds = [*fed, *(o.outputs[0] for o in placeholders)]
    names = tuple(f.name for f in unique), frozenset(t.name for t in feeds)
    key = "partial_run", names
    with side._lock:
        if key not in side._programs:
            reason = diagnose("SINK033", door="partial_run")
            program = side._programs[key] = _judged(side, unique, feeds, reason)
            program.arranged = replace(program.arranged, counted={})
            program.device_graph = False
    return side.cross(side._programs[key], fed, lambda: (call(), {}))


def _judged(
    side: DeviceSession,
    fetches: Sequence[Any],
    feeds: Sequence[Any],
    reason: Diagnostic,
    at_one: Diagnostic | None = None,
) -> programs.Program:
    """A program without a loop; its verdict gives `reason` where one was wanted.

    Where training is meant to be one iteration a call, it gives `at_one`.
    """
    subgraph, options = Subgraph.of(side.session.graph, fetches, feeds), side.options
    if options is not None:
        options = replace(options, values={**options.values, **AS_WRITTEN})
    with side._lock, programs.building:
        program = programs.build(subgraph, fetches, options, None)
        rewriting = side.rewriting(subgraph)
        needed = dict(rewriting.variables) if rewriting else {}
        side.own.start({**program.arranged.variables, **needed})
    facts = programs.facts_of(subgraph, fetches, side.options, None)
    found = [d for d in conditions.judge(facts).diagnostics if d.code == "SINK024"]
    n = facts.iterations_per_loop
    if facts.on_device and (facts.iteration_op or (facts.trains and n > 1)):
        found.append(reason)
    elif facts.on_device and facts.trains and at_one:
        found.append(at_one)
    if rewriting is not None and rewriting.changes:
        found.append(diagnose("SINK064", what=[f.name for f in fetches]))
    program.facts, program.verdict.option = facts, n
    program.verdict.diagnostics[:] = found
    for diagnostic in found:
        side._report(diagnostic)
    side.device.verdicts.append(program.verdict)
    return program


def _tensors(graph: Any, names: Iterable[str]) -> list[Any]:
    """The tensors of these names, where ``:0`` may be left out."""
    whole = (name if ":" in name else f"{name}:0" for name in names)
    return [graph.get_tensor_by_name(name) for name in whole]
