"""Puts the reads of a variable before its writes, where a graph orders them not at all.

A plain run happens to read first nearly always; in the body of a loop the two race, and
numbers change from run to run.  BERT's script is such a graph: its learning rate reads
the step beside the assignment that advances it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from npu_lab.device.subgraph import ASSIGNMENTS, SCATTERS, UPDATES

WRITES = re.compile(
    "|".join((UPDATES.pattern + r"\w*", SCATTERS.pattern, *sorted(ASSIGNMENTS)))
    + r"|ResourceStridedSliceAssign|Stateful\w+|RngSkip|RngReadAndSkip"
)


def order(
    graph_def: Any, variables: Collection[str], bodies: Mapping[str, Any]
) -> None:
    """Let each write in `graph_def` wait for the reads of its variable.

    Left out is a read that comes after a write of whatever variable, so no circle can
    arise, and one that the write waits for already.

    Args:
        graph_def: changed in place.
        variables: names of the operations that are the variables' handles.
        bodies: definitions of the functions that nodes call, by name.
    """
    readers: dict[str, list[str]] = {}
    writers: dict[str, list[Any]] = {}
    for node in graph_def.node:
        writes = _writes(node, bodies)
        for name in {_source(one) for one in node.input}.intersection(variables):
            if writes:
                writers.setdefault(name, []).append(node)
            else:
                readers.setdefault(name, []).append(node.name)
    both = readers.keys() & writers.keys()
    late = _behind(graph_def, {n.name: 1 for v in writers.values() for n in v})
    early = sorted({n for v in both for n in readers[v] if not late.get(n)})
    bits = {name: 1 << number for number, name in enumerate(early)}
    seen = defaultdict(int, _behind(graph_def, bits))
    for variable in both:
        for writer in writers[variable]:
            waits_for = seen[writer.name]
            writer.input.extend(
                f"^{reader}"
                for reader in readers[variable]
                if bits.get(reader, 0) & ~waits_for
            )


def _behind(graph_def: Any, marks: Mapping[str, int]) -> dict[str, int]:
    """For each node the marks of all that is upstream of it, and its own."""
    if not marks:
        return {}
    found = dict(marks)
    changed = True
    while changed:  # once more where a node stands before what it waits for
        changed = False
        for node in graph_def.node:
            mark = found.get(node.name, 0)
            for one in node.input:
                mark |= found.get(_source(one), 0)
            if mark != found.get(node.name, 0):
                found[node.name] = mark
                changed = True
    return found


def _source(given: str) -> str:
    """The name of the node behind an input."""
    return given.removeprefix("^").partition(":")[0]


def _writes(node: Any, bodies: Mapping[str, Any]) -> bool:
    """Whether the node may change a variable, itself or in a function it calls."""
    if WRITES.fullmatch(node.op):
        return True
    called = [a.func.name for a in node.attr.values() if a.HasField("func")]
    called += [f.name for a in node.attr.values() for f in a.list.func]
    return any(
        _writes(inner, bodies)
        for name in called
        if name in bodies
        for inner in bodies[name].node_def
    )
