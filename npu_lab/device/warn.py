"""Shows a diagnostic as a Python warning, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from npu_lab._tensorflow import tf
from npu_lab.diagnostics import Diagnostic, NpuLabWarning

_LIBRARIES = tuple(
    str(Path(file).parent)
    for file in (tf.__file__, sys.modules["npu_lab"].__file__)
    if file
)


def warn(diagnostic: Diagnostic) -> None:
    """Warn once for this diagnostic, wherever it was met before.

    The place named is the innermost line that belongs neither to TensorFlow nor to
    npu_lab: the host call in the user's script or cell.
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
