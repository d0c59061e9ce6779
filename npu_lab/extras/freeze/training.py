"""Finds what belongs to training in a graph that is to be frozen, and how to end it.

A dropout is known by its mask, a random number compared with a limit; batch statistics
by the flag of the fused operator or by the moments over the batch; an update by its
operator.  What an inference graph has in its place is in the guide on freezing:
``is_training=False``, keep_prob 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze.graph_defs import (
    PLACEHOLDERS,
    Nodes,
    cut,
    data_inputs,
    producer,
    set_constant,
    value,
)
from npu_lab.extras.freeze.settling import settle

DROPOUT, BATCH_NORM, UPDATE = "dropout", "batch norm", "update"
UNIFORM = frozenset(
    {"RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"}
)
RANDOM = re.compile(
    r"(Stateless|Parameterized)?(Random(Uniform|StandardNormal|Gamma|Poisson|Binomial)"
    r"|TruncatedNormal|Multinomial)\w*"
)
ARITHMETIC = frozenset({"Identity", "Mul", "Add", "AddV2", "Sub", "Reshape"})
COMPARISONS = frozenset({"GreaterEqual", "Greater", "Less", "LessEqual"})
ADDITIONS = frozenset({"Add", "AddV2"})
FUSED = re.compile(r"FusedBatchNorm(V\d)?")
UPDATES = re.compile(
    r"Assign\w*|(Resource)?(Sparse)?Apply\w+|(Resource)?Scatter(Nd)?"
    r"(Add|Sub|Mul|Div|Min|Max|Update)|ResourceStridedSliceAssign"
)
PASSED = ("Identity", "StopGradient", "Cast")


class Finding(NamedTuple):
    """Something of the training, and the operator that shows it."""

    kind: str
    name: str


class Mask(NamedTuple):
    """What decides where a dropout drops; `limit` is 0 or `keep` is 1 if nowhere."""

    node: Any
    limit: str = ""
    keep: str = ""


def findings(graph_def: Any, outputs: Sequence[str]) -> list[Finding]:
    """All of the training in the graph behind `outputs`, also in its functions."""
    needed = cut(graph_def, outputs)
    found = list(_in(Nodes(needed.node)))
    for function in needed.library.function:
        name = function.signature.name
        inside = _in(Nodes(function.node_def))
        found += [Finding(one.kind, f"{name}/{one.name}") for one in inside]
    return found


def _in(nodes: Nodes) -> Iterator[Finding]:
    users = nodes.users()
    for node in nodes:
        if node.op in UNIFORM:
            for mask in _masks(users, node):
                yield Finding(DROPOUT, mask.node.name)
        elif FUSED.fullmatch(node.op):
            # The default is left out of exported graphs; layer norm scales by ones
            training = "is_training" not in node.attr or node.attr["is_training"].b
            if training and nodes.past(node.input[1]).op != "Fill":
                yield Finding(BATCH_NORM, node.name)
        elif node.op == "SquaredDifference" and _of_the_batch(nodes, node):
            yield Finding(BATCH_NORM, node.name)
        elif UPDATES.fullmatch(node.op):
            yield Finding(UPDATE, node.name)


def _of_the_batch(nodes: Nodes, difference: Any) -> bool:
    """Whether it is of a tensor and its mean over the batch."""
    data, mean = difference.input
    if producer(mean) not in nodes.by_name:
        return False
    node = nodes.past(mean, PASSED)
    if node.op != "Mean" or node.input[0] != data:
        return False
    axes = nodes.by_name.get(producer(node.input[1]))
    if axes is None or axes.op != "Const":
        return False
    return 0 in np.atleast_1d(tf.make_ndarray(axes.attr["value"].tensor))


def _masks(users: Mapping[str, list[Any]], random: Any) -> Iterator[Mask]:
    waiting, seen = [random], {random.name}
    while waiting:
        before = waiting.pop()
        for node in users[before.name]:
            others = [n for n in data_inputs(node) if producer(n) != before.name]
            if node.op in COMPARISONS and others:
                atmost = node.op == "GreaterEqual" and node.input[1] == others[0]
                yield Mask(node, limit=others[0] if atmost else "")
            elif node.op == "Floor":
                adds = before.op in ADDITIONS
                keep = [n for n in before.input if producer(n) not in seen]
                yield Mask(node, keep=keep[0] if adds and keep else "")
            elif node.op in ARITHMETIC and node.name not in seen:
                seen.add(node.name)
                waiting.append(node)


def settled(
    graph_def: Any, outputs: Sequence[str], constants: Mapping[str, Any]
) -> Any:
    """A copy with placeholders set, known conditions settled, idle dropouts gone."""
    made = type(graph_def).FromString(graph_def.SerializeToString())
    for name, constant in constants.items():
        set_constant(made, name, constant)
    made = settle(made, outputs)
    nodes = Nodes(made.node)
    users = nodes.users()
    for random in [node for node in nodes if node.op in UNIFORM]:
        for mask in _masks(users, random):
            if _idle(made, mask):
                _drop(users, mask.node)
    return cut(made, outputs)


def _idle(graph_def: Any, mask: Mask) -> bool:
    for name, nothing in ((mask.limit, 0), (mask.keep, 1)):
        known = value(graph_def, name) if name else None
        if known is not None and np.all(known == nothing):
            return True
    return False


def _drop(users: Mapping[str, list[Any]], mask: Any) -> None:
    """Let through all that `mask`, which is true everywhere, is asked about."""
    waiting = [mask]
    while waiting:
        asked = waiting.pop()
        for user in users[asked.name]:
            names = data_inputs(user)
            if user.op in {"Cast", "Identity"}:
                waiting.append(user)
            elif user.op in {"Select", "SelectV2"} and producer(names[0]) == asked.name:
                _let_through(user, names[1])
            elif user.op == "Mul":
                kept = [name for name in names if producer(name) != asked.name]
                if kept:
                    _let_through(user, kept[0])


def _let_through(node: Any, data: str) -> None:
    kind = node.attr["T"].type
    name = node.name
    node.Clear()
    node.name, node.op = name, "Identity"
    node.input.append(data)
    node.attr["T"].type = kind


def random_operators(graph_def: Any, outputs: Sequence[str]) -> list[str]:
    """The operators behind `outputs` that draw random numbers."""
    needed = cut(graph_def, outputs)
    return [node.name for node in needed.node if RANDOM.fullmatch(node.op)]


def random_functions(graph_def: Any, outputs: Sequence[str]) -> list[str]:
    """Those inside of functions, where nothing can be fed."""
    return [
        f"{function.signature.name}/{node.name}"
        for function in cut(graph_def, outputs).library.function
        for node in function.node_def
        if RANDOM.fullmatch(node.op)
    ]


def ending(
    graph_def: Any, outputs: Sequence[str]
) -> tuple[dict[str, Any], list[Finding]]:
    """The placeholders, and their values, that turn training off; what stays of it."""
    left = findings(graph_def, outputs)
    chosen: dict[str, Any] = {}
    for node in cut(graph_def, outputs).node:
        if node.op in PLACEHOLDERS and _scalar(node):
            for tried in _switches(node):
                settings = {**chosen, node.name: tried}
                found = findings(settled(graph_def, outputs, settings), outputs)
                if len(found) < len(left):
                    left, chosen[node.name] = found, tried
    return chosen, left


def _switches(placeholder: Any) -> tuple[Any, ...]:
    kind = tf.as_dtype(placeholder.attr["dtype"].type)
    if kind.is_bool:
        return False, True
    if kind.is_floating:
        return 1.0, 0.0
    return (0, 1) if kind.is_integer else ()


def _scalar(placeholder: Any) -> bool:
    shape = placeholder.attr["shape"].shape
    return shape.unknown_rank or not shape.dim
