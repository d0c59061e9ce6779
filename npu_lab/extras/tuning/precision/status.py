"""The float status: a flag of the device that is set when an operator overflows.

It is one session variable, outside of all collections: no initializer and no saver of
the user's meets it, and the device starts it at 0.  Only graphs that have one of these
operations look for overflows; each operator then sets the flag before anything can use
its output, so a `get` that waits for the gradients has seen all operators behind them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npu_lab._tensorflow import tf
from npu_lab.device import counters

NAME = "npu_lab/float_status"
START = np.int32(0)
WIDTH = 8  # numbers in the vendor's status; here the first is 1 after an overflow


def get(name: str | None = None) -> Any:
    """The status, 8 int32 that are all 0 as long as nothing overflowed.

    Place it under control dependencies on what it is to judge, such as the gradients.
    """
    with tf.name_scope(name or "NPUGetFloatStatusV2"):
        count = tf.raw_ops.ReadVariableOp(resource=_handle(), dtype=tf.int32)
        place = tf.where(count > 0, 0, -1)  # of -1 there is no 1
        return tf.one_hot(place, WIDTH, dtype=tf.int32)


def clear(name: str | None = None) -> Any:
    """An operation that sets the status to 0; place it after the `get`."""
    with tf.name_scope(name or "NPUClearFloatStatusV2"):
        return tf.raw_ops.AssignVariableOp(resource=_handle(), value=START)


def npu_get_float_status_v2(name: str | None = None) -> Any:
    """The vendor's name of `get`."""
    return get(name)


def npu_clear_float_status_v2(name: str | None = None) -> Any:
    """The vendor's name of `clear`."""
    return clear(name)


def npu_alloc_float_status(name: str | None = None) -> Any:
    """8 float32 zeros: what the first version of `get` and `clear` takes."""
    return tf.zeros([WIDTH], tf.float32, name=name or "NPUAllocFloatStatus")


def npu_get_float_status(float_status: Any, name: str | None = None) -> Any:
    """The status as 8 float32, after `float_status`.

    The vendor's operator also writes into `float_status`; here use what is returned.
    """
    with tf.control_dependencies([float_status]):
        return tf.cast(get(name), tf.float32)


def npu_clear_float_status(float_status: Any, name: str | None = None) -> Any:
    """Set the status to 0 after `float_status`; return 8 float32 zeros."""
    with tf.control_dependencies([float_status]):
        cleared = clear(name)
    with tf.control_dependencies([cleared]):
        return tf.zeros([WIDTH], tf.float32)


def _handle() -> Any:
    graph = tf.compat.v1.get_default_graph()
    while getattr(graph, "outer_graph", None) is not None:
        graph = graph.outer_graph  # a session's variable belongs to no function
    return counters.handle(graph, NAME, START)
