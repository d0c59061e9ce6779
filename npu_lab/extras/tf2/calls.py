"""Carries out calls of `tf.function`s on the emulated device: the four loop modes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tensorflow.python.ops import gradients_util, handle_data_util

from npu_lab._tensorflow import tf
from npu_lab.device import Device
from npu_lab.device.interrupt import interruptible
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.tf2 import findings, messages
from npu_lab.extras.tf2.judging import BUILTIN_LOOP, HOST_LOOP, NO_LOOP, Graph, judge
from npu_lab.extras.tf2.programs import Counted, Program, Ran, StepCount
from npu_lab.extras.tf2.state import STATE
from npu_lab.extras.tf2.verdict import FunctionVerdict
from npu_lab.trace.verdict import IN_EFFECT, NOT_IN_EFFECT

NOT_TAPED = gradients_util.POSSIBLE_GRADIENT_TYPES_NONE

NOT_COMPILED = -1

building = threading.RLock()


def runner(device: Device) -> Callable[..., Any]:
    """What carries out the calls on `device`; see `seam.install`."""

    def run(
        concrete: Any, inputs: Sequence[Any], captured: Sequence[Any], stock: Any
    ) -> Any:
        side = getattr(concrete, "_npu_lab_side", None)
        if side is None or side.device is not device:
            with building:
                side = concrete._npu_lab_side = Side(device, concrete)
        plain = partial(stock, concrete, inputs, captured)
        if side.stays_plain([*inputs, *captured]):
            return side.run_plain(plain, [*inputs, *captured])
        return side.run(concrete, [*inputs, *captured])

    return run


class Queue:
    """Batches of one iterator that the host has pushed and nobody has taken yet."""

    def __init__(self, handle: Any) -> None:
        found = re.search(r'name="([^"]*)"', str(handle))
        self.name = found[1] if found else "iterator"
        self.unread = 0

    @classmethod
    def of(cls, handle: Any) -> Queue:
        """That of an iterator's resource, made on first use."""
        known = getattr(handle, "_npu_lab_queue", None)
        if known is None:
            known = handle._npu_lab_queue = cls(handle)
        return known


class Side:
    """The device's side of one ConcreteFunction."""

    def __init__(self, device: Device, concrete: Any) -> None:
        self.device = device
        self.graph = Graph.of(concrete)
        self.judgement = judge(self.graph)
        self.mode = self.judgement.mode
        self.verdict = FunctionVerdict(
            fetches=(self.graph.name,),
            trains=self.graph.kind == "training",
            iteration_op=False,
            option=STATE.loop_size,
            loaded=None,
            state=NOT_IN_EFFECT,
            data=_data(self.graph),
            graph=id(concrete),
            mode=self.mode,
        )
        self._programs: dict[bool, Program] = {}
        self._steps: StepCount | None = None
        self._judged: Any = None  # what the verdict was given for
        self.graph_id = NOT_COMPILED
        self._reported: set[str] = set()
        device.verdicts.append(self.verdict)

    def stays_plain(self, flat: Sequence[Any]) -> bool:
        """Whether TensorFlow runs it: it takes no batch, or a tape watches it."""
        if not self.graph.pulls:
            return True
        return bool(gradients_util.PossibleTapeGradientTypes(flat) != NOT_TAPED)

    def run_plain(self, plain: Callable[[], Any], flat: Sequence[Any]) -> Any:
        """Run the graph as it is written."""
        device, begun = self.device, time.time()
        waited = self._enter(flat)
        if self._judged != STATE.loop_size:
            self._judged = STATE.loop_size
            self._update(findings.plain(self.graph, STATE.loop_size), STATE.loop_size)
        device.ledger.cross(self.graph.kind, waited)
        self.verdict.calls += 1
        result = plain()
        waited += self._carry(tf.nest.flatten(result))
        if device.trace.recording:
            device.trace.add(begun, time.time(), (), waited)
        return result

    def run(self, concrete: Any, flat: Sequence[Any]) -> Any:
        """Run the graph in its mode, and count."""
        begun, size = time.time(), STATE.loop_size
        waited = self._enter(flat)
        program = self._program()
        calls, passes = (size, 1) if self.mode == HOST_LOOP else (1, size)
        pushed = 1 if self.mode == NO_LOOP else size
        queues = {a: Queue.of(flat[a]) for a in program.iterators if a is not None}
        told = self.verdict.messages
        told[:] = messages.start(queues, pushed, self.graph_id, size, self.mode)
        for line in told:
            self._tell(line)
        for queue in queues.values():
            queue.unread += pushed
        total = Counted(0, dict.fromkeys(program.iterators, 0))
        outputs: list[Any] = []
        for number in range(calls):
            if number:
                waited, begun = self.device.link.cross(), time.time()
            there = [queues[a].unread if a in queues else 0 for a in program.iterators]
            ran = self._interruptible(
                program, partial(program.run, flat, passes, there)
            )
            self._count(ran.counted, queues, waited)
            total.add(ran.counted)
            if self.device.trace.recording:
                self.device.trace.add(begun, time.time(), program.times(), waited)
            if ran.interrupt is not None:
                raise ran.interrupt from ran.failure
            if ran.failure is not None:
                raise self._explained(ran.failure, queues, total) from ran.failure
            self._check_stopped(program, ran.counted, passes)
            outputs = ran.outputs
            self._carry(outputs)
        if self.mode == BUILTIN_LOOP:
            self.verdict.asked = total.passes
        for line in messages.end(queues, pushed, self.graph_id, size, begun, self.mode):
            told.append(line)
            self._tell(line)
        unread = {queue.name: queue.unread for queue in queues.values()}
        self._judge(flat, size, total, unread)
        return _packed(concrete, outputs)

    def _compile(self) -> None:
        """Compile the graph, when it is first run."""
        if self.graph_id < 0:
            self.graph_id = self.device.next_graph_id()
            facts = (self.device, self.graph, self.mode, self.graph_id)
            for line in messages.compiled(*facts):
                self._tell(line)

    def _enter(self, flat: Sequence[Any]) -> float:
        """Begin a host call: compile at the first, wait for the link (seconds)."""
        device = self.device
        if device.before_call is not None:
            device.before_call(self.graph.kind)
        self._compile()
        return device.link.cross(_values(flat) if device.bandwidth else ())

    def _carry(self, outputs: Sequence[Any]) -> float:
        """Bring the values back over the link; return the seconds waited."""
        if not self.device.bandwidth:
            return 0.0
        carried = self.device.link.carry(_values(outputs))
        self.device.ledger.inject(carried)
        return carried

    def _tell(self, line: str) -> None:
        if self.device.on_compiled is not None:
            self.device.on_compiled(line)

    def _program(self) -> Program:
        stamps = self.device.trace.recording
        if stamps not in self._programs:
            with building:
                made = Program(self.graph, self.judgement, stamps=stamps)
                self._programs[stamps] = made
        return self._programs[stamps]

    def _interruptible(self, program: Program, call: Callable[[], Ran]) -> Ran:
        """Run it so that Ctrl-C ends a loop after the pass that it is in."""
        if self.mode == NO_LOOP or STATE.loop_size == 1:
            return call()
        running, interrupt = interruptible(call, program.stop)
        ran = running.result()
        ran.interrupt = interrupt
        return ran

    def _check_stopped(self, program: Program, counted: Counted, passes: int) -> None:
        """Fail where another thread's interrupt has ended the loop."""
        if program.looped and counted.passes < passes:
            facts = {"done": counted.passes, "iterations": passes}
            stopped = diagnose("SINK031", **facts)
            self._note(stopped)
            raise tf.errors.CancelledError(None, None, stopped.text())

    def _count(
        self, counted: Counted, queues: Mapping[int, Queue], waited: float
    ) -> None:
        on_device = counted.passes if self.mode != HOST_LOOP else 0
        batches = sum(counted.pulled.values())
        self.device.ledger.cross(self.graph.kind, waited)
        self.device.ledger.count({"iterations": on_device, "batches": batches})
        self.verdict.calls += 1
        self.verdict.iterations += counted.passes
        self.verdict.batches += batches
        for argument, queue in queues.items():
            queue.unread -= counted.pulled[argument]

    def _explained(
        self,
        error: Any,
        queues: Mapping[int, Queue],
        total: Counted,
    ) -> Any:
        """The error to raise, with what the loop had done."""
        size = STATE.loop_size if self.mode != NO_LOOP else 1
        found = findings.failure(error, self.graph, self.mode, total, size)
        if isinstance(error, tf.errors.OutOfRangeError):
            for queue in queues.values():
                queue.unread = 0
        if found is None:
            return error
        diagnostic, kind = found
        self._note(diagnostic)
        raised = kind(error.node_def, error.op, f"{diagnostic.text()}\n{error.message}")
        raised.diagnostic = diagnostic
        return raised

    def _judge(
        self,
        flat: Sequence[Any],
        size: int,
        total: Counted,
        unread: Mapping[str, int],
    ) -> None:
        """Say what the loop size, the While and the batches came to."""
        asked = None
        if self.mode not in {BUILTIN_LOOP, NO_LOOP}:
            if self._steps is None:
                with building:
                    self._steps = StepCount(self.graph)
            asked = self._steps(flat)
            self.verdict.asked = asked
        left = sum(unread.values())
        facts = size, asked, total.passes, left
        if self._judged != facts:
            self._judged = facts
            found = findings.looped(
                self.graph, self.judgement, size, asked, total, left
            )
            self._update(found, size)
        if self.mode == BUILTIN_LOOP:
            self.verdict.loaded = total.passes

    def _update(self, found: Sequence[Diagnostic], size: int) -> None:
        verdict = self.verdict
        verdict.option = size
        verdict.loaded = size
        made = verdict.asked if self.mode == BUILTIN_LOOP else size
        loops = self.mode not in {NO_LOOP, HOST_LOOP} and (made or 0) > 1
        verdict.state = IN_EFFECT if loops else NOT_IN_EFFECT
        if [d.text() for d in found] != [d.text() for d in verdict.diagnostics]:
            verdict.diagnostics[:] = found
            for diagnostic in found:
                self._report(diagnostic)

    def _note(self, diagnostic: Diagnostic) -> None:
        self._judged = None
        known = [d for d in self.verdict.diagnostics if d.code != diagnostic.code]
        self.verdict.diagnostics[:] = [*known, diagnostic]
        self._report(diagnostic)

    def _report(self, diagnostic: Diagnostic) -> None:
        if diagnostic.text() not in self._reported:
            self._reported.add(diagnostic.text())
            self.device.report(diagnostic)


def _data(graph: Graph) -> str:
    if graph.pulls:
        return "fresh"
    return (
        "repeated" if graph.whiles and graph.definition.signature.input_arg else "none"
    )


def _values(tensors: Sequence[Any]) -> list[Any]:
    """The values that cross the link; handles do not."""
    kinds = (tf.resource, tf.variant)
    return [t.numpy() for t in tensors if tf.is_tensor(t) and t.dtype not in kinds]


def _packed(concrete: Any, outputs: Sequence[Any]) -> Any:
    """The structure that the function returns, as TensorFlow makes it."""
    types = concrete._inference_function.function_type
    for output, kind in zip(outputs, types.flat_outputs, strict=True):
        if kind.dtype._handle_data:
            handle_data_util.set_handle_data(
                output, kind.dtype._handle_data.shape_inference
            )
    return types.pack_output(list(outputs))
