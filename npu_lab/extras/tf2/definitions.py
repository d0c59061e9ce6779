"""The definition of a `tf.function` as the adapter sees it: nodes, by their names.

A `Body` is a FunctionDef with the functions that it calls.  Calls of other functions
are put in place (`inlined`), as the adapter does with nested `tf.function`s, and what
no result and no effect needs is dropped (`pruned`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
WHILES = frozenset({"While", "StatelessWhile"})
GET_NEXT = {
    "IteratorGetNext": "components",
    "IteratorGetNextSync": "components",
    "IteratorGetNextAsOptional": "optional",
}
"""Operations that take a batch from an iterator, and what their output is called."""

Definition = Any
Node = Any


@dataclass(frozen=True)
class Pull:
    """A GetNext: the function it is in, its node, and whose iterator it takes from.

    `argument` is the number of the outermost function's argument, None if unknown.
    """

    function: str
    node: Node
    argument: int | None

    @property
    def unknown_shape(self) -> str | None:
        """The first shape of its batches that is not fully known, or None."""
        for shape in self.node.attr["output_shapes"].list.shape:
            sizes = [d.size for d in shape.dim]
            if shape.unknown_rank:
                return "<unknown>"
            if -1 in sizes:
                shown = ", ".join("None" if s < 0 else str(s) for s in sizes)
                return f"({shown})"
        return None


def operation(reference: str) -> str:
    """The name of the node, or argument, that an input of a node refers to."""
    return reference.lstrip("^").partition(":")[0]


def functions_of(node: Node) -> list[str]:
    """Names of the functions a node refers to."""
    names = [a.func.name for a in node.attr.values() if a.HasField("func")]
    return names + [f.name for a in node.attr.values() for f in a.list.func]


def library(definition: Definition, graph: Any) -> dict[str, Definition]:
    """The definitions of all functions behind `definition`, by name."""
    found: dict[str, Definition] = {}
    waiting = [name for node in definition.node_def for name in functions_of(node)]
    while waiting:
        name = waiting.pop()
        function = None if name in found else graph._get_function(name)
        if function is not None:
            found[name] = function.cached_definition
            waiting += [n for o in found[name].node_def for n in functions_of(o)]
    return found


def inlined(definition: Definition, functions: Mapping[str, Definition]) -> Definition:
    """A copy of `definition` with the functions that it calls put in place."""
    inlining = _Inlining(functions)
    for node in definition.node_def:
        copy = type(node)()
        copy.CopyFrom(node)
        inlining.add(copy)
    result = type(definition)()
    result.CopyFrom(definition)
    del result.node_def[:]
    arguments = {a.name for a in definition.signature.input_arg}
    for node in inlining.nodes:
        data = [inlining.place(i) for i in node.input if not i.startswith("^")]
        waits = [w for i in node.input if i.startswith("^") for w in inlining.waits(i)]
        del node.input[:]
        node.input.extend(data)
        node.input.extend(w for w in dict.fromkeys(waits) if w[1:] not in arguments)
    result.node_def.extend(inlining.nodes)
    for key, value in result.ret.items():
        result.ret[key] = inlining.place(value)
    ends = [w for end in definition.control_ret.values() for w in inlining.waits(end)]
    result.control_ret.clear()
    del result.signature.control_output[:]
    for end in dict.fromkeys(e.lstrip("^") for e in ends):
        if end not in arguments:
            result.control_ret[end] = end
            result.signature.control_output.append(end)
    return result


class _Inlining:
    """Puts calls in place; who uses their results is led to these afterwards."""

    def __init__(self, functions: Mapping[str, Definition]) -> None:
        self.functions = functions
        self.nodes: list[Node] = []
        self._places: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}

    def add(self, node: Node) -> None:
        """Add a node, or instead of a call the nodes of its function."""
        body = (
            self.functions.get(node.attr["f"].func.name) if node.op in CALLS else None
        )
        if body is None:
            self.nodes.append(node)
            return
        name, given = node.name, [i for i in node.input if not i.startswith("^")]
        waits = [i for i in node.input if i.startswith("^")]
        names = [a.name for a in body.signature.input_arg]
        arguments = dict(zip(names, given, strict=True))

        def moved(reference: str) -> str:
            if reference.startswith("^"):
                outer = arguments.get(reference[1:])
                inner = f"{name}/{reference[1:]}"
                return f"^{operation(outer) if outer else inner}"
            return arguments.get(reference) or f"{name}/{reference}"

        outputs = [moved(body.ret[a.name]) for a in body.signature.output_arg]
        self._places |= {f"{name}:output:{i}": o for i, o in enumerate(outputs)}
        ends = [f"^{name}/{end}" for end in body.control_ret.values()]
        ends += [f"^{operation(output)}" for output in outputs]
        self._ends[name] = ends or waits
        for inner in body.node_def:
            copy = type(inner)()
            copy.CopyFrom(inner)
            copy.name = f"{name}/{inner.name}"
            del copy.input[:]
            copy.input.extend([*map(moved, inner.input), *waits])
            self.add(copy)

    def place(self, reference: str) -> str:
        """Where a value comes from in the end."""
        while reference in self._places:
            reference = self._places[reference]
        return reference

    def waits(self, reference: str) -> list[str]:
        """What is waited for in the end, where a node waits for `reference`."""
        name = reference.lstrip("^")
        if name not in self._ends:
            return [f"^{name}"]
        return [w for end in self._ends[name] for w in self.waits(end)]


def redirect(
    node: Node, places: Mapping[str, str], controls: Mapping[str, Iterable[str]]
) -> None:
    """Let inputs of `node` come from elsewhere: data, and ends that it waits for."""
    if not any(i in places or i[1:] in controls for i in node.input):
        return
    data: list[str] = []
    waits: list[str] = []
    for reference in node.input:
        if reference.startswith("^"):
            waits += controls.get(reference[1:], [reference])
        else:
            data.append(places.get(reference, reference))
    del node.input[:]
    node.input.extend([*data, *dict.fromkeys(waits)])


def upstream(
    definition: Definition, starts: Iterable[str], *, data: bool = False
) -> set[str]:
    """Names of the nodes, and arguments, that `starts` are or depend on.

    With `data` what they only wait for does not count.
    """
    nodes = {n.name: n for n in definition.node_def}
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            if name in nodes:
                inputs = [i for i in nodes[name].input if not (data and i[0] == "^")]
                waiting += [operation(i) for i in inputs]
    return found


def ends(definition: Definition) -> list[str]:
    """The nodes, or arguments, whose values or effects leave the function."""
    values = [operation(value) for value in definition.ret.values()]
    return [*values, *definition.control_ret.values()]


def pruned(definition: Definition) -> Definition:
    """A copy without the nodes that no result and no effect needs."""
    needed = upstream(definition, ends(definition))
    result = type(definition)()
    result.CopyFrom(definition)
    del result.node_def[:]
    result.node_def.extend(n for n in definition.node_def if n.name in needed)
    return result


def nodes(
    definition: Definition, functions: Mapping[str, Definition]
) -> Iterator[Node]:
    """All nodes, those of the functions that are called included."""
    yield from definition.node_def
    seen: set[str] = set()
    waiting = [n for node in definition.node_def for n in functions_of(node)]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in seen:
            seen.add(name)
            yield from functions[name].node_def
            waiting += [n for o in functions[name].node_def for n in functions_of(o)]


def passed_on(node: Node) -> list[str]:
    """What `node` gives to the functions that it calls as their arguments."""
    given = [i for i in node.input if not i.startswith("^")]
    if node.op in WHILES or node.op in CALLS:
        return given
    if node.op in {"If", "StatelessIf", "Case", "StatelessCase"}:
        return given[1:]
    return []


def pulls(
    definition: Definition,
    functions: Mapping[str, Definition],
    arguments: Mapping[str, int | None] | None = None,
) -> list[Pull]:
    """The GetNexts of a function and of those that it calls."""
    if arguments is None:
        arguments = {a.name: i for i, a in enumerate(definition.signature.input_arg)}
    name, known = definition.signature.name, origins(definition, arguments)
    found = []
    for node in definition.node_def:
        if node.op in GET_NEXT:
            found.append(Pull(name, node, known.get(operation(node.input[0]))))
        for called in functions_of(node):
            if called in functions and (given := passed_on(node)):
                inner = functions[called]
                names = [a.name for a in inner.signature.input_arg]
                sources = [known.get(operation(g)) for g in given]
                mapped = dict(zip(names, sources, strict=False))
                found += pulls(inner, functions, mapped)
    return found


def origins(
    definition: Definition, arguments: Mapping[str, int | None]
) -> dict[str, int | None]:
    """Which argument a name stands for: arguments, and what only hands them on."""
    known = dict(arguments)
    for node in definition.node_def:
        if node.op == "Identity" and operation(node.input[0]) in known:
            known[node.name] = known[operation(node.input[0])]
    return known
