"""The vendor's Python names: what scripts import as `npu_bridge` and `hccl`.

`npu_bridge.X` is the module `npu_lab.bridge.X` under a second name, importable while a
device is active.  The files lie as the vendor's do; what is not built yet stands in the
table of `npu_lab.bridge.later`.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from npu_lab.bridge import finder as _finders
from npu_lab.bridge.extra import extra as _extra
from npu_lab.bridge.helper.helper import version as __version__

if TYPE_CHECKING:
    from npu_lab.device import Device
    from npu_lab.device.options import SessionOptions
    from npu_lab.device.rewriting import Rewriter

__all__ = ["__version__"]  # what `from npu_bridge import *` may bring

_finder: _finders.Finder | None = None


def install(device: Device) -> None:
    """Make `npu_bridge` and `hccl` importable on behalf of `device`; idempotent."""
    global _finder
    if _finder is not None and _finder.device is device:
        return
    uninstall()
    _finder = _finders.Finder(device)
    # First, or the search in this package's folder would load its files twice.
    sys.meta_path.insert(0, _finder)
    device.rewriter = _rewriter


def _rewriter(options: SessionOptions) -> Rewriter | None:
    """What changes the operators of a session, where the extra is installed."""
    tuning = _extra("tuning")
    return tuning.rewriter(options) if tuning is not None else None


def uninstall() -> None:
    """Take the names away; a later import has its effects again.  Idempotent."""
    global _finder
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _finder = None
    for name in [n for n in sys.modules if _finders.root_of(n) in _finders.ROOTS]:
        del sys.modules[name]
    # `from npu_bridge import npu_init` must meet `__getattr__` below again.
    globals().pop("npu_init", None)


def __getattr__(name: str) -> Any:
    # `from npu_bridge import npu_init` asks this package under its own name and so goes
    # past the finder, which has the effects of that import.
    if name == "npu_init" and _finder is not None:
        return importlib.import_module("npu_bridge.npu_init")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def _imported(device: Device) -> None:
    """What `import npu_bridge` does: the log's level is read, hooks are registered."""
    device.log.start()
    importlib.import_module("npu_lab.bridge.estimator.npu.npu_hook")
