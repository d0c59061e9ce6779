"""Where the adapter of TensorFlow 2 hooks in, all of it in this file.

`handle.as_default()` puts the device below every `tf.function`: their graphs come here
when they are run.  XLA is turned off, and the user's `tf.device` has no effect, as the
vendor's documents say.  Keras's digits are the bundled ones, for want of a network.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tensorflow.python.autograph.core import config
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import (
    concrete_function,
    polymorphic_function,
)
from tensorflow.python.framework import ops
from tf_keras.src.datasets import mnist

from npu_lab.extras.tf2 import digits

LOGGER = logging.getLogger("npu_device")

Runner = Callable[[Any, Any, Any, Callable[..., Any]], Any]

_undo: list[Callable[[], None]] = []
_runner: Runner | None = None
_default = False
_here = threading.local()


def install(runner: Runner) -> None:
    """Let `runner` carry out what `tf.function`s run, where the device is in use."""
    global _runner
    if _runner is None:
        _patch(concrete_function.ConcreteFunction, "_call_flat", _call_flat)
        # The adapter's own functions are no graph code of the user's.
        ours = config.DoNotConvert("npu_lab")
        _patch(config, "CONVERSION_RULES", lambda rules: (ours, *rules))
        _patch(mnist, "get_file", digits.get_file)
    _runner = runner


def uninstall() -> None:
    """Restore TensorFlow; idempotent."""
    global _runner, _default
    while _undo:
        _undo.pop()()
    _runner, _default = None, False


def make_default() -> None:
    """Use the device wherever nothing else is said; idempotent."""
    global _default
    if not _default:
        _default = True
        _patch(polymorphic_function.Function, "__init__", _init)
        _patch(ops, "device", _device)


def in_use() -> bool:
    """Whether graphs that are run here are run by the device."""
    if getattr(_here, "bypassed", 0):
        return False
    return bool(_default or getattr(_here, "scopes", 0))


def is_default() -> bool:
    """Whether the device is the default one."""
    return _default


@contextlib.contextmanager
def scope() -> Iterator[None]:
    """Use the device inside."""
    _here.scopes = getattr(_here, "scopes", 0) + 1
    try:
        yield
    finally:
        _here.scopes -= 1


@contextlib.contextmanager
def bypassed() -> Iterator[None]:
    """Leave everything to TensorFlow inside."""
    _here.bypassed = getattr(_here, "bypassed", 0) + 1
    try:
        yield
    finally:
        _here.bypassed -= 1


def _patch(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    stock = getattr(owner, name)
    _undo.append(lambda: setattr(owner, name, stock))
    setattr(owner, name, make(stock))


def _call_flat(stock: Any) -> Any:
    def call_flat(self: Any, tensor_inputs: Any, captured_inputs: Any) -> Any:
        runner = _runner
        if runner is None or not in_use() or not context.executing_eagerly():
            return stock(self, tensor_inputs, captured_inputs)
        return runner(self, tensor_inputs, captured_inputs, stock)

    return call_flat


def _init(stock: Any) -> Any:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("jit_compile"):
            LOGGER.info("Skip xla compile tf function on npu")
            kwargs["jit_compile"] = None
        stock(self, *args, **kwargs)

    return init


def _device(stock: Any) -> Any:
    def device(device_name_or_function: Any) -> Any:
        if getattr(_here, "bypassed", 0) or device_name_or_function is None:
            return stock(device_name_or_function)
        LOGGER.info("Ignore tf.device(%r) on npu", device_name_or_function)
        return contextlib.nullcontext()

    return device
