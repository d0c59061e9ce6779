"""The collectives of a call: which ranks meet in each, and the times of one pass."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.timeline import Meeting

NAMES = {
    "CollectiveReduceV2": "all-reduce",
    "CollectiveGatherV2": "all-gather",
    "CollectiveBcastSendV2": "broadcast",
    "CollectiveBcastRecvV2": "broadcast",
}


def of(subgraph: Any) -> tuple[Meeting, ...]:
    """The meetings of a pass, in the order of the operations `where` names."""
    return tuple(_meeting(o) for o in subgraph.of_type(*NAMES))


def where(subgraph: Any) -> list[str]:
    """The names of the collectives, not looking into functions."""
    return [str(o.name) for o in subgraph.of_type(*NAMES)]


def times(operation: Any) -> list[Any]:
    """When it began, all that it waits for on its own rank being there; when it ended.

    It does not begin before its begin has been noted.
    """
    inputs = [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]
    with tf.control_dependencies(inputs):
        arrived = tf.timestamp()
    operation._add_control_input(arrived.op)
    with tf.control_dependencies([operation]):
        return [arrived, tf.timestamp()]


def _meeting(operation: Any) -> Meeting:
    given = zip(operation.op_def.input_arg, operation.inputs, strict=False)
    keys = {argument.name: tf.get_static_value(tensor) for argument, tensor in given}
    numbers = (keys[key] for key in ("group_key", "instance_key", "group_size"))
    return Meeting(NAMES[operation.type], *(int(n or 0) for n in numbers))
