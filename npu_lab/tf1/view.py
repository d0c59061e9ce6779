"""The TF 1.15 view as a whole: the process, the importers, names imported too early.

After ``view.install()`` user code that imports `tensorflow` sees TensorFlow 1.15; after
``view.uninstall()`` everything is as before.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from npu_lab._tensorflow import tf as tensorflow
from npu_lab.tf1 import face, importing, process

OWNER = "npu_lab.tf1.view"

_rebound: list[tuple[dict[str, Any], str, Any, Any]] = []


def install() -> None:
    """Put the process into the state of 1.15 and show the view to user code.

    User modules that imported TensorFlow before see the view under the same name from
    now on. Harmless when installed.

    Raises:
        process.ViewError: see `process.enter`; nothing is installed then.
    """
    process.enter(OWNER)
    importing.install()
    _rebind()


def uninstall() -> None:
    """Restore what `install` changed; harmless when not installed.

    Raises:
        process.ViewError: see `process.leave`; the view stays then.
    """
    process.leave(OWNER)
    importing.uninstall()
    while _rebound:
        namespace, name, before, after = _rebound.pop()
        if namespace.get(name) is after:
            namespace[name] = before


def _rebind() -> None:
    """Lead names that the program bound to TensorFlow 2 to their twins in the view."""
    if not importing.is_user_code(vars(sys.modules["__main__"])):
        return  # somebody else's program, such as a test runner, manages its own names
    v1 = tensorflow.compat.v1
    twins: dict[int, Any] = {id(tensorflow): face.tf, id(v1): face.tf}
    for module in (tensorflow, v1):
        twins[id(module.__dict__.get("keras"))] = face.tf.keras
    twins.pop(id(None), None)
    for module in list(sys.modules.values()):
        namespace = getattr(module, "__dict__", None)
        if not isinstance(namespace, dict) or not importing.is_user_code(namespace):
            continue
        for name, value in list(namespace.items()):
            if isinstance(value, types.ModuleType) and id(value) in twins:
                twin = twins[id(value)]
                _rebound.append((namespace, name, value, twin))
                namespace[name] = twin
