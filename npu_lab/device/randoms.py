"""Random operators that go on with one stream, in the loop and out of it.

Each compiled loop has its own copy of every operator, so a stateful random operator in
it would start its stream anew.  TensorFlow's stateful and stateless generators are the
same Philox, and the stateless one can be told the place to start from.  So a copied
graph gets the stateless twin of `RandomUniform`, `RandomStandardNormal` or
`TruncatedNormal`; the place is kept in a session variable that every copy shares, and
is moved on by the operator that serves `tf.random.Generator`, in one step.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from tensorflow.python.framework import op_def_registry

from npu_lab._tensorflow import tf
from npu_lab.device import splice
from npu_lab.device.subgraph import RANDOM, Subgraph

PHILOX = 1
HOST = re.compile(r"\w*Dataset\w*")  # what they call stays in the input pipeline
TWINS = {
    "RandomUniform": tf.raw_ops.StatelessRandomUniformV2,
    "RandomStandardNormal": tf.raw_ops.StatelessRandomNormalV2,
    "TruncatedNormal": tf.raw_ops.StatelessTruncatedNormalV2,
    "RandomUniformInt": tf.raw_ops.StatelessRandomUniformIntV2,
}


def continued(subgraph: Subgraph) -> tuple[str, ...]:
    """Places of the seeded random operations that get a twin, in functions too."""
    bodies = subgraph.function_bodies
    nodes = (o.node_def for o in subgraph.operations)
    return tuple(place for place, _ in _seeded(nodes, bodies, ""))


def _seeded(nodes: Any, bodies: Any, above: str) -> Iterator[tuple[str, Any]]:
    """(place, node) of each seeded operation that has a twin; `above` leads to it."""
    for node in nodes:
        if _has_twin(node):
            yield f"{above}{node.name}", node
        for role, function in _functions(node):
            if function.name in bodies and not HOST.fullmatch(node.op):
                inner = bodies[function.name].node_def
                yield from _seeded(inner, bodies, f"{above}{node.name}/{role}/")


def _has_twin(node: Any) -> bool:
    return node.op in TWINS and (node.attr["seed"].i, node.attr["seed2"].i) != (0, 0)


def _functions(node: Any) -> Iterator[tuple[str, Any]]:
    """(role, reference) of each function that `node` calls."""
    for key in sorted(node.attr):
        value = node.attr[key]
        if value.HasField("func"):
            yield key, value.func
        for i, function in enumerate(value.list.func):
            yield f"{key}_{i}", function


def not_continued(subgraph: Subgraph) -> tuple[str, ...]:
    """Random operations whose seeded stream restarts in each compiled loop.

    Operations without any seed are left out: they promise no stream to continue.
    """
    nodes = [("", o.node_def) for o in subgraph.operations]
    for name, body in subgraph.function_bodies.items():
        nodes += [(f"{name}/", node) for node in body.node_def]
    return tuple(
        f"{above}{node.name} ({node.op})"
        for above, node in nodes
        if RANDOM.fullmatch(node.op)
        and node.op not in TWINS
        and (node.attr["seed"].i, node.attr["seed2"].i) != (0, 0)
    )


def replace(graph_def: Any, bodies: Mapping[str, Any]) -> dict[str, Any]:
    """Put the twins in place of the seeded nodes of `graph_def`, in functions too.

    `bodies` are the functions that its nodes call, by name.  Returns the session
    variables that hold the places, with the initial values.  Those of nodes outside of
    functions are inputs that the importer must map.
    """
    variables: dict[str, Any] = {}
    copies: list[Any] = []
    for node in list(graph_def.node):
        if _has_twin(node):
            variables[_variable(node.name)] = _start(node)
            graph_def.node.extend(_twin(node, _variable(node.name)))
            graph_def.node.remove(node)
        else:
            variables |= _replace_called(node, node.name, bodies, copies)
    graph_def.MergeFrom(tf.compat.v1.GraphDef(library={"function": copies}))
    return variables


def _replace_called(
    node: Any, place: str, bodies: Mapping[str, Any], copies: list[Any]
) -> dict[str, Any]:
    """Let `node` call copies of its functions, with the twins, where there are any."""
    variables: dict[str, Any] = {}
    for role, function in _functions(node):
        above = f"{place}/{role}"
        body = bodies.get(function.name)
        if body is None or not any(_seeded(body.node_def, bodies, "")):
            continue
        copy = type(body)()
        copy.CopyFrom(body)
        copies.append(copy)
        # The streams belong to this call of the function, and so does the copy.
        copy.signature.name = f"{function.name}_{zlib.crc32(above.encode()):08x}"
        function.name = copy.signature.name
        for inner in list(copy.node_def):
            here = f"{above}/{inner.name}"
            if _has_twin(inner):
                variables[_variable(here)] = _start(inner)
                copy.node_def.extend(_in_function(_twin(inner, _variable(here)), inner))
                copy.node_def.remove(inner)
            else:
                variables |= _replace_called(inner, here, bodies, copies)
    return variables


def _start(node: Any) -> Any:
    return np.array([0, *(node.attr[seed].i for seed in ("seed2", "seed"))], np.int64)


def _in_function(nodes: list[Any], node: Any) -> list[Any]:
    """`nodes` as the body of a function writes them, with the variable's handle."""
    made = {n.name: n.op for n in nodes}
    variable = next(i for n in nodes for i in n.input if i.startswith(PREFIX))
    handle = tf.compat.v1.NodeDef(name=f"{node.name}/npu_lab/place", op="VarHandleOp")
    handle.attr["dtype"].type = tf.int64.as_datatype_enum
    handle.attr["shape"].shape.CopyFrom(tf.TensorShape([3]).as_proto())
    handle.attr["shared_name"].s = variable.encode()
    handle.attr["container"].s = b""
    for n in nodes:
        for i, source in enumerate(n.input):
            base, _, port = source.partition(":")
            if source == variable:
                n.input[i] = f"{handle.name}:resource:0"
            elif base in made:
                output = op_def_registry.get(made[base]).output_arg[int(port or 0)].name
                n.input[i] = f"{base}:{output}:0"
    return [handle, *nodes]


PREFIX = "npu_lab/random/"


def _variable(place: str) -> str:
    return f"{PREFIX}{place}"


def _twin(node: Any, variable: str) -> list[Any]:
    """The nodes that stand in for `node`; the value keeps the name of `node`."""
    limits = {"minval": 1, "maxval": 2} if node.op == "RandomUniformInt" else {}
    dtype = tf.as_dtype(node.attr["Tout" if limits else "dtype"].type)
    with tf.Graph().as_default() as graph:
        shape = tf.compat.v1.placeholder(tf.as_dtype(node.attr["T"].type), name="shape")
        resource = tf.compat.v1.placeholder(tf.resource, name="resource")
        count = tf.reduce_prod(tf.cast(shape, tf.int64))
        place = tf.bitcast(
            tf.raw_ops.RngReadAndSkip(
                resource=resource, alg=PHILOX, delta=tf.cast(count, tf.uint64)
            ),
            tf.uint64,
        )
        how = {n: tf.compat.v1.placeholder(dtype, name=n) for n in limits}
        value = TWINS[node.op](
            shape=shape,
            key=place[2:],
            counter=place[:2],
            alg=PHILOX,
            **(how or {"dtype": dtype}),
        )
    fed = {"shape": node.input[0], "resource": variable}
    fed |= {name: node.input[i] for name, i in limits.items()}
    return splice.in_place_of(node, graph, value.op, fed)
