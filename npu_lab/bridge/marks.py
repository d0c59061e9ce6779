"""Marks: attributes that the vendor's Python writes onto graph operations.

On hardware the adapter reads them when it compiles a graph.  Stock TensorFlow carries
names that begin with an underscore along and makes nothing of them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tensorflow.core.framework.attr_value_pb2 import AttrValue

from npu_lab._tensorflow import tf

EXECUTE_MODES = ("lazy_recompile", "dynamic_execute")


def flag(content: bool) -> AttrValue:
    """A boolean attribute; another type is a TypeError."""
    return AttrValue(b=content)


def number(content: int) -> AttrValue:
    """An integer attribute; another type is a TypeError."""
    return AttrValue(i=content)


def text(content: str) -> AttrValue:
    """A string attribute; another type is a TypeError."""
    return AttrValue(s=tf.compat.as_bytes(content))


def marked(**attributes: AttrValue) -> AbstractContextManager[None]:
    """A block whose operations, in the graph now default, get the attributes."""
    graph = tf.compat.v1.get_default_graph()
    scope: AbstractContextManager[None] = graph._attr_scope(attributes)
    return scope


def set_graph_exec_config(
    fetch: Any,
    dynamic_input: bool = False,
    dynamic_graph_execute_mode: str = "dynamic_execute",
    dynamic_inputs_shape_range: str | None = None,
    is_train_graph: bool = False,
    experimental_config: Any = None,
) -> Any:
    """Write options for one graph onto what is fetched of it, and return that.

    Args:
        fetch: an operation, a tensor, the name of a tensor in the default graph, or a
            list or tuple of these.  Not a `tf.no_op`, which TensorFlow may remove.
        dynamic_input: whether the shapes of the inputs change.
        dynamic_graph_execute_mode: "dynamic_execute" or "lazy_recompile".
        dynamic_inputs_shape_range: the shapes that may come, as a string.
        is_train_graph: whether this is the training graph.
        experimental_config: an `ExperimentalConfig`, which npu_lab does not have yet.

    Returns:
        `fetch`; for a name, the tensor.

    Raises:
        ValueError: an unknown mode, or nothing that can be fetched.
        TypeError: an option is not of its type.
    """
    if dynamic_graph_execute_mode not in EXECUTE_MODES:
        message = (
            f"dynamic_graph_execute_mode is {dynamic_graph_execute_mode!r}, but must be"
            f" {' or '.join(EXECUTE_MODES)}."
        )
        raise ValueError(message)
    if experimental_config is not None:
        message = (
            f"experimental_config is {experimental_config!r}, but must be None or an"
            " ExperimentalConfig."
        )
        raise ValueError(message)
    return _mark_fetch(
        fetch,
        _graph_dynamic_input=flag(dynamic_input),
        _graph_dynamic_graph_execute_mode=text(dynamic_graph_execute_mode),
        _graph_dynamic_inputs_shape_range=text(dynamic_inputs_shape_range or ""),
        _is_train_graph=flag(is_train_graph),
    )


def keep_tensors_dtypes(graph: Any, input_tensors: Any) -> None:
    """Let the operations that make these tensors (or names of tensors) keep precision.

    Raises:
        ValueError: no graph, or neither a list nor a tuple.
    """
    if not isinstance(graph, tf.Graph):
        message = f"graph is {graph!r}, but must be a tf.Graph."
        raise ValueError(message)  # noqa: TRY004  (the adapter's type)
    if not isinstance(input_tensors, list | tuple):
        message = f"input_tensors is {input_tensors!r}, but must be a list or tuple."
        raise ValueError(message)  # noqa: TRY004
    for tensor in input_tensors:
        found = graph.as_graph_element(tensor, allow_operation=False)
        _mark(found, _keep_dtype=number(1))


def set_op_tensor_max_range(tensor: Any, max_shape: str) -> None:
    """Write the largest shape onto an operation, or the one that makes a tensor."""
    _mark(tensor, _op_max_shape=text(max_shape))


def set_op_tensor_max_size(tensor: Any, max_size: str) -> None:
    """Write the largest size onto an operation, or the one that makes a tensor."""
    _mark(tensor, _op_max_size=text(max_size))


def set_op_input_tensor_multi_dims(
    tensor: Any, input_shape: str, input_dims: str
) -> None:
    """Write the input shape and its choices of dimensions onto an operation."""
    _mark(
        tensor,
        _subgraph_multi_dims_input_shape=text(input_shape),
        _subgraph_multi_dims_input_dims=text(input_dims),
    )


def _mark_fetch(fetch: Any, **attributes: AttrValue) -> Any:
    if isinstance(fetch, str):
        graph = tf.compat.v1.get_default_graph()
        fetch = graph.get_tensor_by_name(fetch)
    if isinstance(fetch, list | tuple):
        for part in fetch:
            _mark_fetch(part, **attributes)
    elif isinstance(fetch, tf.Operation | tf.Tensor):
        _mark(fetch, **attributes)
    else:
        message = (
            f"fetch is {fetch!r}, but must be an operation, a tensor, the name of a"
            " tensor, or a list or tuple of these."
        )
        raise ValueError(message)  # noqa: TRY004
    return fetch


def _mark(element: Any, **attributes: AttrValue) -> None:
    operation = element if isinstance(element, tf.Operation) else element.op
    for name, content in attributes.items():
        operation._set_attr(name, content)
