"""What a host call asks for: the operations behind its fetches, and what kind they are.

`Subgraph.of` walks back from the fetches, stops where a tensor is fed, and looks into
the bodies of functions (branches of a `tf.cond`, `tf.function`s) as well.  Nothing is
changed and nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.timeline import Meeting
from npu_lab.trace import meetings

Operation = Any
Tensor = Any
Graph = Any

ITERATION_OP = "IterationOp"
COUNT_VARIABLE = "npu_runconfig/iterations_per_loop"

GET_NEXT = frozenset({"IteratorGetNext", "IteratorGetNextSync"})
ITERATOR_HANDLES = frozenset({"IteratorFromStringHandle", "IteratorFromStringHandleV2"})
REFERENCE_VARIABLES = frozenset({"Variable", "VariableV2", "TemporaryVariable"})
UPDATES = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]")
QUEUES = re.compile(r"Queue(Dequeue|Enqueue|Size|Close|IsClosed)\w*|\w*Queue(V2)?")
CHANNEL = "npu_lab/channel/"  # a queue of this name carries data from device to host
HOST_SIDE = frozenset({"QueueDequeueV2", "QueueCloseV2"})  # of a channel
SUMMARIES = re.compile(r"\w*Summary(V2)?")
WRITERS = re.compile(r"(Create|Flush|Close)Summary\w*Writer")
ASSIGNMENTS = frozenset(
    {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "Assign"}
)
SCATTERS = re.compile(r"(Resource)?Scatter(Nd)?(Add|Sub|Mul|Div|Min|Max|Update)")
# Those that keep their place in a seeded stream themselves, not in a variable.
RANDOM = re.compile(
    r"(Random(Crop|Gamma|Poisson(V2)?|Shuffle|StandardNormal|Uniform(Int)?)"
    r"|(Parameterized)?TruncatedNormal|Multinomial|\w+CandidateSampler"
    r"|SampleDistortedBoundingBox(V2)?)"
)
# Made on the host when an iterator is initialised; they never become device work.
DATASET = re.compile(r"\w*Dataset\w*|MakeIterator|Iterator\w*|Const|NoOp|Identity")


@dataclass(frozen=True)
class GetNext:
    """One GetNext in a subgraph, with the shapes its dataset promises."""

    operation: Operation

    @property
    def name(self) -> str:
        """Name of the operation."""
        return str(self.operation.name)

    @property
    def unknown_shape(self) -> str | None:
        """The first output shape that is not fully known, or None."""
        for output in self.operation.outputs:
            if output.dtype != tf.variant and not output.shape.is_fully_defined():
                return str(output.shape)
        return None


class Subgraph:
    """The operations one host call runs, in the order they were created."""

    def __init__(
        self, graph: Graph, operations: Sequence[Operation], feeds: Sequence[Tensor]
    ) -> None:
        self.graph = graph
        self.operations = tuple(operations)
        self.feeds = tuple(feeds)

    @classmethod
    def of(
        cls, graph: Graph, fetches: Iterable[Any], feeds: Sequence[Tensor]
    ) -> Subgraph:
        """Walk back from `fetches` (operations and tensors), stopping at `feeds`."""
        fed = {tensor.name for tensor in feeds}
        seen: dict[str, Operation] = {}
        pending = [
            f if isinstance(f, tf.Operation) else f.op
            for f in fetches
            if isinstance(f, tf.Operation) or f.name not in fed
        ]
        while pending:
            operation = pending.pop()
            if operation.name in seen:
                continue
            seen[operation.name] = operation
            pending.extend(operation.control_inputs)
            pending.extend(t.op for t in operation.inputs if t.name not in fed)
        ordered = sorted(seen.values(), key=lambda operation: operation._id)
        used = {t.name for operation in ordered for t in operation.inputs}
        wanted = {getattr(f, "name", None) for f in fetches}
        return cls(graph, ordered, [t for t in feeds if t.name in used | wanted])

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the operations."""
        return frozenset(operation.name for operation in self.operations)

    @cached_property
    def function_bodies(self) -> dict[str, Any]:
        """Definitions of the functions that the operations call, directly or not."""
        calls = [name for o in self.operations for name in _called(o.node_def)]
        found: dict[str, Any] = {}
        while calls:
            name = calls.pop()
            function = self.graph._get_function(name)
            if name not in found and function is not None:
                found[name] = function.cached_definition
                calls.extend(c for n in found[name].node_def for c in _called(n))
        return found

    def types(self) -> Iterator[tuple[str, str]]:
        """(name, type) of every operation, those inside functions included."""
        for operation in self.operations:
            yield operation.name, operation.type
        for name, body in self.function_bodies.items():
            for node in body.node_def:
                yield f"{name}/{node.name}", node.op

    def matching(self, pattern: re.Pattern[str]) -> tuple[str, ...]:
        """Names, with their type, of the operations whose whole type matches."""
        return tuple(f"{n} ({t})" for n, t in self.types() if pattern.fullmatch(t))

    @cached_property
    def queues(self) -> tuple[str, ...]:
        """Names, with their type, of the queue operations that are not of a channel."""
        own = {o.name for o in (*self._channels, *self._users_of_channels)}
        found = self.matching(QUEUES)
        return tuple(name for name in found if name.partition(" ")[0] not in own)

    @cached_property
    def host_side(self) -> bool:
        """Whether this is work of the host alone, and no call to the device.

        That is to take from a channel or to end it, and to open, flush or close the
        writers of summaries.
        """
        if self.trains or self.iteration_op or self.of_type(*ASSIGNMENTS):
            return False
        if any(WRITERS.fullmatch(o.type) for o in self.operations):
            return True
        return any(o.type in HOST_SIDE for o in self._users_of_channels)

    @property
    def _channels(self) -> list[Operation]:
        queues = self.of_type("FIFOQueueV2")
        return [o for o in queues if o.name.startswith(CHANNEL)]

    @property
    def _users_of_channels(self) -> list[Operation]:
        users = [user for o in self._channels for user in o.outputs[0].consumers()]
        return [user for user in users if user.name in self.names]

    def of_type(self, *types: str) -> tuple[Operation, ...]:
        """The operations of these types, not looking into functions."""
        return tuple(o for o in self.operations if o.type in types)

    @cached_property
    def meetings(self) -> tuple[Meeting, ...]:
        """The collectives, not looking into functions."""
        return meetings.of(self)

    @cached_property
    def get_next(self) -> tuple[GetNext, ...]:
        """The GetNexts, in the order they were created."""
        return tuple(GetNext(o) for o in self.operations if o.type in GET_NEXT)

    @cached_property
    def iteration_op(self) -> bool:
        """Whether an operation named exactly IterationOp is among them."""
        return ITERATION_OP in self.names

    @cached_property
    def near_misses(self) -> tuple[str, ...]:
        """Operations meant as IterationOp whose name says otherwise to the engine."""
        wanted = re.compile(rf"(?:.*/)?{ITERATION_OP}(?:_\d+)?")
        return tuple(
            o.name
            for o in self.operations
            if o.type == "NoOp" and o.name != ITERATION_OP and wanted.fullmatch(o.name)
        )

    @cached_property
    def nested_get_next(self) -> tuple[str, ...]:
        """Names of the GetNexts inside functions, such as the branches of a cond."""
        return tuple(
            f"{name}/{node.name}"
            for name, body in self.function_bodies.items()
            for node in body.node_def
            if node.op in GET_NEXT
        )

    @cached_property
    def trains(self) -> bool:
        """Whether an optimizer update is among the operations.

        That is one of TensorFlow's `Apply...` operations, or a trainable variable that
        gets a value computed from data or gradients: by a scatter, as sparse gradient
        descent does, or by an assignment.  Initializers, loads, restores, copies from
        one variable to another and averages of them are none of these.
        """
        if any(UPDATES.match(kind) for _, kind in self.types()):
            return True
        if any(SCATTERS.fullmatch(n.op) for n in self._nodes_in_functions()):
            return True
        return any(self._updates(operation) for operation in self.operations)

    def _nodes_in_functions(self) -> Iterator[Any]:
        for body in self.function_bodies.values():
            yield from body.node_def

    def _updates(self, operation: Operation) -> bool:
        scatter = SCATTERS.fullmatch(operation.type)
        if not (scatter or operation.type in ASSIGNMENTS) or not operation.inputs:
            return False
        handles, initializers = self._trainable
        if operation.inputs[0].op.name not in handles or operation.name in initializers:
            return False
        value = operation.inputs[-1]
        if value.name in {t.name for t in self.feeds}:
            return False
        behind = Subgraph.of(self.graph, [value], self.feeds)
        if "RestoreV2" in {o.type for o in behind.operations}:
            return False
        return bool(
            behind.get_next
            or behind.feeds
            or any("gradients" in o.name for o in behind.operations)
        )

    @cached_property
    def _trainable(self) -> tuple[set[str], set[str]]:
        """Names of the handles, and of the initializers, of trainable variables."""
        collection = tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES
        variables = self.graph.get_collection(collection)
        handles = {v.handle.op.name for v in variables if hasattr(v, "handle")}
        return handles, {v.initializer.name for v in variables}

    @cached_property
    def kind(self) -> str:
        """training, initialize, load, restore, save, iterator or read."""
        kinds = {o.type for o in self.operations}
        if self.trains:
            return "training"
        if "RestoreV2" in kinds:
            return "restore"
        if "SaveV2" in kinds:
            return "save"
        if "MakeIterator" in kinds and self.only_on_host:
            return "iterator"
        assigns = [o for o in self.of_type(*ASSIGNMENTS) if len(o.inputs) > 1]
        if assigns:
            fed = {t.name for t in self.feeds}
            loaded = all(a.inputs[1].name in fed for a in assigns)
            return "load" if loaded else "initialize"
        return "read"

    @cached_property
    def only_on_host(self) -> bool:
        """Whether nothing here would become device work (iterator set-up only)."""
        return all(DATASET.fullmatch(o.type) for o in self.operations)


def _called(node: Any) -> list[str]:
    """Names of the functions a node refers to."""
    names = [a.func.name for a in node.attr.values() if a.HasField("func")]
    names += [f.name for a in node.attr.values() for f in a.list.func]
    return names
