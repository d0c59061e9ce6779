"""Puts other operations in the place of one node of a graph's definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def in_place_of(node: Any, graph: Any, value: Any, fed: Mapping[str, str]) -> list[Any]:
    """The nodes of `graph`, made to stand in for `node`.

    The operation `value` takes the name of `node`, and what it waited for; the others
    are named below it.  `fed` maps the placeholders of `graph` to what `node`, or the
    definition around it, has in their place.
    """
    nodes = []
    for made in graph.as_graph_def().node:
        if made.name in fed:
            continue
        inputs = [_renamed(i, node.name, fed) for i in made.input]
        if made.name == value.name:
            inputs += [i for i in node.input if i.startswith("^")]
            made.name = node.name
        else:
            made.name = f"{node.name}/npu_lab/{made.name}"
        del made.input[:]
        made.input.extend(inputs)
        nodes.append(made)
    return nodes


def _renamed(source: str, prefix: str, fed: Mapping[str, str]) -> str:
    waits = "^" if source.startswith("^") else ""
    base, colon, port = source.lstrip("^").partition(":")
    if base in fed:
        return fed[base]
    return f"{waits}{prefix}/npu_lab/{base}{colon}{port}"
