"""What is said where a collective failed: which rank, in which step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.distributed import alarm, collectives, ranks
from npu_lab.extras.distributed._texts import text

KINDS = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
)


def explain(error: Any, steps: int, operations: Sequence[Any]) -> BaseException:
    """The error to raise for `error`, which came after so many steps.

    `operations` are those that were run; in the loop, copies of them.
    """
    found = [o for o in operations if o.type in collectives.KINDS]
    alarmed = alarm.FAILED in error.message
    late = found and isinstance(error, KINDS) and "ollective" in error.message
    if not (alarmed or late):
        return error
    known = ranks.current()
    message = text(
        "peer",
        rank=known.rank,
        size=known.size,
        step=steps + 1,
        names=", ".join(o.name for o in found),
        seconds=alarm.limit_of(operations[0].graph),
    )
    if alarmed:
        return tf.errors.DeadlineExceededError(error.node_def, error.op, message)
    # A MonitoredSession begins anew after these two, and would wait for who has ended.
    lost = isinstance(error, (tf.errors.AbortedError, tf.errors.UnavailableError))
    kind = tf.errors.InternalError if lost else type(error)
    return kind(error.node_def, error.op, f"{message}\n{error.message}")
