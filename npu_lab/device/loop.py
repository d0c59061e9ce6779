"""The sunk loop: copies of what a host call asks for, run inside the graph.

`sink` makes the operations behind a host call the body of a `while` loop in the same
graph.  The loop goes on as the engine's does: one pass, then on while the passes done
do not exceed the variable `npu_runconfig/iterations_per_loop` (which holds N-1), so a
new N needs no new loop.  Each call reads it once, and counts from its negative up to a
variable that holds 0; an interrupt makes that the least number.  `twin` makes one such
copy without a loop, for plain runs of a graph whose random streams a loop shares.

Variables, iterators, tables and fed tensors stay outside and are captured; everything
else is copied.  Each pass counts itself and each GetNext, in session variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from tensorflow.python.ops import while_v2

from npu_lab._tensorflow import tf
from npu_lab.device import counters, data_queue, randoms, reads
from npu_lab.device.rewriting import Rewriting
from npu_lab.device.subgraph import COUNT_VARIABLE, Subgraph
from npu_lab.trace import meetings

STEP_READS = "global_step_read_op_cache"
# A loop carries no quantized types.
CARRIERS = {
    tf.quint8: tf.uint8,
    tf.qint8: tf.int8,
    tf.quint16: tf.uint16,
    tf.qint16: tf.int16,
    tf.qint32: tf.int32,
}


BESIDE: list[Callable[[Subgraph, Sequence[Any]], list[Any]]] = []
"""Each is given the operations of a call, and those that it ends with."""


@dataclass(frozen=True)
class Copied:
    """What to fetch instead of the user's fetches, and what was counted.

    `substitutes` has one entry for each fetch.  `counted` is fetched beside them:
    ``done`` (an operation), and of a loop the ``passes`` of this call and the N that
    was ``loaded``.  `variables` are those a session must start, with their initial
    values.
    """

    substitutes: tuple[Any, ...]
    counted: Mapping[str, Any]
    variables: Mapping[str, Any]


class Copy(NamedTuple):
    """One copy: what must be run, the fetched values, and two times as tensors.

    `begun` is when it began, `arrived` when its batches had come; None without stamps.
    `met` are the times of its collectives.
    """

    run: list[Any]
    values: list[Any]
    begun: Any = None
    arrived: Any = None
    met: Sequence[Any] = ()

    def row(self, after: Any) -> Any:
        """Its times: begun, batches arrived, ended (when `after` is), and `met`."""
        with tf.control_dependencies([after, self.arrived, *self.met]):
            return tf.stack([self.begun, self.arrived, tf.timestamp(), *self.met])


class Copier:
    """Copies one subgraph.

    `batches` names the session variable that counts the copied GetNexts; with None
    they stay outside, and one batch serves every pass.  With `timeout` (seconds) a copy
    fails when a batch is later.  With `stamps` it tells the time.  `rewriting` changes
    its operators.
    """

    def __init__(
        self,
        subgraph: Subgraph,
        fetches: Sequence[Any],
        batches: str | None,
        timeout: int | None = None,
        *,
        stamps: bool = False,
        rewriting: Rewriting | None = None,
    ) -> None:
        self.batches, self.stamps = batches, stamps
        self.subgraph, self.fetches = subgraph, tuple(fetches)
        self.fed = {tensor.name for tensor in subgraph.feeds}
        kept = [o for o in subgraph.operations if _stays_outside(o)]
        if batches is None:
            kept += [g.operation for g in subgraph.get_next]
        outside = {o.name for o in kept}
        self.get_next = [g.name for g in subgraph.get_next if batches]
        self.met = meetings.where(subgraph) if stamps else []
        self.captures = {t.name: t for o in kept for t in o.outputs}
        self.captures |= {t.name: t for t in subgraph.feeds}
        self.inside = [
            f
            for f in self.fetches
            if _name_of_operation(f) not in outside
            and f.name not in self.fed
            and not self._is_read(f)
        ]
        self.graph_def = _graph_def(subgraph, outside)
        self.variables = randoms.replace(self.graph_def, subgraph.function_bodies)
        handles = {o.name for o in kept if o.type == "VarHandleOp"}
        reads.order(self.graph_def, handles, subgraph.function_bodies)
        if timeout:
            self.variables |= data_queue.limit_wait(
                self.graph_def, self.get_next, timeout
            )
        if rewriting is not None:
            rewriting.rewrite(self.graph_def)
            self.variables |= rewriting.variables
        self.captures |= {
            f"{name}:0": counters.handle(subgraph.graph, name, initial)
            for name, initial in self.variables.items()
        }

    def copy(self, scope: str) -> Copy:
        """Import one copy here."""
        begun = tf.timestamp() if self.stamps else None
        here = tf.compat.v1.get_default_graph()
        capture = getattr(here, "capture", lambda tensor: tensor)
        known = {name: capture(tensor) for name, tensor in self.captures.items()}
        operations = [f.name for f in self.inside if isinstance(f, tf.Operation)]
        tensors = [f.name for f in self.inside if not isinstance(f, tf.Operation)]
        out = tf.graph_util.import_graph_def(
            self.graph_def,
            input_map=_used_by(self.graph_def, known),
            name=scope,
            return_elements=[*operations, *self.get_next, *self.met, *tensors],
        )
        run, out = out[: len(operations)], out[len(operations) :]
        pulls, out = out[: len(self.get_next)], out[len(self.get_next) :]
        met, values = out[: len(self.met)], out[len(self.met) :]
        for pull in pulls:
            resource = counters.handle(self.subgraph.graph, str(self.batches))
            with tf.control_dependencies([pull]):
                run.append(counters.add_one(capture(resource)))
        for value, name in zip(values, tensors, strict=True):
            # What the user said with set_shape is not in the graph's definition.
            value.set_shape(self.subgraph.graph.get_tensor_by_name(name).shape)
        arrived = begun
        if begun is not None and pulls:
            for pull in pulls:
                pull._add_control_input(begun.op)
            with tf.control_dependencies(pulls):
                arrived = tf.timestamp()
        times = [time for operation in met for time in meetings.times(operation)]
        return Copy(run, values, begun, arrived, times)

    def substitutes(self, done: Any, values: Sequence[Any]) -> tuple[Any, ...]:
        """One entry a fetch: `done`, a value of the copy, or a read made after it."""
        tensors = [f.name for f in self.inside if not isinstance(f, tf.Operation)]
        by_name = dict(zip(tensors, values, strict=True))
        inside = {f.name for f in self.inside}
        result = []
        for fetch in self.fetches:
            if isinstance(fetch, tf.Operation):
                result.append(done if fetch.name in inside else fetch)
            elif fetch.name in by_name:
                result.append(by_name[fetch.name])
            elif fetch.name not in self.fed and self._is_read(fetch):
                result.append(_read_after(done, fetch))
            else:
                result.append(fetch)
        return tuple(result)

    def _is_read(self, fetch: Any) -> bool:
        """Whether the fetch is nothing but the value of a variable.

        A read that waits for something else is not: what it waits for belongs to each
        pass.  The tensor through which TensorFlow's own hooks read the step is one.
        """
        if isinstance(fetch, tf.Operation):
            return False
        if any(fetch is cached for cached in fetch.graph.get_collection(STEP_READS)):
            return True
        while fetch.name not in self.fed and not fetch.op.control_inputs:
            if fetch.op.type == "ReadVariableOp":
                return True
            if fetch.op.type != "Identity":
                return False
            fetch = fetch.op.inputs[0]
        return False


def twin(copier: Copier) -> Copied:
    """One copy without a loop: for a plain run that shares its random streams."""
    made = copier.copy("npu_lab/plain")
    with tf.control_dependencies([*made.run, *(v.op for v in made.values)]):
        done = tf.no_op(name="npu_lab/plain_done")
        values = [tf.identity(v) for v in made.values]
    counted = {"done": done}
    if copier.stamps:
        counted["stamps"] = made.row(done)[tf.newaxis]
    return Copied(copier.substitutes(done, values), counted, copier.variables)


def sink(copier: Copier) -> Copied:
    """The copy as the body of a loop; see the module's text."""
    graph = copier.subgraph.graph
    count = graph.get_tensor_by_name(f"{COUNT_VARIABLE}:0")
    first = -tf.maximum(counters.read(count), 0)
    stop = counters.handle(graph, counters.STOP)
    with tf.control_dependencies([counters.assign(stop, counters.ZERO)]):
        stop = tf.identity(stop)  # no pass looks at it before it is set
    tensors = [f for f in copier.inside if not isinstance(f, tf.Operation)]

    def goes_on(number: Any, *_: Any) -> Any:
        here = tf.compat.v1.get_default_graph()
        return number <= counters.read(here.capture(stop))

    def one_pass(number: Any, *carried: Any) -> list[Any]:
        here = tf.compat.v1.get_default_graph()
        made = copier.copy("pass")
        with tf.control_dependencies([*made.run, *(v.op for v in made.values)]):
            total = here.capture(counters.handle(graph, counters.ITERATIONS))
            counted = counters.add_one(total)
        rows = [
            tf.raw_ops.TensorListPushBack(input_handle=r, tensor=made.row(counted))
            for r in carried[: len(no_rows)]
        ]
        with tf.control_dependencies([counted]):
            return [number + 1, *rows, *(_carried(v) for v in made.values)]

    width = [3 + 2 * len(copier.met)]
    no_rows = [_no_rows(width)] if copier.stamps else []

    def passes(*begun: Any) -> Any:
        # Or a pass would read the clock after all that was built before, also below.
        tf.compat.v1.get_default_graph()._add_control_dependencies = False
        number, *rest = while_v2.while_loop(
            goes_on,
            one_pass,
            list(begun),
            shape_invariants=[
                tf.TensorShape([]),
                *(r.shape for r in no_rows),
                *(t.shape for t in tensors),
            ],
            parallel_iterations=1,
            name="npu_lab/loop",
            back_prop=False,
        )
        # Here, or what fails in a pass would be told as cancelled by what waits.
        with tf.control_dependencies(beside(copier.subgraph, [number])):
            return [tf.identity(number), *rest]

    if any(o.type.startswith("Collective") for o in copier.subgraph.operations):
        # Ranks meet by the name of the loop as well: in a function it is always the
        # same, whatever each of them fetches.
        passes = tf.function(
            passes, autograph=False, experimental_attributes={"_noinline": True}
        )
        first = _with_collectives(first)
    number, *values = passes(first, *no_rows, *(_nothing(t) for t in tensors))
    rows, values = values[: len(no_rows)], values[len(no_rows) :]
    values = [
        tf.bitcast(v, t.dtype) if t.dtype in CARRIERS else v
        for v, t in zip(values, tensors, strict=True)
    ]
    with tf.control_dependencies([number]):
        done = tf.no_op(name="npu_lab/loop_done")
    counted = {"done": done, "passes": number - first, "loaded": 1 - first}
    for r in rows:
        counted["stamps"] = tf.raw_ops.TensorListStack(
            input_handle=r, element_shape=width, element_dtype=tf.float64
        )
    return Copied(
        copier.substitutes(done, values),
        counted,
        {
            counters.ITERATIONS: counters.ZERO,
            counters.STOP: counters.ZERO,
            **copier.variables,
        },
    )


def beside(subgraph: Subgraph, ends: Sequence[Any]) -> list[Any]:
    """What is to run with a call that ends with `ends`: what `BESIDE` adds."""
    return [one for add in BESIDE for one in add(subgraph, ends)]


def _with_collectives(first: Any) -> Any:
    """`first`, in a graph that TensorFlow prepares for collectives.

    It does not see those in functions.  This one is never carried out.
    """
    given = {"input": first, "group_size": 1, "group_key": 0, "instance_key": 0}
    unreachable = partial(tf.raw_ops.CollectiveBcastSendV2, **given)
    return tf.cond(first > 0, unreachable, lambda: tf.identity(first))


def _no_rows(width: list[int]) -> Any:
    return tf.raw_ops.EmptyTensorList(
        element_shape=width, max_num_elements=-1, element_dtype=tf.float64
    )


def _stays_outside(operation: Any) -> bool:
    """Whether this is an input or a session's resource, which a copy must share."""
    if operation.type == "Placeholder":
        return True
    if not any(t.dtype == tf.resource for t in operation.outputs):
        return False
    return "shared_name" in operation.node_def.attr


def _graph_def(subgraph: Subgraph, outside: set[str]) -> Any:
    """The nodes of `subgraph` but those named in `outside`, ready to be imported."""
    part = tf.compat.v1.GraphDef(
        versions=subgraph.graph.graph_def_versions,
        library={"function": subgraph.function_bodies.values()},
    )
    for operation in subgraph.operations:
        if operation.name not in outside:
            node = part.node.add()
            node.CopyFrom(operation.node_def)
            node.attr.pop("_class", None)  # colocated with what stays outside
            _drop_control_inputs(node, outside)
    return part


def _drop_control_inputs(node: Any, outside: set[str]) -> None:
    kept = [i for i in node.input if i.lstrip("^") not in outside or i[0] != "^"]
    del node.input[:]
    node.input.extend(kept)


def _used_by(graph_def: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    """The part of `known` that `graph_def` refers to (the importer refuses others)."""
    used = set()
    for node in graph_def.node:
        for source in node.input:
            used.add(source if ":" in source else f"{source}:0")
    return {name: tensor for name, tensor in known.items() if name in used}


def _name_of_operation(fetch: Any) -> str:
    return str(fetch.name if isinstance(fetch, tf.Operation) else fetch.op.name)


def _read_after(done: Any, fetch: Any) -> Any:
    """A copy of the read `fetch` that runs when `done` has."""
    with tf.control_dependencies([done]):
        return copies([fetch], frozenset(), "npu_lab/read")[0]


def copies(fetches: Sequence[Any], shared: frozenset[str], scope: str) -> list[Any]:
    """Copies of tensors, made here, and of all behind them but the operations `shared`.

    Those of `fetches` that are shared are returned as they are.
    """
    subgraph = Subgraph.of(fetches[0].graph, fetches, [])
    kept = [o for o in subgraph.operations if _stays_outside(o) or o.name in shared]
    outside = {o.name for o in kept}
    graph_def = _graph_def(subgraph, outside)
    known = {t.name: t for o in kept for t in o.outputs}
    copied = [f.name for f in fetches if f.op.name not in outside]
    made = tf.graph_util.import_graph_def(
        graph_def,
        input_map=_used_by(graph_def, known),
        name=scope,
        return_elements=copied,
    )
    new = dict(zip(copied, made, strict=True))
    for fetch in fetches:
        new.get(fetch.name, fetch).set_shape(fetch.shape)
    return [new.get(f.name, f) for f in fetches]


def _nothing(tensor: Any) -> Any:
    """A start value with the type and rank of `tensor`."""
    shape = tensor.shape
    dims = [] if shape.rank is None else [d or 0 for d in shape.as_list()]
    return tf.zeros(dims, CARRIERS.get(tensor.dtype, tensor.dtype))


def _carried(value: Any) -> Any:
    """`value` as a loop can carry it from pass to pass."""
    if value.dtype in CARRIERS:
        return tf.bitcast(value, CARRIERS[value.dtype])
    return tf.identity(value)
