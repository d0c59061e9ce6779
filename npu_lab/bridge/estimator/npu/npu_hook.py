"""`npu_hook`: hooks of sessions that are made by MonitoredSession or an Estimator.

Importing it lets meta graphs keep the collections of the loop variables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python.ops import summary_ops_v2
from tensorflow.python.training import basic_session_run_hooks, session_run_hook

from npu_lab._tensorflow import tf
from npu_lab.bridge import channels, job, loop_variables
from npu_lab.bridge.later import fill

__getattr__ = fill(__name__)

LOG_CHANNEL = "_npu_log"
WRITERS_TIMEOUT = 5 * 60 * 1000  # milliseconds

_Hook: Any = session_run_hook.SessionRunHook
_logging = tf.compat.v1.logging

for _name in loop_variables.NAMES:
    loop_variables.register_func(_name)


class SetIterationsVarHook(_Hook):  # type: ignore[misc]
    """Creates the loop variables, and loads them once the session is there.

    The training operation must be called `IterationOp`, by
    `tf.group(train_op, name="IterationOp")`.

    Args:
        iterations_per_loop: training steps per `Session.run`.  None is a TypeError once
            the session has been made, as in the adapter.
    """

    def __init__(self, iterations_per_loop: int | None = None) -> None:
        self.iterations_per_loop = iterations_per_loop
        self._variables: list[Any] = []

    def begin(self) -> None:
        """Create the variables, while the graph can still be changed."""
        self._variables = loop_variables.create_all()

    def after_create_session(self, session: Any, coord: Any) -> None:  # noqa: ARG002
        """Load them, and print the count as the adapter does."""
        count = loop_variables.checked_iterations(self.iterations_per_loop)
        loop_variables.load(self._variables, session, count)
        print("load iterations_per_loop value -----------")  # noqa: T201
        print(count - 1)  # noqa: T201


class NPUCheckpointSaverHook(basic_session_run_hooks.CheckpointSaverHook):  # type: ignore[misc]
    """TensorFlow's hook of this name, which also logs the step after each run.

    To know it takes one more run of the session each time, as in the adapter.
    """

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Save where it is time to, and log the step."""
        super().after_run(run_context, run_values)
        step = run_context.session.run(self._global_step_tensor)
        _logging.info("global_step...%s", step)

    def end(self, session: Any) -> None:
        """Save the last step, and log it."""
        super().end(session)
        step = session.run(self._global_step_tensor)
        _logging.info("NPUCheckpointSaverHook end...%s", step)


class _OutfeedHook(_Hook):  # type: ignore[misc]
    """Runs operations on the host for all that comes through one channel."""

    _operations: Sequence[Any] = ()
    _at_the_end: Sequence[Any] = ()
    _stop: Any = None
    _outfeed: channels.Outfeed | None = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Start to take what comes."""
        self._outfeed = channels.Outfeed(
            session, coord, self._operations, self._stop, self._at_the_end
        )

    def end(self, session: Any) -> None:  # noqa: ARG002
        """Wait until all that was sent has been taken."""
        if self._outfeed is not None:
            self._outfeed.finish()


class NPUInfeedOutfeedSessionHook(_OutfeedHook):
    """Runs `dequeue_ops`, what a host_call returned, for each step of the device.

    The writers of the graph's summaries are opened before, and flushed at the end.

    Args:
        dequeue_ops: operations and tensors behind `outfeed_dequeue_op`.
        channel_name: the channel that they take from.
    """

    def __init__(self, dequeue_ops: Any, channel_name: str) -> None:
        flat = tf.nest.flatten(dequeue_ops)
        self._operations = [made for made in flat if made is not None]
        self._channel_name = channel_name
        self._open_writers: list[Any] = []

    def begin(self) -> None:
        """Make what is needed, while the graph can still be changed."""
        self._stop = channels.stop_outfeed_dequeue_op(self._channel_name)
        self._open_writers = list(summary_ops_v2.summary_writer_initializer_op())
        self._at_the_end = [
            tf.raw_ops.FlushSummaryWriter(writer=opened.inputs[0])
            for opened in self._open_writers
        ]

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Open the writers, and start to take what comes."""
        limit = tf.compat.v1.RunOptions(timeout_in_ms=WRITERS_TIMEOUT)
        session.run(self._open_writers, options=limit)
        super().after_create_session(session, coord)


class NPULogOutfeedSessionHook(_OutfeedHook):
    """Prints what the device sends through the channel `_npu_log`, strings.

    Args:
        output_stream: where to, as for `tf.print`.
    """

    def __init__(self, output_stream: Any) -> None:
        self._output_stream = output_stream

    def begin(self) -> None:
        """Make what is needed, while the graph can still be changed."""
        (line,) = channels.outfeed_dequeue_op(LOG_CHANNEL, [tf.string], [()])
        self._operations = [tf.print(line, output_stream=self._output_stream)]
        self._stop = channels.stop_outfeed_dequeue_op(LOG_CHANNEL)


class NPUOutputTensorHook(_Hook):  # type: ignore[misc]
    """Collects the values of tensors, and hands them over every few runs.

    Args:
        tensors: tensors or their names, in a list or by tags in a dict; None for none.
        dependencies: operations that are to run before the tensors are computed; then
            `tensors` must be a dict.
        output_fn: gets a list with one dict {tag: value} for each run.
        output_every_n_steps: the number of runs, not of steps, between two calls of
            it.  The default is a ZeroDivisionError at the first run, as in the adapter.

    Raises:
        ValueError: `dependencies` with `tensors` that are no dict.
    """

    def __init__(
        self,
        tensors: Any,
        dependencies: Any = None,
        output_fn: Callable[[list[dict[Any, Any]]], object] | None = None,
        output_every_n_steps: int = 0,
    ) -> None:
        if dependencies is not None and not isinstance(tensors, dict):
            message = "With dependencies, tensors must be a dict of tag and tensor."
            raise ValueError(message)
        if not isinstance(tensors, dict):
            tensors = {tensor: tensor for tensor in _hashable(tensors)}
        self._tensors, self._dependencies = tensors, dependencies
        self._output_fn, self._every = output_fn, output_every_n_steps
        self._collected: list[dict[Any, Any]] = []
        self._runs = 0

    def begin(self) -> None:
        """Find the tensors, and let them wait for the dependencies."""
        graph = tf.compat.v1.get_default_graph()
        self._tensors = {
            tag: graph.as_graph_element(tensor) for tag, tensor in self._tensors.items()
        }
        if self._dependencies is not None:
            with tf.control_dependencies(tf.nest.flatten(self._dependencies)):
                self._tensors = {k: tf.identity(t) for k, t in self._tensors.items()}

    def before_run(self, run_context: Any) -> Any:  # noqa: ARG002
        """Ask for the tensors."""
        return session_run_hook.SessionRunArgs(self._tensors)

    def after_run(self, run_context: Any, run_values: Any) -> None:  # noqa: ARG002
        """Keep their values, and hand them over where it is time to."""
        if not self._every:
            message = "output_every_n_steps is 0; give the number of runs, 1 or more."
            raise ZeroDivisionError(message)
        self._collected.append(run_values.results)
        self._runs += 1
        if self._runs % self._every == 0:
            self._hand_over()

    def end(self, session: Any) -> None:  # noqa: ARG002
        """Hand over what is left."""
        if self._collected:
            self._hand_over()

    def _hand_over(self) -> None:
        if self._output_fn is not None:
            self._output_fn(self._collected)
        self._collected = []


def _hashable(tensors: Any) -> list[Any]:
    return [t if isinstance(t, str) else t.name for t in tensors or ()]


class TellMeStepOrLossHook(_Hook):  # type: ignore[misc]
    """Publishes step and loss in the environment: STEP_NOW and LOSS_NOW.

    On hardware they drive `accelerate_train_mode`; nothing in npu_lab acts on them.

    Args:
        step: the tensor of the step, or None.
        total_step: for TOTAL_STEP.
        loss: the tensor of the loss, or None.
        final_loss: for TARGET_LOSS.

    Raises:
        ValueError: neither `step` nor `loss` is given.
    """

    def __init__(
        self,
        step: Any = None,
        total_step: Any = None,
        loss: Any = None,
        final_loss: Any = None,
    ) -> None:
        if step is None and loss is None:
            message = "Give the tensor of the step, or of the loss, or both."
            raise ValueError(message)
        self._fetches = {"STEP_NOW": step, "LOSS_NOW": loss}
        self._fetches = {k: t for k, t in self._fetches.items() if t is not None}
        os.environ |= {
            "STEP_NOW": "0",
            "TOTAL_STEP": str(total_step),
            "LOSS_NOW": "0.0",
            "TARGET_LOSS": str(final_loss),
        }

    def before_run(self, run_context: Any) -> Any:  # noqa: ARG002
        """Ask for step and loss."""
        return session_run_hook.SessionRunArgs(self._fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:  # noqa: ARG002
        """Publish them."""
        os.environ |= {name: str(v) for name, v in run_values.results.items()}


class NPUBroadcastGlobalVariablesHook(_Hook):  # type: ignore[misc]
    """Gives all ranks the trainable variables of one; nothing is to do on one rank.

    Raises:
        NotImplementedError: at `begin`, where there are several ranks and no extra for
            them.
    """

    def __init__(self, root_rank: int | None = None, index: int | None = None) -> None:
        self._root_rank, self._index = root_rank, index
        self._operation: Any = None

    def begin(self) -> None:
        """Make the broadcast, while the graph can still be changed."""
        ranks = job.several(type(self).__name__)
        if ranks is not None:
            self._operation = ranks.broadcast_global_variables(
                self._root_rank, self._index
            )

    def after_create_session(self, session: Any, coord: Any) -> None:  # noqa: ARG002
        """Broadcast."""
        if self._operation is not None:
            _logging.info("NPUBroadcastGlobalVariablesHook: from %s", self._root_rank)
            session.run(self._operation)


class NPUShutDownHook(_Hook):  # type: ignore[misc]
    """Closes the device at the end; the emulated one stays until `deactivate`."""

    def __init__(self, scaffold: Any = None) -> None:
        self._scaffold = scaffold
