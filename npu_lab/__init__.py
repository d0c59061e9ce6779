"""npu_lab: a lab for the sunk training loop of Ascend NPUs, without the hardware.

    >>> import npu_lab
    >>> device = npu_lab.activate(view=True)   # emulated NPU and TF 1.15 view
    >>> npu_lab.deactivate()

In a notebook, ``%load_ext npu_lab`` does the same.  The names below are loaded on first
use, so importing `npu_lab` alone costs nothing and imports no TensorFlow.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from npu_lab.activation import activate, active_device, deactivate
    from npu_lab.diagnostics import NpuLabWarning
    from npu_lab.lab.magics import load_ipython_extension, unload_ipython_extension
    from npu_lab.plan import Plan, TrainingPlan, calls
    from npu_lab.timing import TimingModel

__all__ = [
    "NpuLabWarning",
    "Plan",
    "TimingModel",
    "TrainingPlan",
    "activate",
    "active_device",
    "calls",
    "deactivate",
    "load_ipython_extension",
    "unload_ipython_extension",
]

_HOMES = {
    "NpuLabWarning": "npu_lab.diagnostics",
    "Plan": "npu_lab.plan",
    "TimingModel": "npu_lab.timing",
    "TrainingPlan": "npu_lab.plan",
    "activate": "npu_lab.activation",
    "active_device": "npu_lab.activation",
    "calls": "npu_lab.plan",
    "deactivate": "npu_lab.activation",
    "load_ipython_extension": "npu_lab.lab.magics",
    "unload_ipython_extension": "npu_lab.lab.magics",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'npu_lab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
