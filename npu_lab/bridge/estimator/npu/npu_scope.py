"""`npu_scope`: blocks whose operations get a mark for the adapter.

The marks are in the graph as on hardware; nothing in npu_lab acts on them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from npu_lab._tensorflow import tf
from npu_lab.bridge.checks import check_positive_integer
from npu_lab.bridge.estimator.npu.npu_config import NpuExecutePlacement
from npu_lab.bridge.marks import flag, marked, number, text


@contextlib.contextmanager
def without_npu_compile_scope() -> Iterator[None]:
    """Keep operations on the host; needs mixed compute."""
    with marked(_without_npu_compile=flag(True)):
        yield


@contextlib.contextmanager
def keep_dtype_scope() -> Iterator[None]:
    """Keep the precision that the operations were written with."""
    with marked(_keep_dtype=number(1)):
        yield


@contextlib.contextmanager
def npu_variable_scope(
    placement: object = NpuExecutePlacement.ALL,
) -> Iterator[None]:
    """Place variables; raises ValueError for anything but an `NpuExecutePlacement`."""
    if not isinstance(placement, NpuExecutePlacement):
        allowed = ", ".join(map(str, NpuExecutePlacement))
        message = f"placement is {placement!r}, but must be one of {allowed}."
        raise ValueError(message)  # noqa: TRY004  (the adapter's type)
    with marked(_variable_placement=text(placement.value)):
        yield


@contextlib.contextmanager
def npu_stage_scope(stage: int) -> Iterator[None]:
    """Cut the step into stages that overlap over the passes of a loop; needs N > 1."""
    with marked(_stage_level=number(stage)):
        yield


@contextlib.contextmanager
def npu_mem_type_scope() -> Iterator[None]:
    """Put outputs into the memory that remote ranks can read."""
    with marked(_output_memory_type=number(1)):
        yield


@contextlib.contextmanager
def npu_weight_prefetch_scope(
    buffer_pool_id: int = 0, buffer_pool_size: int = 536870912
) -> Iterator[None]:
    """Fetch weights ahead into a pool of `buffer_pool_size` bytes."""
    with marked(
        _buffer_pool_id=number(buffer_pool_id),
        _buffer_pool_size=number(buffer_pool_size),
    ):
        yield


@contextlib.contextmanager
def op_specified_engine_scope(engine_name: str, kernel_lib_name: str) -> Iterator[None]:
    """Choose the engine and kernel library of the operations."""
    with marked(
        _specified_engine_name=text(engine_name),
        _specified_kernel_lib_name=text(kernel_lib_name),
    ):
        yield


@contextlib.contextmanager
def npu_qos_label_scope(label: int) -> Iterator[None]:
    """Give the operations a quality-of-service label."""
    with marked(_qos_service_label=number(label)):
        yield


@contextlib.contextmanager
def subgraph_multi_dims_scope(index: int) -> Iterator[None]:
    """Number a part of the graph whose inputs have several shapes."""
    with marked(_subgraph_multi_dims_index=number(index)):
        yield


@contextlib.contextmanager
def npu_optimizer_scope() -> Iterator[None]:
    """Mark the operations of an optimizer."""
    with marked(_optimizer=flag(True)):
        yield


@contextlib.contextmanager
def disable_autofuse() -> Iterator[None]:
    """Keep the operations out of automatic fusion."""
    with marked(_disable_autofuse_scope=flag(True)):
        yield


@contextlib.contextmanager
def limit_core_num_scope(
    op_aicore_num: str = "0",  # noqa: ARG001  (the adapter does not read it either)
    op_vectorore_num: str = "0",
) -> Iterator[None]:
    """Limit the vector cores of the operations.

    Raises:
        ValueError: `op_vectorore_num` is not a string with a number above 0; so its
            default, "0", fails, as in the adapter.
    """
    given = op_vectorore_num
    if not isinstance(given, str) or not _is_number(given) or int(given) <= 0:
        message = (
            f"op_vectorore_num is {given!r}, but must be a string with a number above"
            ' 0, such as "8".'
        )
        raise ValueError(message)
    with marked(_op_vectorcore_num=text(given)):
        yield


def npu_recompute_scope() -> AbstractContextManager[str]:
    """A name scope whose results are computed again in the backward pass."""
    scope: AbstractContextManager[str] = tf.name_scope("NpuRecompute")
    return scope


def npu_graph_slice_scope(slice_num: int | None = None) -> AbstractContextManager[str]:
    """A name scope that is cut into slices of the batch.

    Raises:
        TypeError, ValueError: `slice_num` is not an int, or below 1.
    """
    if slice_num is not None:
        check_positive_integer(slice_num, "slice_num")
    name = f"SliceNum-{slice_num}-NpuGraphSlicing{slice_num}"
    scope: AbstractContextManager[str] = tf.name_scope(name)
    return scope


def _is_number(given: str) -> bool:
    try:
        int(given)
    except ValueError:
        return False
    return True
