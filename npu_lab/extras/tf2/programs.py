"""What is run instead of a `tf.function`'s graph: the same operations, looped, counted.

A program is built once for each ConcreteFunction.  It takes the number of passes and
of pushed batches first, then the function's own inputs, and gives what it counted last.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tensorflow.python.eager import context
from tensorflow.python.framework import function_def_to_graph

from npu_lab._tensorflow import tf
from npu_lab.extras.tf2 import definitions, seam, steps
from npu_lab.extras.tf2.counting import Counters, Counting
from npu_lab.extras.tf2.definitions import Definition
from npu_lab.extras.tf2.judging import HOST_LOOP, NPU_LOOP, Graph, Judgement

REMEMBERED = 64  # counts of steps, for one function
NEVER = np.iinfo(np.int64).min


@dataclass
class Counted:
    """What one run counted: passes of the loop, and batches by iterator."""

    passes: int
    pulled: dict[int | None, int]

    def add(self, other: Counted) -> None:
        """Add what another run counted."""
        self.passes += other.passes
        for argument, count in other.pulled.items():
            self.pulled[argument] += count


@dataclass
class Ran:
    """One run: its outputs or its failure, and what it counted either way.

    `interrupt` is what a signal handler raised meanwhile.
    """

    outputs: list[Any]
    counted: Counted
    failure: Any = None
    interrupt: BaseException | None = None


class Program:
    """One graph, ready to run; with `stamps` each pass tells its times."""

    def __init__(self, graph: Graph, judgement: Judgement, *, stamps: bool) -> None:
        self.light = False
        self.looped = judgement.mode in {NPU_LOOP, HOST_LOOP}
        self.iterators = list(dict.fromkeys(p.argument for p in graph.pulls))
        exact = self.looped and _one_a_pass(graph)
        checked = frozenset() if exact else frozenset(self.iterators)
        self.counters = Counters(checked, stamps)
        counting = Counting(graph.functions, self.counters)
        whole = graph.definition
        _register(graph.functions.values())
        arguments = {a.name: i for i, a in enumerate(whole.signature.input_arg)}
        if self.looped:
            known = definitions.origins(whole, arguments)
            body = graph.functions[graph.loop.attr["body"].func.name]
            given = [i for i in graph.loop.input if not i.startswith("^")]
            sources = [known.get(definitions.operation(g)) for g in given]
            names = [a.name for a in body.signature.input_arg]
            self.light = exact and not stamps and len(graph.pulls) == 1
            if self.light:
                name = counting.light_copy(body)
            else:
                mapped = dict(zip(names, sources, strict=True))
                name = counting.copy(body, mapped, body=True)
            prologue = steps.prologue(whole, graph.loop)
            _register([*counting.made, prologue])
            counter = self.counters.pulled(self.iterators[0]) if self.light else ""
            (looped,) = [f for f in counting.made if f.signature.name == name]
            build: Any = _Loop(
                looped, prologue, given, arguments, self.counters, counter
            )
        else:
            loop = graph.consuming[0].name if graph.consuming else ""
            name = counting.copy(whole, arguments, loop)
            _register(counting.made)
            kinds = [a.type for a in whole.signature.output_arg]
            build = _Plain(name, kinds, self.counters)
        names = [function.signature.name for function in counting.made]
        weakref.finalize(self, _unregister, names).atexit = False
        self._lock = threading.Lock()  # two runs at a time would count as one
        self._run = _traced(build, self.iterators, self.counters, whole)
        self._handles: dict[str, Any] = {}

    def run(self, inputs: Sequence[Any], size: int, pushed: Sequence[int]) -> Ran:
        """Run it with the function's flat inputs.

        `size` is the number of passes, `pushed` the batches there for each iterator.
        """
        control = tf.constant([size, *pushed], tf.int64)
        with self._lock:
            try:
                *outputs, counted = self._run(control, *inputs)
            except tf.errors.OpError as error:
                return Ran([], self.counted(error), error)
        return Ran(outputs, self._counted(counted.numpy()))

    def _counted(self, figures: Any) -> Counted:
        pulled = dict(zip(self.iterators, map(int, figures[1:]), strict=True))
        return Counted(int(figures[0]), pulled)

    def counted(self, error: Any) -> Counted:
        """What was counted up to now, by a run that failed."""
        names = [self.counters.passes, *map(self.counters.pulled, self.iterators)]
        try:
            figures = [int(_read(_handle(name))) for name in names]
        except tf.errors.FailedPreconditionError:  # it failed before it began
            figures = [0 for _ in names]
        if self.light:  # a pass is done that has its batch, but for the failed one
            ended = isinstance(error, tf.errors.OutOfRangeError)
            figures[0] = max(0, figures[1] - (0 if ended else 1))
        return self._counted(figures)

    def stop(self) -> None:
        """End the loop that runs now after the pass that it is in."""
        tf.raw_ops.AssignVariableOp(
            resource=_handle(self.counters.stop), value=np.int64(NEVER)
        )
        for argument in self.counters.checked:
            tf.raw_ops.AssignVariableOp(
                resource=_handle(self.counters.pushed(argument)), value=np.int64(-1)
            )

    def times(self) -> list[tuple[float, float, float]]:
        """When each pass of the last run began, had its batches, ended (seconds)."""
        queue = _queue(self.counters.times)
        count = int(tf.raw_ops.QueueSizeV2(handle=queue))
        if not count:
            return []
        told = tf.raw_ops.QueueDequeueManyV2(
            handle=queue, n=count, component_types=[tf.float64]
        )[0].numpy()
        rows: list[list[float]] = []
        for kind, at in told:
            if kind == 0:
                rows.append([at, at, at])
            elif rows:
                rows[-1][int(kind)] = at
                rows[-1][2] = max(rows[-1])
        return [(row[0], row[1], row[2]) for row in rows]


class _Plain:
    """Runs the graph as it is written."""

    def __init__(self, name: str, kinds: list[int], counters: Counters) -> None:
        self.name, self.kinds, self.counters = name, kinds, counters

    def __call__(self, size: Any, inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
        del size
        # The call itself waits for the counters. Inputs that wait as well would make
        # TensorFlow drop that, and with it the wait of all that uses none of them.
        outputs = _call(self.name, inputs, self.kinds)
        listed = _listed(outputs)
        return listed[0].op if listed else outputs, listed


class _Loop:
    """Runs the body of the While as often as the loop size says, on the same inputs.

    The body's nodes are put into the loop themselves: TensorFlow calls a function in a
    loop anew in each pass, which takes time.
    """

    def __init__(
        self,
        body: Definition,
        prologue: Definition,
        given: Sequence[str],
        arguments: Mapping[str, int],
        counters: Counters,
        counter: str,
    ) -> None:
        self.body, self.prologue, self.given = body, prologue, list(given)
        self.arguments, self.counters = arguments, counters
        self.counter = counter

    def __call__(self, size: Any, inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
        # A function of its own: all of it waits for what the caller waits for.
        inputs = tuple(tf.identity(i) if _is_value(i) else i for i in inputs)
        with seam.bypassed():
            passes = tf.function(self._run, autograph=False)(size, *inputs)
        if not self.counter:
            return passes.op, []
        return _assign(_handle(self.counters.passes), passes), []

    def _run(self, size: Any, *inputs: Any) -> Any:
        kinds = [a.type for a in self.prologue.signature.output_arg]
        made = _listed(_call(self.prologue.signature.name, inputs, kinds))
        values = [
            inputs[self.arguments[source]] if source in self.arguments else value
            for source, value in zip(self.given, made, strict=True)
        ]
        if self.counter:
            values += [_handle(self.counter), tf.constant(1, tf.int64)]
        stop = _handle(self.counters.stop)

        def goes_on(number: Any) -> Any:
            with tf.control_dependencies([number]):  # or it is read too soon
                return number < _read(stop)

        def one_pass(number: Any) -> Any:
            with tf.control_dependencies(_put(self.body, values)):
                return number + 1

        return _listed(tf.while_loop(goes_on, one_pass, [-size]))[0] + size


def _put(definition: Definition, values: Sequence[Any]) -> list[Any]:
    """Put the nodes of a function here; return those that all its effects end with."""
    with tf.init_scope():  # where the functions that it calls are known
        graph_def, names = function_def_to_graph.function_def_to_graph_def(definition)
    here = tf.compat.v1.get_default_graph()
    arguments = [a.name for a in definition.signature.input_arg]
    given = {names[a]: here.capture(v) for a, v in zip(arguments, values, strict=True)}
    kept = [node for node in graph_def.node if node.name not in set(arguments)]
    used = {i if ":" in i else f"{i}:0" for node in kept for i in node.input}
    del graph_def.node[:]
    for node in kept:
        node.attr.pop("_class", None)  # colocated with what is not here
        graph_def.node.append(node)
    made = tf.graph_util.import_graph_def(
        graph_def,
        input_map={name: value for name, value in given.items() if name in used},
        return_elements=list(dict.fromkeys(definition.control_ret.values())),
        name="pass",
    )
    return list(made)


class StepCount:
    """Tells how many passes the While of a graph asks for, given the graph's inputs."""

    def __init__(self, graph: Graph) -> None:
        self._count = _count_of(graph)
        self._known: dict[Any, int] = {}

    def __call__(self, flat: Sequence[Any]) -> int | None:
        """The passes; None where they cannot be told without the graph's effects."""
        if self._count is None:
            return None
        small = [t for t in flat if _is_value(t) and t.dtype.is_integer]
        key = tuple(int(t) for t in small if t.shape.num_elements() == 1)
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = int(self._count(*flat)[0])
        return self._known[key]


def _count_of(graph: Graph) -> Any:
    counter = steps.counter(graph.loop, graph.functions)
    prologue = steps.prologue(graph.definition, graph.loop)
    if counter is None or steps.has_effects(prologue):
        return None
    _register([*graph.functions.values(), counter, prologue])
    condition = graph.loop.attr["cond"].func.name
    kinds = [a.type for a in prologue.signature.output_arg]

    def count(*inputs: Any) -> list[Any]:
        given = _listed(_call(prologue.signature.name, inputs, kinds))

        def goes_on(_: Any, *values: Any) -> Any:
            return _listed(_call(condition, values, [tf.bool.as_datatype_enum]))[0]

        def one_pass(number: Any, *values: Any) -> Any:
            return [number + 1, *_listed(_call(counter.signature.name, values, kinds))]

        shapes = [tf.TensorShape([]), *(tf.TensorShape(None) for _ in given)]
        start = [tf.constant(0, tf.int64), *given]
        return [tf.while_loop(goes_on, one_pass, start, shapes)[0]]

    return _flat(count, _specs(graph.definition))


def _traced(
    build: Any, iterators: Sequence[int | None], counters: Counters, whole: Definition
) -> Any:
    """The whole program as a function of flat tensors."""

    def program(control: Any, *inputs: Any) -> list[Any]:
        set_up = [(counters.passes, 0), (counters.stop, 0)]
        started = [_assign(_handle(name), np.int64(value)) for name, value in set_up]
        for index, argument in enumerate(iterators):
            started.append(_assign(_handle(counters.pulled(argument)), np.int64(0)))
            there = _assign(_handle(counters.pushed(argument)), control[index + 1])
            started.append(there)
        with tf.control_dependencies(started):
            size = tf.identity(control[0])
            done, outputs = build(size, inputs)
        with tf.control_dependencies([done]):
            names = [counters.passes, *map(counters.pulled, iterators)]
            counted = tf.stack([_read(_handle(name)) for name in names])
        return [*outputs, counted]

    control = tf.TensorSpec([1 + len(iterators)], tf.int64)
    return _flat(program, [control, *_specs(whole)])


def _flat(function: Any, specs: Sequence[Any]) -> Any:
    with seam.bypassed():
        concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    inner = concrete._inference_function
    captured = concrete.captured_inputs

    def call(*inputs: Any) -> Any:
        result = inner.call_flat(*inputs, *captured)
        return result if isinstance(result, list | tuple) else [result]

    call.concrete = concrete  # type: ignore[attr-defined]  # kept alive
    return call


def _specs(definition: Definition) -> list[Any]:
    return [
        tf.TensorSpec(None, tf.as_dtype(a.type)) for a in definition.signature.input_arg
    ]


def _is_value(tensor: Any) -> bool:
    return tensor.dtype not in (tf.resource, tf.variant)


def _one_a_pass(graph: Graph) -> bool:
    """Whether each pass takes just one batch from each iterator, whatever happens."""
    inside = graph.loop.attr["body"].func.name
    arguments = [p.argument for p in graph.pulls]
    same_body = all(p.function == inside for p in graph.pulls)
    return same_body and len(set(arguments)) == len(arguments)


def _register(functions: Any) -> None:
    runtime = context.context()
    runtime.ensure_initialized()
    for function in functions:
        if not runtime.has_function(function.signature.name):
            runtime.add_function_def(function)


def _unregister(names: Sequence[str]) -> None:
    runtime = context.context()
    for name in names:
        if runtime.has_function(name):
            runtime.remove_function(name)


def _call(name: str, inputs: Sequence[Any], kinds: Sequence[int]) -> Any:
    return tf.raw_ops.StatefulPartitionedCall(
        args=list(inputs), Tout=[tf.as_dtype(k) for k in kinds], f=name
    )


def _listed(values: Any) -> list[Any]:
    if values is None or isinstance(values, tf.Operation):
        return []
    return list(values) if isinstance(values, list | tuple) else [values]


def _handle(name: str) -> Any:
    return tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[], shared_name=name)


def _queue(name: str) -> Any:
    return tf.raw_ops.FIFOQueueV2(
        component_types=[tf.float64], shapes=[[2]], shared_name=name
    )


def _read(handle: Any) -> Any:
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int64)


def _assign(handle: Any, value: Any) -> Any:
    return tf.raw_ops.AssignVariableOp(resource=handle, value=value)
