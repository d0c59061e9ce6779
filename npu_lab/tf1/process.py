"""What the TF 1.15 view changes in the whole process, and how it is put back.

`enter` makes TensorFlow 2.21 build graphs the way 1.15 did: eager execution off, shapes
made of `Dimension`s, tensors compared by identity. In two points it differs from 1.15,
for the sake of device loops: variables are resource variables and control flow is
functional, and stay so whatever `disable_v2_behavior` and its like say afterwards.
`leave` puts the former state back. Both count by owner, so repeating them is harmless.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python import tf2
from tensorflow.python.client import session
from tensorflow.python.compat import v2_compat
from tensorflow.python.eager import context
from tensorflow.python.framework import constant_op, dtypes, ops, tensor, tensor_shape
from tensorflow.python.ops import control_flow_util, resource_variables_toggle
from tensorflow.python.platform import tf_logging
from tensorflow.python.training.saving import saveable_object_util
from tensorflow.python.util import deprecation

REFERENCE_VARIABLES = frozenset({"Variable", "VariableV2"})
"""Operation types of the variables that 1.x made by default."""

OLD_NAME_NOTICE = (
    r"`(tf\.layers|tf\.nn\.rnn_cell|tf\.keras\.backend|[Mm]odel|[Ll]ayer)\.\w+` "
    r"(is deprecated|will be removed)"
    r"|You are saving your model as an HDF5 file"
)
"""How Keras warns and logs that something is old; in 1.15 it was not."""

_owners: set[str] = set()
_undo: list[Callable[[], None]] = []
_eager_before = False


class ViewError(RuntimeError):
    """The TF 1.15 view cannot be entered, left or used this way; the text says how."""


def enter(owner: str) -> None:
    """Put the process into the state of TensorFlow 1.15, on behalf of `owner`.

    Raises:
        ViewError: the default graph holds reference variables already, or a graph is
            open (a `with` block, an InteractiveSession) and eager execution is on.
    """
    if not _owners:
        _refuse_reference_variables()
        if context.default_execution_mode == context.EAGER_MODE:
            _refuse_open_graph("start")
        _change()
    _owners.add(owner)


def leave(owner: str) -> None:
    """Restore what `enter` changed, when `owner` was the last one to need it.

    Raises:
        ViewError: a graph is open (a `with` block, an InteractiveSession) and eager
            execution would have to be restored.
    """
    if _owners == {owner}:
        if _eager_before:
            _refuse_open_graph("end")
        while _undo:
            _undo.pop()()
    _owners.discard(owner)


def entered() -> bool:
    """Whether the process is in the state of TensorFlow 1.15."""
    return bool(_owners)


def reference_variables(graph: Any) -> list[str]:
    """Names of the reference variables in `graph`; a device loop cannot hold them."""
    return [op.name for op in graph.get_operations() if op.type in REFERENCE_VARIABLES]


def _refuse_reference_variables() -> None:
    graphs = ops._default_graph_stack
    # Not get_default_graph(), which makes a graph where there is none
    graph = graphs.stack[-1] if graphs.stack else graphs._global_default_graph
    found = reference_variables(graph) if graph is not None else []
    if found:
        first, more = found[:3], found[3:]
        raise ViewError(
            f"The default graph holds reference variables ({', '.join(first)}"
            f"{', ...' if more else ''}), made before the TF 1.15 view was started. "
            "A device loop cannot run on them. Start the view first, or drop them with "
            "tf.compat.v1.reset_default_graph() and build the model again."
        )


def _refuse_open_graph(what: str) -> None:
    if ops._default_graph_stack.stack:
        raise ViewError(
            f"The TF 1.15 view cannot {what} while a graph is open: eager execution is "
            "switched together with it. Leave the `with graph.as_default():` or `with "
            "tf.Session():` block first, and close() an InteractiveSession."
        )


def _change() -> None:
    global _eager_before
    runtime = context.context()
    _eager_before = context.default_execution_mode == context.EAGER_MODE
    was_tf2 = tf2.enabled()
    _undo.append(lambda: _set_tf2(was_tf2))
    _set_tf2(False)
    if _eager_before:
        # The entry of eager execution would make init_scope eager inside tf.data
        _set(runtime, "_context_switches", context._ContextSwitchStack(eager=False))
        _set(runtime._thread_local_data, "is_eager", False)
    _set(context, "default_execution_mode", context.GRAPH_MODE)
    _set(ops._EagerTensorBase, "__tf_tensor__", _eager_tensor_in_graph)
    _set(tensor_shape, "_TENSORSHAPE_V2_OVERRIDE", False)
    _set(tensor.Tensor, "_USE_EQUALITY", False)
    _set(resource_variables_toggle, "_DEFAULT_USE_RESOURCE", True)
    _set(control_flow_util, "ENABLE_CONTROL_FLOW_V2", True)
    # These two read the switches: replaced, no later call can turn the switches back
    _set(resource_variables_toggle, "resource_variables_enabled", lambda: True)
    _set(control_flow_util, "EnableControlFlowV2", lambda _: True)
    _set(saveable_object_util.ResourceVariableSaveable, "__init__", _saveable)
    _set(session._ElementFetchMapper, "__init__", _fetch)
    _silence_old_name_notices()


def _silence_old_name_notices() -> None:
    _set(deprecation, "_PRINT_DEPRECATION_WARNINGS", False)
    logger = tf_logging.get_logger()
    logger.addFilter(_is_news)
    _undo.append(lambda: logger.removeFilter(_is_news))
    before = list(warnings.filters)
    warnings.filterwarnings("ignore", OLD_NAME_NOTICE, UserWarning)
    added = [entry for entry in warnings.filters if entry not in before]
    _undo.append(lambda: _remove_warning_filters(added))


def _is_news(record: logging.LogRecord) -> bool:
    return re.match(OLD_NAME_NOTICE, record.getMessage()) is None


def _remove_warning_filters(entries: Sequence[Any]) -> None:
    filters: Any = warnings.filters
    filters[:] = [entry for entry in filters if entry not in entries]


def _set(holder: Any, name: str, value: object) -> None:
    before = getattr(holder, name)
    _undo.append(lambda: setattr(holder, name, before))
    setattr(holder, name, value)


def _set_tf2(enabled: bool) -> None:
    (tf2.enable if enabled else tf2.disable)()
    # Tells tf.data which classes its own short names stand for
    for name in v2_compat._DATA_V2_CALLBACKS.list():
        v2_compat._DATA_V2_CALLBACKS.lookup(name)()


_stock_saveable = saveable_object_util.ResourceVariableSaveable.__init__
_stock_fetch = session._ElementFetchMapper.__init__


def _saveable(self: Any, var: Any, slice_spec: str, name: str) -> None:
    """Takes the handle for the variable, too: `freeze_graph` looks names up."""
    _stock_saveable(self, _value(var), slice_spec, name)


def _fetch(self: Any, fetches: Any, contraction_fn: Any) -> None:
    """Takes the handle for the variable, too: `sess.run("loss_scale:0")`."""
    _stock_fetch(self, fetches, contraction_fn)
    self._unique_fetches = [_value(one) for one in self._unique_fetches]


def _value(given: Any) -> Any:
    """The value of a variable whose handle is given; all else as it is."""
    if not isinstance(given, tensor.Tensor) or given.op.type != "VarHandleOp":
        return given
    # The variable's own read is the first; later ones may wait for something.
    reads = [one for one in given.consumers() if one.type == "ReadVariableOp"]
    return min(reads, key=lambda one: one._id).outputs[0] if reads else given


_stock_eager_tensor = ops._EagerTensorBase.__tf_tensor__


def _eager_tensor_in_graph(self: Any, dtype: Any = None, name: Any = None) -> Any:
    """A value computed before the view started goes into a graph as a constant."""
    if context.executing_eagerly() or ops.get_default_graph().building_function:
        return _stock_eager_tensor(self, dtype, name)
    if self.dtype in (dtypes.resource, dtypes.variant):
        raise ViewError(
            "A variable, iterator or dataset made in eager execution, before the TF "
            "1.15 view was started, cannot be used in a graph. Make it again now."
        )
    return constant_op.constant(self.numpy(), self.dtype).__tf_tensor__(dtype, name)
