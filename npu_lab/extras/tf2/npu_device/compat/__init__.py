"""The door to the adapter of TensorFlow 1."""

from __future__ import annotations

import os
from typing import Any

from npu_lab import bridge
from npu_lab.device import seam
from npu_lab.extras.tf2._texts import text
from npu_lab.extras.tf2.npu_device.compat import v1
from npu_lab.extras.tf2.state import STATE
from npu_lab.tf1 import view

__all__ = ["enable_v1", "v1"]


def enable_v1() -> None:
    """Go on as in TensorFlow 1: eager execution off, sessions on the device.

    `ASCEND_DEVICE_ID` becomes the opened device.  Here the process gets the TF 1.15
    view, which has the Estimator; `npu_bridge` can be imported as well.

    Raises:
        ViewError: it cannot be started here; the text says why.
        RuntimeError: no device is active.
    """
    device: Any = seam.active_device()
    if device is None:
        raise RuntimeError(text("no device"))
    if STATE.handle is not None:
        os.environ["ASCEND_DEVICE_ID"] = str(STATE.handle.device_id)
    view.install()
    bridge.install(device)
