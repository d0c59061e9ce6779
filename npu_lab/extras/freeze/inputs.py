"""Where data comes in: placeholders, and iterators in whose place placeholders go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import add_placeholder, data_inputs, producer
from npu_lab.extras.freeze.graph_defs import cut as cut_graph

DATA = re.compile(r"IteratorGetNext\w*|QueueDequeue\w*|ReaderRead\w*")
NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


def replace_iterators(
    graph: Any, graph_def: Any, outputs: Sequence[Any], chosen: Sequence[str]
) -> Mapping[str, str]:
    """Put placeholders, called `chosen`, for what iterators and queues give.

    `graph_def` is changed in place, and pruned.

    Returns:
        The tensor of `graph` that each new placeholder stands for, by its name.

    Raises:
        FreezeError: there are iterators and no names, or not as many.
    """
    inside = [
        node.name
        for function in graph_def.library.function
        for node in function.node_def
        if DATA.fullmatch(node.op)
    ]
    if inside:
        raise FreezeError("inner iterator", name=inside[0])
    given = components(graph, graph_def, outputs)
    if len(given) != len(chosen):
        shown = ", ".join(f"{t.name} ({t.dtype.name} {t.shape})" for t in given)
        if not given:
            raise FreezeError("no iterator", names=", ".join(chosen))
        key = "wrong names" if chosen else "iterator"
        example = ",".join(_example(len(given)))
        raise FreezeError(key, count=len(given), there=shown, example=example)
    taken = {node.name for node in graph_def.node}
    for name in chosen:
        if not NAME.fullmatch(name) or name in taken or list(chosen).count(name) > 1:
            raise FreezeError("bad name", name=name)
    for name, tensor in zip(chosen, given, strict=True):
        add_placeholder(graph_def, name, tensor)
    graph_def.CopyFrom(cut_graph(graph_def, [one.name for one in outputs]))
    return {name: tensor.name for name, tensor in zip(chosen, given, strict=True)}


def _example(count: int) -> list[str]:
    return ["input"] if count == 1 else [f"input_{n}" for n in range(count)]


def components(graph: Any, graph_def: Any, outputs: Sequence[Any]) -> list[Any]:
    """The tensors of iterators and queues that are used, as `graph` has them."""
    sources = {node.name for node in graph_def.node if DATA.fullmatch(node.op)}
    asked = [one.name for one in outputs]
    asked += [name for node in graph_def.node for name in data_inputs(node)]
    used = {name for name in asked if producer(name) in sources}
    numbers: dict[str, set[int]] = {}
    for name in used:
        number = int(name.partition(":")[2] or 0)
        numbers.setdefault(producer(name), set()).add(number)
    return [
        graph.get_operation_by_name(name).outputs[number]
        for name in sorted(numbers)
        for number in sorted(numbers[name])
    ]
