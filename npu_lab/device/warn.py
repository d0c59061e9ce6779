"""Shows a diagnostic as a Python warning, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from npu_lab.diagnostics import Diagnostic, NpuLabWarning

_LIBRARIES = tuple(
    str(Path(spec.origin).parent)
    for spec in map(find_spec, ("tensorflow", "tf_keras", "npu_lab"))
    if spec and spec.origin
)


class Place(NamedTuple):
    """A line of the user's, in a script or a cell."""

    filename: str
    line: int
    module: str


def here() -> Place:
    """The innermost line outside of TensorFlow, Keras and npu_lab."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    module = str(frame.f_globals.get("__name__", "<unknown>"))
    return Place(frame.f_code.co_filename, frame.f_lineno, module)


def warn(diagnostic: Diagnostic, place: Place | None = None) -> None:
    """Warn once for this diagnostic, wherever it was met before.

    The place named is by default the host call in the user's script or cell.
    """
    filename, line, module = place or here()
    warnings.warn_explicit(
        diagnostic.text(), NpuLabWarning, filename, line, module=module, registry=None
    )
