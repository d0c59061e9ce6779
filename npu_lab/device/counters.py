"""Session variables of the emulated device: counted in the graph, never computed.

They are bare resources under names of their own, in no collection, so that no
initializer, saver or listing of the user's ever meets them.  Each session starts them
from zero (`initializer`).
"""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf

ITERATIONS = "npu_lab/iterations"
BATCHES = "npu_lab/batches"
HOST_BATCHES = "npu_lab/host_batches"
STOP = "npu_lab/stop"
TOTALS = (ITERATIONS, BATCHES, HOST_BATCHES)


def handle(graph: Any, name: str, dtype: Any = None) -> Any:
    """The resource called `name` in `graph`, made on first use (int64 by default)."""
    try:
        return graph.get_tensor_by_name(f"{name}:0")
    except KeyError:
        # Free of the caller's dependencies, or to start a counter would run them.
        with (
            graph.as_default(),
            graph.control_dependencies(None),
            graph.name_scope(None),
        ):
            return tf.raw_ops.VarHandleOp(
                dtype=dtype or tf.int64, shape=[], shared_name=name, name=name
            )


def read(resource: Any, dtype: Any = None) -> Any:
    """The value now, as a scalar tensor."""
    return tf.raw_ops.ReadVariableOp(resource=resource, dtype=dtype or tf.int64)


def add(resource: Any, amount: Any = 1) -> Any:
    """An operation that adds `amount`; place it under the wanted dependencies."""
    return tf.raw_ops.AssignAddVariableOp(
        resource=resource, value=tf.cast(amount, tf.int64)
    )


def assign(resource: Any, value: Any) -> Any:
    """An operation that sets the variable to `value`."""
    return tf.raw_ops.AssignVariableOp(resource=resource, value=value)


def initializer(graph: Any, name: str, dtype: Any = None) -> Any:
    """The operation that zeroes `name`, made once a graph."""
    made = f"{name}/initializer"
    try:
        return graph.get_operation_by_name(made)
    except KeyError:
        resource = handle(graph, name, dtype)
        return tf.raw_ops.AssignVariableOp(
            resource=resource, value=tf.zeros([], dtype or tf.int64), name=made
        )
