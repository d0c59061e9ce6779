"""`npu_hook`: hooks of sessions that are made by MonitoredSession or an Estimator.

Importing it lets meta graphs keep the collections of the loop variables.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.training import session_run_hook

from npu_lab.bridge import loop_variables
from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)

for _name in loop_variables.NAMES:
    loop_variables.register_func(_name)


class SetIterationsVarHook(session_run_hook.SessionRunHook):  # type: ignore[misc]
    """Creates the loop variables, and loads them once the session is there.

    The training operation must be called `IterationOp`, by
    `tf.group(train_op, name="IterationOp")`.

    Args:
        iterations_per_loop: training steps per `Session.run`.  None is a TypeError once
            the session has been made, as in the adapter.
    """

    def __init__(self, iterations_per_loop: int | None = None) -> None:
        self._iterations_per_loop = iterations_per_loop
        self._variables: list[Any] = []

    def begin(self) -> None:
        """Create the variables, while the graph can still be changed."""
        self._variables = loop_variables.create_all()

    def after_create_session(self, session: Any, coord: Any) -> None:  # noqa: ARG002
        """Load them, and print the count as the adapter does."""
        count = loop_variables.checked_iterations(self._iterations_per_loop)
        loop_variables.load(self._variables, session, count)
        print("load iterations_per_loop value -----------")  # noqa: T201
        print(count - 1)  # noqa: T201
