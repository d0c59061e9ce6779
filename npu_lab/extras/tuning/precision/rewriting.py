"""The operators of one host call in the types that a mode asks for.

Each such operator computes on float32 tensors whose values are of its type: its inputs
are rounded, it computes (and so accumulates) in float32, and its outputs are rounded.
Between two of them nothing is rounded again.  The name of the operator stays with the
result.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import randoms
from npu_lab.device.subgraph import Subgraph
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.tuning.precision import nodes, status
from npu_lab.extras.tuning.precision.editing import Editor, Rules
from npu_lab.extras.tuning.precision.policy import Policy
from npu_lab.extras.tuning.precision.table import MOVERS, OPERATORS, OTHERS

MOST_NAMED = 20  # operators in one diagnostic
KINDS = ("training", "read")  # initializers, loads and saves stay as they are
_OTHERS = re.compile(OTHERS)
_serials = itertools.count()


class Rewritten:
    """What is done to the operators of one host call, as the core asks for it.

    `watcher` dumps what operators compute; None: nothing.
    """

    def __init__(self, policy: Policy, subgraph: Subgraph, watcher: Any = None) -> None:
        self.policy, self.watcher = policy, watcher
        flags = status.NAME in subgraph.names
        self.variables: Mapping[str, Any] = {status.NAME: status.START} if flags else {}
        self.changes = subgraph.kind in KINDS and bool(
            policy.active
            or (policy.saturates and _has_half(subgraph))
            or flags
            or watcher
        )
        self.key: Hashable = next(_serials)
        self.diagnostics: Sequence[Diagnostic] = tuple(policy.notes)
        if policy.active and self.changes:
            self.diagnostics = (*self.diagnostics, *_kept(subgraph))

    def rewrite(self, graph_def: Any) -> None:
        """Change a definition in place, its functions too."""
        if not self.changes:
            return
        library = {one.signature.name: one for one in graph_def.library.function}
        rules = Rules(self.policy, bool(self.variables), self.watcher)
        definitions = nodes.Definitions(library)
        body = nodes.Body.of_graph(graph_def, definitions)
        serial = f"npu_lab_{next(_serials)}"
        made: dict[str, Any] = {}
        pending = _functions(body.nodes, library)
        while pending:
            name = pending.pop()
            if name in made:
                continue
            copy = type(library[name])()
            copy.CopyFrom(library[name])
            made[name] = copy
            pending += _functions(copy.node_def, library)
        new = {name: f"{name}_{serial}" for name in made}
        for name, copy in made.items():
            inner = nodes.Body.of_function(copy, definitions)
            Editor(inner, rules, f"{name}/").run()
            inner.write_function(copy)
            copy.signature.name = new[name]
            _call(copy.node_def, new)
        Editor(body, rules).run()
        _call(body.nodes, new)
        body.write_graph(graph_def)
        graph_def.MergeFrom(tf.compat.v1.GraphDef(library={"function": made.values()}))


def _functions(given: Any, library: Mapping[str, Any]) -> list[str]:
    """Names of the functions that nodes call, but those of the input pipeline."""
    called = [
        one.name
        for node in given
        if not randoms.HOST.fullmatch(node.op)
        for one in nodes.called(node)
    ]
    called += [node.op for node in given if node.op in library]
    return [name for name in called if name in library]


def _call(given: Any, new: Mapping[str, str]) -> None:
    """Let nodes call functions by their new names."""
    for node in given:
        if randoms.HOST.fullmatch(node.op):
            continue
        node.op = new.get(node.op, node.op)
        for one in nodes.called(node):
            one.name = new.get(one.name, one.name)


def _definitions(subgraph: Subgraph) -> Any:
    for operation in subgraph.operations:
        yield operation.node_def
    for body in subgraph.function_bodies.values():
        yield from body.node_def


def _types(node: Any) -> set[Any]:
    return {a.type for a in node.attr.values() if a.HasField("type")}


def _has_half(subgraph: Subgraph) -> bool:
    half = tf.float16.as_datatype_enum
    return any(half in _types(node) for node in _definitions(subgraph))


def _kept(subgraph: Subgraph) -> list[Diagnostic]:
    """What says which operators compute in float32, because the table lacks them."""
    definitions = nodes.Definitions({})
    kinds = {
        node.op
        for node in _definitions(subgraph)
        if node.op not in OPERATORS
        and node.op not in MOVERS
        and not _OTHERS.fullmatch(node.op)
        and tf.float32 in definitions.outputs(node)
    }
    if not kinds:
        return []
    return [diagnose("SINK061", operators=sorted(kinds)[:MOST_NAMED])]
