"""Tells what operators compute in, without running them."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device.options import SessionOptions
from npu_lab.device.subgraph import Subgraph
from npu_lab.extras.tuning.precision import nodes
from npu_lab.extras.tuning.precision.editing import Editor, Rules
from npu_lab.extras.tuning.precision.policy import Policy


def types(session: Any, fetches: Any) -> dict[str, str]:
    """The type that each operator behind `fetches` computes in: name to "float16".

    Those of the table of operators are in it, from float32 graphs; all others compute
    in the type that they are written with.  Operators inside functions are left out.

    Args:
        session: one with NpuOptimizer; its options decide.
        fetches: operations or tensors of its graph.

    Raises:
        ValueError: the session has no NpuOptimizer.
    """
    options = SessionOptions.from_config(session._config)
    if options is None:
        message = "The session has no NpuOptimizer: no precision mode is in it."
        raise ValueError(message)
    graph = session.graph
    wanted = [graph.as_graph_element(one) for one in tf.nest.flatten(fetches)]
    subgraph = Subgraph.of(graph, wanted, [])
    graph_def = tf.compat.v1.GraphDef()
    graph_def.node.extend(o.node_def for o in subgraph.operations)
    body = nodes.Body.of_graph(graph_def, nodes.Definitions({}))
    editor = Editor(body, Rules(Policy.of(options), flags=False))
    editor.run()
    return editor.chosen
