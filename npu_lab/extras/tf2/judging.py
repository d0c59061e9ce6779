"""The shape of a `tf.function`'s graph decides how the device loops: the four modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tensorflow.core.framework import types_pb2

from npu_lab.extras.tf2 import definitions
from npu_lab.extras.tf2.definitions import GET_NEXT, WHILES, Definition, Node, Pull

Mode = Literal["NPU_LOOP", "HOST_LOOP", "BUILTIN_LOOP", "NO_LOOP"]
NPU_LOOP: Mode = "NPU_LOOP"
HOST_LOOP: Mode = "HOST_LOOP"
BUILTIN_LOOP: Mode = "BUILTIN_LOOP"
NO_LOOP: Mode = "NO_LOOP"

UNSUPPORTED_TYPES = frozenset(
    {
        types_pb2.DT_DOUBLE,
        types_pb2.DT_COMPLEX64,
        types_pb2.DT_COMPLEX128,
        types_pb2.DT_VARIANT,
    }
)
UNSUPPORTED = re.compile(
    r"(Eager)?PyFunc(Stateless)?|Print(V2)?|String\w+|AsString|\w*Regex\w*"
    r"|(Write|Create|Flush|Close)\w*Summary\w*|\w+Summary(V2)?|(Read|Write)File"
    r"|IteratorGetNextAsOptional|Optional\w+|(Empty)?TensorList\w*"  # DT_VARIANT
)
"""Operations that stay on the host; the others are taken as known to the device."""

UPDATES = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]\w*")
ASSIGNMENTS = re.compile(
    r"Assign(Add|Sub)VariableOp|ResourceScatter(Nd)?(Add|Sub|Mul|Div|Min|Max|Update)"
)
SAVES, RESTORES = frozenset({"SaveV2"}), frozenset({"RestoreV2"})


@dataclass(frozen=True)
class Graph:
    """The graph behind a `tf.function`, inlined and pruned, and what is in it."""

    name: str
    definition: Definition
    functions: Mapping[str, Definition]
    unknown_inputs: tuple[str, ...] = ()
    trainable: frozenset[int] = frozenset()

    @classmethod
    def of(cls, concrete: Any) -> Graph:
        """The graph of a ConcreteFunction."""
        inner = concrete.graph
        whole = concrete.function_def
        functions = definitions.library(whole, inner)
        flat = definitions.pruned(definitions.inlined(whole, functions))
        # Keras counts its batches in a variable that is called trainable.
        trained = {
            id(v.handle) for v in inner.trainable_variables if v.dtype.is_floating
        }
        trainable = [
            len(inner.inputs) - len(inner.captures) + i
            for i, (outer, _) in enumerate(inner.captures)
            if id(outer) in trained
        ]
        unknown = [
            f"{t.name.partition(':')[0]} {t.shape}"
            for t in inner.inputs
            if t.dtype.name not in {"resource", "variant"}
            and not t.shape.is_fully_defined()
        ]
        shown = str(getattr(inner, "name", "") or whole.signature.name)
        return cls(shown, flat, functions, tuple(unknown), frozenset(trainable))

    @cached_property
    def pulls(self) -> list[Pull]:
        """Every GetNext."""
        return definitions.pulls(self.definition, self.functions)

    @cached_property
    def whiles(self) -> list[Node]:
        """The Whiles of the graph itself, not those inside other functions."""
        return [n for n in self.definition.node_def if n.op in WHILES]

    @cached_property
    def consuming(self) -> list[Node]:
        """The Whiles that take from an iterator."""
        return [n for n in self.whiles if self._pulls_in(n)]

    @property
    def loop(self) -> Node:
        """The While that consumes the iterator (the first one)."""
        return self.consuming[0]

    def _pulls_in(self, node: Node) -> list[Pull]:
        body = self.functions.get(node.attr["body"].func.name)
        return [] if body is None else definitions.pulls(body, self.functions)

    @cached_property
    def unsupported(self) -> tuple[str, ...]:
        """Names, with their type, of the operations that the device does not have."""
        found: dict[str, None] = {}
        for node in definitions.nodes(self.definition, self.functions):
            if UNSUPPORTED.fullmatch(node.op) or _types(node) & UNSUPPORTED_TYPES:
                found[f"{node.name} ({node.op})"] = None
        return tuple(found)

    @cached_property
    def unrelated(self) -> tuple[str, ...]:
        """Names of the nodes that are neither the loop nor upstream of it."""
        behind = definitions.upstream(self.definition, [self.loop.name])
        return tuple(n.name for n in self.definition.node_def if n.name not in behind)

    @cached_property
    def unknown_shapes(self) -> tuple[str, ...]:
        """What has no static shape: batches, and tensors that are passed in."""
        shapes = [(p.node.name, p.unknown_shape) for p in self.pulls]
        return (*(f"{n} {s}" for n, s in shapes if s), *self.unknown_inputs)

    @cached_property
    def returns(self) -> bool:
        """Whether the function gives tensors back."""
        return bool(self.definition.signature.output_arg)

    @cached_property
    def kind(self) -> str:
        """What a call is to the ledger: training, initialize, restore, save or read."""
        used = list(definitions.nodes(self.definition, self.functions))
        kinds = {n.op for n in used}
        if self._trains:
            return "training"
        for types, name in ((RESTORES, "restore"), (SAVES, "save")):
            if kinds & types:
                return name
        return "initialize" if "AssignVariableOp" in kinds else "read"

    @property
    def _trains(self) -> bool:
        arguments = self.definition.signature.input_arg
        return _trains(
            self.definition,
            self.functions,
            {a.name for i, a in enumerate(arguments) if i in self.trainable},
        )


@dataclass(frozen=True)
class Judgement:
    """The mode of a graph, and the reasons it is not NPU_LOOP, as keys of the texts."""

    mode: Mode
    reasons: tuple[str, ...] = ()


def judge(graph: Graph) -> Judgement:
    """The mode, by the adapter's table."""
    if not graph.consuming:
        if not graph.pulls:
            return Judgement(NO_LOOP, ("no iterator",))
        return Judgement(NO_LOOP, ("no while",))
    reasons = []
    if len(graph.whiles) > 1:
        reasons.append("several whiles")
    if graph.returns:
        reasons.append("returns")
    elif graph.unrelated:
        reasons.append("unrelated")
    if graph.unsupported:
        reasons.append("unsupported")
    if reasons:
        return Judgement(BUILTIN_LOOP, tuple(reasons))
    if graph.unknown_shapes:
        return Judgement(HOST_LOOP, ("unknown shapes",))
    return Judgement(NPU_LOOP)


def _types(node: Node) -> set[int]:
    if node.op in WHILES or node.op in GET_NEXT:
        return set()  # what goes through it is judged where it is used
    found = {a.type for a in node.attr.values() if a.HasField("type")}
    return found | {t for a in node.attr.values() for t in a.list.type}


def _trains(
    definition: Definition, functions: Mapping[str, Definition], trainable: set[str]
) -> bool:
    """Whether an update of a trainable variable is here, or in a function called.

    An assignment to one counts if its value is computed from it: of initializers that
    is not so.
    """
    known = dict.fromkeys(trainable, 0)
    handles = set(definitions.origins(definition, known))
    for node in definition.node_def:
        if UPDATES.fullmatch(node.op):
            return True
        first = definitions.operation(node.input[0]) if node.input else ""
        if first in handles and ASSIGNMENTS.fullmatch(node.op):
            return True
        if first in handles and node.op == "AssignVariableOp":
            value = definitions.operation(node.input[1])
            if first in definitions.upstream(definition, [value], data=True):
                return True
        for name in definitions.functions_of(node):
            if name not in functions:
                continue
            inner = functions[name]
            given = definitions.passed_on(node)
            arguments = [a.name for a in inner.signature.input_arg]
            passed = {
                a
                for a, g in zip(arguments, given, strict=False)
                if definitions.operation(g) in handles
            }
            if _trains(inner, functions, passed):
                return True
    return False
