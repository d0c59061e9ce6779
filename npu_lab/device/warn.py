"""Shows a diagnostic as a Python warning, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

from npu_lab.diagnostics import Diagnostic, NpuLabWarning

_LIBRARIES = tuple(
    str(Path(spec.origin).parent)
    for spec in map(find_spec, ("tensorflow", "tf_keras", "npu_lab"))
    if spec and spec.origin
)


def warn(diagnostic: Diagnostic) -> None:
    """Warn once for this diagnostic, wherever it was met before.

    The place named is the innermost line outside of TensorFlow, Keras and npu_lab:
    the host call in the user's script or cell.
    """
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    warnings.warn_explicit(
        diagnostic.text(),
        NpuLabWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=str(frame.f_globals.get("__name__", "<unknown>")),
        registry=None,
    )
