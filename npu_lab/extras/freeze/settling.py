"""Settles what is known before a graph runs: calls, and conditions with one answer.

A condition of TensorFlow 1.15 is made of Switch and Merge, later ones call functions.
With its answer known, only the branch taken is left, and its operators are in the graph
itself, where they can be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tensorflow.python.framework import function_def_to_graph

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze.graph_defs import (
    MERGES,
    SWITCHES,
    cut,
    data_inputs,
    producer,
    replace_input,
    value,
)

v1 = tf.compat.v1
CONDITIONS = frozenset({"If", "StatelessIf"})
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})


def settle(graph_def: Any, outputs: Iterable[str]) -> Any:
    """A copy in which calls, and conditions that are known, are replaced by the body.

    A condition is known where its tensor always is the same.
    """
    kept = set(map(producer, outputs))
    made = cut(graph_def, kept)
    while called := list(_known_calls(made)):
        for node, function in called:
            _inline(made, node, function, named=node.name in kept)
        made = cut(made, kept)
    _settle_switches(made)
    return cut(made, kept)


def _known_calls(graph_def: Any) -> Iterator[tuple[Any, str]]:
    known: dict[str, Any] = {}
    for node in graph_def.node:
        if node.op in CALLS:
            yield node, node.attr["f"].func.name
        elif node.op in CONDITIONS:
            asked = node.input[0]
            if asked not in known:
                known[asked] = value(graph_def, asked)
            if known[asked] is not None:
                branch = "then_branch" if known[asked].any() else "else_branch"
                yield node, node.attr[branch].func.name


def _inline(graph_def: Any, node: Any, called: str, *, named: bool) -> None:
    """Replace `node` by the body of the function that it calls.

    `named`: somebody asks for its outputs by name.
    """
    functions = {f.signature.name: f for f in graph_def.library.function}
    function = functions[called]
    with v1.Graph().as_default():
        v1.import_graph_def(v1.GraphDef(library=graph_def.library), name="")
        body, flat = function_def_to_graph.function_def_to_graph_def(function)
    arguments = [argument.name for argument in function.signature.input_arg]
    inputs = data_inputs(node)[1 if node.op in CONDITIONS else 0 :]
    given = dict(zip(arguments, inputs, strict=True))
    taken = {one.name for one in graph_def.node}
    scope = node.name
    while any(f"{scope}/{one.name}" in taken for one in body.node):
        scope += "_"

    def outer(name: str) -> str:
        bare = producer(name)
        if bare in given:
            return f"^{producer(given[bare])}" if name[:1] == "^" else given[bare]
        return f"^{scope}/{bare}" if name[:1] == "^" else f"{scope}/{name}"

    returned = [
        outer(flat[function.ret[argument.name]])
        for argument in function.signature.output_arg
    ]
    name = node.name
    graph_def.node.remove(node)
    for one in body.node:
        if one.name not in given:
            added = graph_def.node.add()
            added.CopyFrom(one)
            added.name = f"{scope}/{one.name}"
            added.input[:] = [outer(each) for each in one.input]
    for number, tensor in enumerate(returned):
        replace_input(graph_def, f"{name}:{number}", tensor)
    added = graph_def.node.add()  # who waits for it finds it still
    added.name, added.op = name, "IdentityN" if named else "NoOp"
    if named:
        added.input[:] = returned
        kinds = [argument.type for argument in function.signature.output_arg]
        added.attr["T"].list.type[:] = kinds


def _settle_switches(graph_def: Any) -> None:
    """Take out, in place, the branches that are never taken."""
    dead: set[str] = set()
    for node in graph_def.node:
        if node.op in SWITCHES:
            known = value(graph_def, node.input[1])
            if known is not None:
                taken = int(known.any())
                dead.add(f"{node.name}:{1 - taken}")
                replace_input(graph_def, f"{node.name}:{taken}", node.input[0])
    if not dead:
        return
    while more := [
        node.name
        for node in graph_def.node
        if node.name not in dead and _never_runs(node, dead)
    ]:
        dead.update(more)
    for node in graph_def.node:
        alive = [name for name in data_inputs(node) if not _is_dead(name, dead)]
        if node.op in MERGES and len(alive) == 1 < len(data_inputs(node)):
            kind, name = node.attr["T"].type, node.name
            node.Clear()
            node.name, node.op = name, "Identity"
            node.input.append(alive[0])
            node.attr["T"].type = kind


def _never_runs(node: Any, dead: set[str]) -> bool:
    gone = [_is_dead(name, dead) for name in node.input]
    return any(gone) if node.op not in MERGES else bool(gone) and all(gone)


def _is_dead(name: str, dead: set[str]) -> bool:
    tensor = name if ":" in name or name.startswith("^") else f"{name}:0"
    return tensor in dead or producer(name) in dead
