"""Random operators that go on with one stream, in the loop and out of it.

Each compiled loop has its own copy of every operator, so a stateful random operator in
it would start its stream anew.  TensorFlow's stateful and stateless generators are the
same Philox: a call of `RandomUniform`, `RandomStandardNormal` or `TruncatedNormal` for
n numbers uses up 256 n places of the stream, and the stateless operator can be told the
place to start from.  So a copied graph gets the stateless twin, and the place is kept
in a session variable that every copy shares.
"""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import counters
from npu_lab.device.subgraph import RANDOM, Subgraph

PHILOX = 1
PLACES_PER_NUMBER = 256  # what TensorFlow's CPU kernels reserve for one output
TWINS = {
    "RandomUniform": tf.raw_ops.StatelessRandomUniformV2,
    "RandomStandardNormal": tf.raw_ops.StatelessRandomNormalV2,
    "TruncatedNormal": tf.raw_ops.StatelessTruncatedNormalV2,
}


def counter_name(operation_name: str) -> str:
    """Name of the session variable that holds the place in the stream."""
    return f"npu_lab/random/{operation_name}"


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


def replace(graph_def: Any, names: tuple[str, ...]) -> dict[str, str]:
    """Put the twins in place of the nodes `names` of `graph_def`.

    Returns {name of the twin's advancing node: name of its session variable}.  The
    session variable is an input that the importer of `graph_def` must map, and the
    advancing node must be run with every pass.
    """
    advances: dict[str, str] = {}
    for node in [n for n in graph_def.node if n.name in names]:
        twin = _twin(node)
        graph_def.node.remove(node)
        graph_def.node.extend(twin)
        advances[f"{node.name}/npu_lab/advance"] = counter_name(node.name)
    return advances


def _twin(node: Any) -> list[Any]:
    """The nodes that stand in for `node`; the value keeps the name of `node`."""
    dtype = tf.as_dtype(node.attr["dtype"].type)
    seeds = [node.attr[seed].i % 2**64 for seed in ("seed", "seed2")]
    with tf.Graph().as_default() as graph:
        shape = tf.compat.v1.placeholder(tf.as_dtype(node.attr["T"].type), name="shape")
        resource = tf.compat.v1.placeholder(tf.resource, name="resource")
        place = counters.read(resource)
        value = TWINS[node.op](
            shape=shape,
            key=tf.constant([seeds[0]], tf.uint64),
            counter=tf.stack(
                [tf.cast(place, tf.uint64), tf.constant(seeds[1], tf.uint64)]
            ),
            alg=PHILOX,
            dtype=dtype,
        )
        used = tf.reduce_prod(tf.cast(shape, tf.int64)) * PLACES_PER_NUMBER
        with tf.control_dependencies([value]):
            advance = counters.add(resource, used)
    renamed = {value.op.name: node.name, advance.name: f"{node.name}/npu_lab/advance"}
    fed = {"shape": node.input[0], "resource": counter_name(node.name)}
    nodes = []
    for made in graph.as_graph_def().node:
        if made.name in fed:
            continue
        inputs = [_renamed(i, node.name, renamed, fed) for i in made.input]
        if made.name == value.op.name:
            inputs += [i for i in node.input if i.startswith("^")]
        made.name = renamed.get(made.name, f"{node.name}/npu_lab/{made.name}")
        del made.input[:]
        made.input.extend(inputs)
        nodes.append(made)
    return nodes


def _renamed(
    source: str, prefix: str, renamed: dict[str, str], fed: dict[str, str]
) -> str:
    name, mark = source.lstrip("^"), "^" if source.startswith("^") else ""
    base, _, port = name.partition(":")
    if base in fed:
        return fed[base]
    base = renamed.get(base, f"{prefix}/npu_lab/{base}")
    return f"{mark}{base}{':' + port if port else ''}"
