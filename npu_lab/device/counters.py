"""Session variables of the emulated device: counted in the graph, never computed.

They are bare resources under names of their own, in no collection, so that no
initializer, saver or listing of the user's ever meets them.  Each session starts them
from their initial values (`initializer`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npu_lab._tensorflow import tf

ITERATIONS = "npu_lab/iterations"
BATCHES = "npu_lab/batches"
HOST_BATCHES = "npu_lab/host_batches"
STOP = "npu_lab/stop"
TOTALS = (ITERATIONS, BATCHES, HOST_BATCHES)

OF_A_LOOP = (ITERATIONS, BATCHES, STOP)

ZERO = np.int64(0)
NEVER = np.iinfo(np.int64).min


def handle(graph: Any, name: str, initial: Any = ZERO) -> Any:
    """The resource called `name` in `graph`, made on first use, like `initial`."""
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
                dtype=tf.as_dtype(initial.dtype),
                shape=np.shape(initial),
                shared_name=name,
                name=name,
            )


def initializer(graph: Any, name: str, initial: Any) -> Any:
    """An operation that sets `name` to `initial`."""
    return assign(handle(graph, name, initial), initial)


def read(resource: Any) -> Any:
    """The value now, an int64."""
    return tf.raw_ops.ReadVariableOp(resource=resource, dtype=tf.int64)


def add_one(resource: Any) -> Any:
    """An operation that counts; place it under the wanted dependencies."""
    return tf.raw_ops.AssignAddVariableOp(resource=resource, value=ZERO + 1)


def assign(resource: Any, value: Any) -> Any:
    """An operation that sets the variable to `value`."""
    return tf.raw_ops.AssignVariableOp(resource=resource, value=value)
