"""One session as the emulated device sees it: its options, its programs, its counts."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorflow.python.client import session as tf_session

from npu_lab._tensorflow import tf
from npu_lab.device import calls, conditions, failures, programs
from npu_lab.device.arrange import Arranged
from npu_lab.device.interrupt import interruptible
from npu_lab.device.options import SessionOptions
from npu_lab.device.own_runs import OwnRuns
from npu_lab.device.quick import Quick
from npu_lab.device.rewriting import Rewriter, Rewriting
from npu_lab.device.subgraph import Subgraph
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.hostlog import CompiledGraph

if TYPE_CHECKING:
    from npu_lab.device.device import Device

OpError = tf.errors.OpError


class DeviceSession:
    """Carries out the host calls of one TensorFlow session.

    `plain_run` is TensorFlow's own `BaseSession.run`, unpatched.
    """

    def __init__(
        self, device: Device, session: Any, plain_run: Callable[..., Any]
    ) -> None:
        self.device, self.plain_run = device, plain_run
        self._session = weakref.ref(session)  # this must not keep it open
        self.options = SessionOptions.from_config(session._config)
        self._lock = threading.RLock()
        self._quick = Quick()
        self._known: dict[Any, tuple[programs.Program, Any, Any]] = {}
        self._programs: dict[Any, programs.Program] = {}
        self._reported: set[str] = set()
        self.own = OwnRuns(session, plain_run)
        if self.options is not None:
            for diagnostic in self.options.diagnostics:
                self._report(diagnostic)
        self._rewriter: Rewriter | None = None
        if self.options is not None and device.rewriter is not None:
            self._rewriter = device.rewriter(self.options)

    @property
    def session(self) -> Any:
        """The TensorFlow session."""
        return self._session()

    @property
    def on_device(self) -> bool:
        """Whether the session has NpuOptimizer, and so belongs to the device."""
        return self.options is not None

    def note_door(self, door: str) -> None:
        """Report, once, that a way into the session is counted but never sunk."""
        if self.on_device:
            self._report(diagnose("SINK033", door=door))

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """What `Session.run` does on the device; results and errors are as there."""
        known = self._quick.find(fetches, feed_dict)
        if known is not None and self.device.undisturbed:
            try:
                values = self.plain_run(
                    self.session, fetches, feed_dict, options, run_metadata
                )
            except BaseException as error:
                raised = self._failed(known, error)
                if raised is error:
                    raise
                raise raised from error
            self._crossed(known)
            return values
        program, mapper = self._program(fetches, feed_dict)
        if program.subgraph.host_side:
            return self.plain_run(
                self.session, fetches, feed_dict, options, run_metadata
            )
        arranged = self._arranged(program)
        own = arranged.substitutes is None
        wanted = fetches if own else list(arranged.substitutes or ())
        if arranged.counted:
            wanted = [wanted, arranged.counted]

        def call(options: Any = options, run_metadata: Any = run_metadata) -> Any:
            values = self.plain_run(
                self.session, wanted, feed_dict, options, run_metadata
            )
            return values if arranged.counted else (values, {})

        observer = self.device.observer if self.on_device else None
        if observer is not None and options is None and run_metadata is None:
            observed = partial(observer, self, program, call)
            values = self.cross(program, feed_dict, observed)
        else:
            values = self.cross(program, feed_dict, call)
        self._quick.remember(program, fetches, feed_dict)
        return values if own else mapper.build_results(values)

    def _arranged(self, program: programs.Program) -> Arranged:
        """What to run for a program; with stamps while the trace records."""
        worth = program.sunk or program.verdict.trains
        traced = self.device.trace.recording and worth
        if program.arranging is None or not traced:
            return program.arranged
        with self._lock, programs.building:
            stamped = program.arranging.arrange(stamps=True)
            self.own.start(stamped.variables)
        return stamped

    def cross(
        self, program: programs.Program, feed_dict: Any, call: Callable[[], Any]
    ) -> Any:
        """Carry out one host call; return the values, without what was counted.

        `call` runs it, and returns the values and what the program counts.
        """
        device, begun = self.device, time.time()
        if device.before_call is not None:
            device.before_call(program.kind)
        if program.watched is not None:
            program.watched()
        self._compile(program, feed_dict)
        link = device.link if program.facts.on_device else None
        waited = link.cross(self._arrays(feed_dict)) if link else 0.0
        kept = self.own.keep(program.lost) if program.lost else {}
        if program.sunk:
            running, interrupt = interruptible(
                partial(self._carry_out, program, call, begun, waited), self.own.stop
            )
            if interrupt is not None:
                raise interrupt from running.exception()
            values, counted = running.result()
            self._after_loop(program, counted)
        else:
            values, counted = self._carry_out(program, call, begun, waited)
        if program.lost and (lost := self.own.put_back(program.lost, kept)):
            self._report(diagnose("SINK040", variables=lost))
        if link:
            carried = link.carry(values)
            device.ledger.inject(carried)
            if device.trace.recording:
                stamps, waited = counted.get("stamps", ()), waited + carried
                met = program.subgraph.meetings
                device.trace.add(begun, time.time(), stamps, waited, met)
        return values

    def _arrays(self, feed_dict: Any) -> list[Any]:
        """What crosses to the device, where its size matters."""
        if not (feed_dict and self.device.bandwidth):
            return []
        return calls.arrays(self.session.graph, feed_dict)

    def _carry_out(
        self,
        program: programs.Program,
        call: Callable[[], Any],
        begun: float,
        waited: float,
    ) -> tuple[Any, Mapping[str, Any]]:
        """What `call` returns; it is in the ledger by then, as is what it counted."""
        try:
            values, counted = call()
        except BaseException as error:
            raised = self._failed(program, error, begun, waited)
            if raised is error:
                raise
            raise raised from error
        self._crossed(program, waited)
        if counted:
            self.count(counted)
        if program.sunk:
            passes, loaded = int(counted["passes"]), int(counted["loaded"])
            program.verdict.iterations += passes
            if passes < loaded:  # by an interrupt, be it one of another thread's call
                stopped = diagnose("SINK031", done=passes, iterations=loaded)
                self._note(program, stopped)
                raise tf.errors.CancelledError(None, None, stopped.text())
        return values, counted

    def _failed(
        self,
        program: programs.Program,
        error: BaseException,
        begun: float = 0.0,
        waited: float = 0.0,
    ) -> BaseException:
        """What to raise for `error`; a call that was made is counted."""
        if isinstance(error, Exception) and not isinstance(error, OpError):
            return error  # TensorFlow refused the call before it crossed
        self._crossed(program, waited)
        if self.device.trace.recording and program.facts.on_device:
            self.device.trace.add(begun, time.time(), (), waited)
        return self._after_failure(program, error)

    def _crossed(self, program: programs.Program, waited: float = 0.0) -> None:
        self.device.ledger.cross(program.kind, waited)
        program.verdict.calls += 1

    def _report(self, diagnostic: Diagnostic) -> None:
        """Report what this session has not reported yet."""
        text = diagnostic.text()
        if text not in self._reported:
            self._reported.add(text)
            self.device.report(diagnostic)

    def _program(self, fetches: Any, feed_dict: Any) -> tuple[programs.Program, Any]:
        fetched, fed = calls.key(fetches), calls.key(tuple(feed_dict or ()))
        simple = fetched is not None and fed is not None
        known = self._known.get((fetched, fed)) if simple else None
        if known is None:
            graph = self.session.graph
            with self._lock, graph.as_default():
                mapper = tf_session._FetchMapper.for_fetch(fetches)
                program = self._build(mapper.unique_fetches(), feed_dict)
                # The keyed objects are kept, or their ids might be used again.
                known = program, mapper, (fetches, list(feed_dict or ()))
                if simple:
                    self._known[fetched, fed] = known
        return known[0], known[1]

    def _build(self, unique: Sequence[Any], feed_dict: Any) -> programs.Program:
        graph = self.session.graph
        fetches = [graph.as_graph_element(f) for f in unique]
        feeds = [tensor for tensor, _ in calls.fed(graph, feed_dict)]
        names = tuple(f.name for f in fetches), frozenset(t.name for t in feeds)
        if names not in self._programs:
            subgraph = Subgraph.of(graph, fetches, feeds)
            with programs.building:
                loaded = self.own.loaded() if subgraph.iteration_op else None
                options = None if subgraph.host_side else self.options
                program = programs.build(
                    subgraph,
                    fetches,
                    options,
                    loaded,
                    self.device.queue_depth,
                    self.rewriting(subgraph),
                )
                self.own.start(program.arranged.variables)
            for diagnostic in program.verdict.diagnostics:
                self._report(diagnostic)
            program.watched = self.device.watch(self, subgraph)
            self._programs[names] = program
            if not subgraph.host_side:
                self.device.verdicts.append(program.verdict)
        return self._programs[names]

    def rewriting(self, subgraph: Subgraph) -> Rewriting | None:
        """How the operators of `subgraph` are changed; None: not at all."""
        if self._rewriter is None or subgraph.host_side:
            return None
        return self._rewriter(subgraph)

    def _compile(self, program: programs.Program, feed_dict: Any) -> None:
        """Log one compiled graph for each combination of fed shapes."""
        if not program.device_graph:
            return
        shapes: tuple[Any, ...] = ()
        if program.open_shapes:
            shapes = self._shapes(program.open_shapes, feed_dict)
        if shapes in program.compiled or not calls.acceptable(
            self.session.graph, feed_dict
        ):
            return
        with self._lock:
            if shapes in program.compiled:
                return
            program.compiled.add(shapes)
        facts = program.facts
        message = self.device.compiled(
            CompiledGraph(
                graph_id=self.device.next_graph_id(),
                iterations_per_loop=facts.iterations_per_loop,
                mix_compile_mode=facts.mix_compile_mode,
                need_iteration=facts.iteration_op and facts.iterations_per_loop > 1,
                training_mode=facts.graph_run_mode == 1,
                known_shapes=not (program.outcome.sink_data and facts.unknown_shapes),
                loop=program.sunk,
                get_next=facts.get_next if program.outcome.sink_data else (),
                present=program.subgraph.names,
            )
        )
        program.verdict.messages.append(message)

    def _shapes(
        self, tensors: Sequence[Any], feed_dict: Any
    ) -> tuple[tuple[int, ...], ...]:
        if all(tensor in feed_dict for tensor in tensors):
            return tuple(calls.shape(feed_dict[tensor]) for tensor in tensors)
        # Fed by name, or as part of a composite.
        fed = {t.name: value for t, value in calls.fed(self.session.graph, feed_dict)}
        return tuple(calls.shape(fed[tensor.name]) for tensor in tensors)

    def count(self, counted: Mapping[str, Any]) -> dict[str, int]:
        """Put what the graph counted since the last time into the ledger."""
        added = self.own.count(counted)
        self.device.ledger.count(added)
        return added

    def _after_loop(
        self, program: programs.Program, counted: Mapping[str, Any]
    ) -> None:
        loaded = int(counted["loaded"])
        if loaded != program.facts.loaded:
            self._judge_again(program, loaded)

    def _judge_again(self, program: programs.Program, loaded: int) -> None:
        """The count was loaded anew, or re-initialised, since the loop was built."""
        program.facts = replace(program.facts, loaded=loaded)
        outcome = conditions.judge(program.facts)
        before = {d.code for d in program.verdict.diagnostics}
        program.verdict.loaded = loaded
        program.verdict.state = programs.state_of(program.facts, outcome)
        program.verdict.diagnostics[:] = [*outcome.diagnostics, *program.notes]
        for diagnostic in outcome.diagnostics:
            if diagnostic.code not in before:
                self._report(diagnostic)

    def _after_failure(
        self, program: programs.Program, error: BaseException
    ) -> BaseException:
        """Count what was done before `error`; say where data ended in a loop."""
        try:
            added = self.count(self.own.run(program.arranged.audit))
        except Exception:  # noqa: BLE001  (a closed or broken session: its counts are gone)
            return error
        done = added.get("iterations", 0)
        program.verdict.iterations += done
        iterations = self.own.loaded() if program.sunk else None
        told = failures.explained(error, program, done, iterations or 1)
        if told is None:
            if self.device.explain is None:
                return error
            steps = self._steps(program)
            return self.device.explain(error, steps, program.subgraph.operations)
        diagnostic, raised = told
        self._note(program, diagnostic)
        return raised

    def _steps(self, failed: programs.Program) -> int:
        """How many were done before by all training calls, or by others like it."""
        done = sum(
            p.verdict.iterations if p.sunk else p.verdict.calls
            for p in self._programs.values()
            if p is failed or (failed.verdict.trains and p.verdict.trains)
        )
        return done - (not failed.sunk)

    def _note(self, program: programs.Program, diagnostic: Diagnostic) -> None:
        known = [d for d in program.verdict.diagnostics if d.code != diagnostic.code]
        program.verdict.diagnostics[:] = [*known, diagnostic]
