"""Puts the adapter of TensorFlow 2 in, and takes it out again."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from npu_lab.device import Device
from npu_lab.extras.tf2 import calls, finder, seam
from npu_lab.extras.tf2.npu_device import npu_options
from npu_lab.extras.tf2.state import STATE

_finder: finder.Finder | None = None


def install(device: Device) -> None:
    """Make `npu_device` importable on behalf of `device`; idempotent."""
    global _finder
    if _finder is not None:
        return
    _finder = finder.Finder(device)
    sys.meta_path.insert(0, _finder)
    seam.install(calls.runner(device))


def uninstall() -> None:
    """Restore TensorFlow, and close what is open; idempotent."""
    global _finder
    seam.uninstall()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _finder = None
    STATE.__init__()  # type: ignore[misc]  # as in a new process
    npu_options.forget()
    for name in [n for n in sys.modules if finder.is_ours(n)]:
        del sys.modules[name]


def load_ipython_extension(ip: Any) -> None:
    """`%load_ext npu_lab.extras.tf2`: the device for TensorFlow 2, and the magics.

    Raises:
        UsageError: it cannot be activated; the text says why and how to mend it.
    """
    importlib.import_module("npu_lab.lab.magics").load(ip, mode="tf2")


def unload_ipython_extension(ip: Any) -> None:
    """Restore TensorFlow and the way warnings are shown."""
    importlib.import_module("npu_lab.lab.magics").unload_ipython_extension(ip)
