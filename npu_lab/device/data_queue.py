"""The data queue: the way from the host's input pipeline to a sunk GetNext.

The pipeline stays on the host.  When its iterator is initialised, a thread begins to
push batches into a queue, and the GetNext on the device takes them out; so the host
prepares the next batches while the device computes.  TensorFlow's own prefetching is
that queue here.  What stays on the host cannot read what is initialised on the device,
and a GetNext may wait for a batch no longer than `op_execute_timeout`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from npu_lab._tensorflow import tf
from npu_lab.device import counters, splice
from npu_lab.device.subgraph import ASSIGNMENTS, Subgraph

DEEPEST = 1_000_000
DEPTH = 2  # assumed: the vendor does not publish it
TABLES = re.compile(r"(Anonymous)?(Mutable)?(Dense)?HashTable(OfTensors)?(V2)?")
VARIABLES = re.compile(r"VarHandleOp|Variable(V2)?")
READS = ("ReadVariableOp", "LookupTableFindV2")
INITIALIZER = "npu_lab/initializer"
LATE = "npu_lab_get_next_timeout"


def checked_depth(depth: object) -> int:
    """`depth`, a number of batches of 1 or more; else TypeError or ValueError."""
    if isinstance(depth, bool) or not isinstance(depth, int):
        message = f"queue_depth must be a number of batches, not {depth!r}"
        raise TypeError(message)
    if not 1 <= depth <= DEEPEST:
        message = f"queue_depth must be 1 to {DEEPEST} batches, not {depth!r}"
        raise ValueError(message)
    return depth


def filled(fetches: Sequence[Any], depth: int) -> tuple[Any, ...] | None:
    """`fetches` with each iterator initialised behind a queue of `depth` batches.

    None where they initialise no iterator.  Only initializers, and groups of them, are
    replaced.
    """
    replaced = tuple(_behind_a_queue(fetch, depth) for fetch in fetches)
    if all(a is b for a, b in zip(replaced, fetches, strict=True)):
        return None
    # Not where the original would run beside it, as something else waits for it.
    behind = Subgraph.of(fetches[0].graph, replaced, []).of_type("MakeIterator")
    own = all(made.name.startswith(INITIALIZER) for made in behind)
    return replaced if own else None


def _behind_a_queue(fetch: Any, depth: int) -> Any:
    if not isinstance(fetch, tf.Operation):
        return fetch
    if fetch.type == "MakeIterator":
        return _initializer(fetch, depth)
    if fetch.type != "NoOp":
        return fetch
    waited_for = [_behind_a_queue(o, depth) for o in fetch.control_inputs]
    if all(a is b for a, b in zip(waited_for, fetch.control_inputs, strict=True)):
        return fetch
    with tf.control_dependencies(waited_for):
        return tf.no_op(name="npu_lab/iterators_initialised")


def _initializer(original: Any, depth: int) -> Any:
    dataset, iterator = original.inputs
    shapes = {
        "output_types": iterator.op.get_attr("output_types"),
        "output_shapes": iterator.op.get_attr("output_shapes"),
    }
    options = tf.data.Options()
    options.experimental_warm_start = True  # the thread starts now, not at a GetNext
    with tf.control_dependencies(original.control_inputs):
        queue = dataset
        if not _is_queued(dataset):
            queue = tf.raw_ops.PrefetchDataset(
                input_dataset=dataset, buffer_size=depth, **shapes
            )
        warm = tf.raw_ops.OptionsDataset(
            input_dataset=queue,
            serialized_options=options._to_proto().SerializeToString(),
            **shapes,
        )
        return tf.raw_ops.MakeIterator(
            dataset=warm, iterator=iterator, name=INITIALIZER
        )


def _is_queued(dataset: Any) -> bool:
    """Whether the pipeline ends with a prefetch of the user's, which then serves."""
    while dataset.op.type == "OptionsDataset":
        dataset = dataset.op.inputs[0]
    return bool(dataset.op.type == "PrefetchDataset")


def on_the_device(subgraph: Subgraph) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the tables, and of the variables, that the pipeline would read.

    The pipelines of the GetNexts are looked at whole; of an iterator's initializer only
    what it reads itself, before the first batch.
    """
    graph = subgraph.graph
    pipelines = [
        user.inputs[0]
        for get_next in subgraph.get_next
        for user in get_next.operation.inputs[0].consumers()
        if user.type == "MakeIterator"
    ]
    found = dict(Subgraph.of(graph, pipelines, []).types())
    for made in subgraph.of_type("MakeIterator"):
        for read in Subgraph.of(graph, [made.inputs[0]], []).of_type(*READS):
            found[read.inputs[0].op.name] = read.inputs[0].op.type
    return (
        tuple(name for name, kind in found.items() if TABLES.fullmatch(kind)),
        tuple(name for name, kind in found.items() if VARIABLES.fullmatch(kind)),
    )


def initialised_on_the_host(subgraph: Subgraph) -> tuple[Any, ...]:
    """Handles of the variables that are initialised in one run with an iterator.

    The graph of such a run is not given to the device, so the device's variables keep
    their zeros.
    """
    if not subgraph.of_type("MakeIterator") or subgraph.trains:
        return ()
    assigned = [o.inputs[0] for o in subgraph.of_type(*ASSIGNMENTS)]
    return tuple(handle for handle in assigned if handle.op.type == "VarHandleOp")


class Kept(NamedTuple):
    """What keeps a variable's value over a run: three tensors, and an operation.

    The value may be read where `initialized` is true; `put` sets what is fed for `new`.
    """

    initialized: Any
    value: Any
    new: Any
    put: Any


def keeper(handle: Any) -> Kept:
    """The operations that keep the variable of `handle`."""
    dtype = tf.as_dtype(handle.op.get_attr("dtype"))
    new = tf.compat.v1.placeholder(dtype)
    return Kept(
        tf.raw_ops.VarIsInitializedOp(resource=handle),
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype),
        new,
        counters.assign(handle, new),
    )


def limit_wait(graph_def: Any, names: Sequence[str], seconds: int) -> dict[str, Any]:
    """Make the GetNexts `names` of `graph_def` fail when a batch comes too late.

    Returns the session variables that count the batches that came in time, with their
    initial values; they are inputs that the importer of `graph_def` must map.
    """
    variables = {}
    for node in [n for n in graph_def.node if n.name in names]:
        counter = f"npu_lab/enqueued/{node.name}"
        variables[counter] = counters.ZERO
        nodes = _limited(node, counter, seconds)
        graph_def.node.remove(node)
        graph_def.node.extend(nodes)
    return variables


def _limited(node: Any, counter: str, seconds: int) -> list[Any]:
    types = [tf.as_dtype(t) for t in node.attr["output_types"].list.type]
    shapes = [tf.TensorShape(s) for s in node.attr["output_shapes"].list.shape]
    with tf.Graph().as_default() as graph:
        iterator = tf.compat.v1.placeholder(tf.resource, name="iterator")
        count = tf.compat.v1.placeholder(tf.resource, name="count")
        asked = tf.timestamp()
        with tf.control_dependencies([asked]):
            batch = tf.raw_ops.IteratorGetNext(
                iterator=iterator, output_types=types, output_shapes=shapes
            )
        with tf.control_dependencies([t.op for t in batch]):
            waited = tf.timestamp() - asked
            enqueued = counters.read(count)
        in_time = tf.raw_ops.Assert(
            condition=waited <= seconds,
            data=[LATE, node.name, seconds, enqueued],
            summarize=1,
        )
        with tf.control_dependencies([in_time]):
            counted = counters.add_one(count)
        with tf.control_dependencies([counted]):
            value = tf.identity_n(batch)[0].op
    fed = {"iterator": node.input[0], "count": counter}
    return splice.in_place_of(node, graph, value, fed)


class Late(NamedTuple):
    """A batch that came too late: which GetNext, its limit, the batches before."""

    get_next: str
    seconds: int
    enqueued: int


def too_late(message: str) -> Late | None:
    """What an error's `message` says of a batch that came too late."""
    found = re.search(rf"\[{LATE}\] \[(.*?)\] \[(\d+)\] \[(\d+)\]", message)
    return Late(found[1], int(found[2]), int(found[3])) if found else None
