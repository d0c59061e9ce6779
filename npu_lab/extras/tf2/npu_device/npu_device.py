"""Opening the device, and what is set for the whole process or for a block."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.npu_device.configs.run_context_options import (
    NpuRunContextOptions,
)
from npu_lab.extras.tf2.npu_device.npu_device_handle import NpuDeviceHandle
from npu_lab.extras.tf2.npu_device.npu_options import global_options
from npu_lab.extras.tf2.opening import open_device
from npu_lab.extras.tf2.state import STATE

__all__ = [
    "NpuDeviceHandle",
    "close",
    "global_options",
    "is_inf_nan_enabled",
    "keep_dtype_scope",
    "npu_compat_function",
    "npu_recompute_scope",
    "npu_run_context",
    "open",
    "set_device_sat_mode",
    "set_npu_loop_size",
]

LOGGER = logging.getLogger("npu_device")
SATURATION, INF_NAN = 0, 1


def open(device_id: int | None = None) -> NpuDeviceHandle:  # noqa: A001
    """Open the device, once in a process; the same handle again for the same id.

    Args:
        device_id: by default that of ASCEND_DEVICE_ID, or 0.

    Raises:
        RuntimeError: another device is open, options contradict each other, or the
            variables for several workers do.
        ValueError: RANK_SIZE and CM_WORKER_SIZE are both set, or no numbers.
    """
    return open_device(device_id)


def close() -> None:
    """Close the device; Python does it at its exit."""
    STATE.handle = None


def set_npu_loop_size(loop_size: int) -> None:
    """Set the steps that the device runs in one call, from the next call on.

    One of 0 or less is logged as an error and ignored.
    """
    STATE.set_loop_size(loop_size)


@contextlib.contextmanager
def npu_run_context(options: NpuRunContextOptions | None = None) -> Iterator[None]:
    """Options for the graphs run inside; they have no effect in the lab.

    Raises:
        ValueError: `options` is no NpuRunContextOptions.
    """
    if options is not None and not isinstance(options, NpuRunContextOptions):
        raise ValueError(text("run context", given=type(options).__name__))
    before = STATE.recompute
    if options is not None:
        chosen: Any = options.experimental.graph_memory_optimize_config
        STATE.recompute = chosen.recompute
    try:
        yield
    finally:
        STATE.recompute = before


def set_device_sat_mode(mode: int) -> None:
    """Choose what an overflow becomes: 0 the largest number, 1 infinity and NaN.

    To be called before networks run.  Here results are always as in TensorFlow, with
    infinity and NaN; loss scaling follows the mode.

    Raises:
        ValueError: it is neither.
    """
    if mode not in {SATURATION, INF_NAN}:
        raise ValueError(text("sat mode", given=mode))
    STATE.inf_nan = mode == INF_NAN


def is_inf_nan_enabled() -> bool:
    """Whether an overflow becomes infinity or NaN."""
    return STATE.inf_nan


def npu_compat_function(func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`tf.function` without XLA."""
    for name in ("jit_compile", "experimental_compile"):
        if kwargs.pop(name, None):
            LOGGER.info("Skip xla compile tf function on npu")
    return tf.function(func, *args, **kwargs)


@contextlib.contextmanager
def keep_dtype_scope() -> Iterator[None]:
    """Operations made inside keep their type, whatever the precision mode.

    They get the attribute `_keep_dtype`; in the lab all of them keep it.
    """
    with _marked("_keep_dtype", tf.compat.v1.AttrValue(i=1)):
        yield


@contextlib.contextmanager
def npu_recompute_scope() -> Iterator[None]:
    """Operations made inside are computed anew for gradients: attribute `_recompute`.

    It has no effect in the lab.
    """
    with _marked("_recompute", tf.compat.v1.AttrValue(b=True)):
        yield


@contextlib.contextmanager
def _marked(name: str, value: Any) -> Iterator[None]:
    if tf.executing_eagerly():  # only graph code has attributes
        yield
        return
    with tf.compat.v1.get_default_graph()._attr_scope({name: value}):
        yield
