"""Random operators that go on with one stream, in the loop and out of it.

Each compiled loop has its own copy of every operator, so a stateful random operator in
it would start its stream anew.  TensorFlow's stateful and stateless generators are the
same Philox, and the stateless one can be told the place to start from.  So a copied
graph gets the stateless twin of `RandomUniform`, `RandomStandardNormal` or
`TruncatedNormal`; the place is kept in a session variable that every copy shares, and
is moved on by the operator that serves `tf.random.Generator`, in one step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.device import splice
from npu_lab.device.subgraph import RANDOM, Subgraph

PHILOX = 1
TWINS = {
    "RandomUniform": tf.raw_ops.StatelessRandomUniformV2,
    "RandomStandardNormal": tf.raw_ops.StatelessRandomNormalV2,
    "TruncatedNormal": tf.raw_ops.StatelessTruncatedNormalV2,
}


def continued(subgraph: Subgraph) -> tuple[str, ...]:
    """Names of the seeded random operations that get a twin."""
    return tuple(
        o.name
        for o in subgraph.operations
        if o.type in TWINS and (o.get_attr("seed"), o.get_attr("seed2")) != (0, 0)
    )


def not_continued(subgraph: Subgraph) -> tuple[str, ...]:
    """Random operations whose seeded stream restarts in each compiled loop.

    Operations without any seed are left out: they promise no stream to continue.
    """
    twins = set(continued(subgraph))
    unseeded = {
        o.name for o in subgraph.operations if o.type in TWINS and o.name not in twins
    }
    return tuple(
        f"{name} ({kind})"
        for name, kind in subgraph.types()
        if RANDOM.fullmatch(kind) and name not in twins | unseeded
    )


def replace(graph_def: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Put the twins in place of the nodes `names` of `graph_def`.

    Returns the session variables that hold their places, with the initial values.  They
    are inputs that the importer of `graph_def` must map.
    """
    variables = {}
    for node in [n for n in graph_def.node if n.name in names]:
        seeds = [node.attr[seed].i for seed in ("seed2", "seed")]
        variables[_variable(node)] = np.array([0, *seeds], np.int64)
        twin = _twin(node)
        graph_def.node.remove(node)
        graph_def.node.extend(twin)
    return variables


def _variable(node: Any) -> str:
    return f"npu_lab/random/{node.name}"


def _twin(node: Any) -> list[Any]:
    """The nodes that stand in for `node`; the value keeps the name of `node`."""
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
        value = TWINS[node.op](
            shape=shape,
            key=place[2:],
            counter=place[:2],
            alg=PHILOX,
            dtype=tf.as_dtype(node.attr["dtype"].type),
        )
    fed = {"shape": node.input[0], "resource": _variable(node)}
    return splice.in_place_of(node, graph, value.op, fed)
