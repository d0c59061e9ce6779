"""The adapter of TensorFlow 2, `npu_device`, on the emulated device."""

from __future__ import annotations

from npu_lab.extras.tf2.installing import (
    install,
    load_ipython_extension,
    uninstall,
    unload_ipython_extension,
)

__all__ = [
    "install",
    "load_ipython_extension",
    "uninstall",
    "unload_ipython_extension",
]
