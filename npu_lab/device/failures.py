"""What is said of a failed host call where TensorFlow's own words are not enough."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.device import data_queue
from npu_lab.device.programs import Program
from npu_lab.diagnostics import Diagnostic, diagnose


def explained(
    error: Any, program: Program, done: int, iterations: int
) -> tuple[Diagnostic, Any] | None:
    """What happened, and the error to raise instead; None where `error` is clear.

    `done` is the number of iterations that the call did before, and keeps; it was to do
    `iterations`.
    """
    if isinstance(error, tf.errors.InvalidArgumentError):
        late = data_queue.too_late(error.message)
        if late is None:
            return None
        diagnostic = diagnose(
            "SINK041",
            get_next=late.get_next,
            timeout=late.seconds,
            enqueued=late.enqueued,
            done=done,
        )
        return diagnostic, _instead(tf.errors.InternalError, error, diagnostic)
    if isinstance(error, tf.errors.OutOfRangeError) and program.sunk:
        diagnostic = diagnose(
            "SINK030",
            get_next=", ".join(program.facts.get_next),
            done=done,
            iterations=iterations,
        )
        return diagnostic, _instead(tf.errors.OutOfRangeError, error, diagnostic)
    return None


def _instead(kind: Any, error: Any, diagnostic: Diagnostic) -> Any:
    text = f"{diagnostic.text()}\n{error.message}"
    raised = kind(error.node_def, error.op, text)
    raised.diagnostic = diagnostic
    return raised
