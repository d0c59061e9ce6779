"""Import TensorFlow without its start-up chatter: the only place that imports it first.

Use it as ``from npu_lab._tensorflow import tf``. TensorFlow's C++ part writes to file
descriptor 2 before any log level holds. So the descriptor is turned to a temporary file
during the import; afterwards information and warning lines are dropped and everything
else is passed on, also when the import fails.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

ENVIRONMENT = {
    "TF_USE_LEGACY_KERAS": "1",  # tf.keras is Keras 2, as the TF 1.15 API needs it
    "TF_CPP_MIN_LOG_LEVEL": "2",  # errors only, for what C++ logs after the import
}
SEVERITIES = "IWEF"
# A C++ line begins "I0000 00:00:17..." (absl) or "2026-01-31 09:30:00.5: I " (older)
LOG_LINE = re.compile(
    rb"([IWEF])\d{4} \d\d:\d\d:\d+\.\d+ +\d+ [^ :]+:\d+\] "
    rb"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: ([IWEF]) "
)
# Belongs to the lines around it, or (cuInit) says only that this computer has no GPU
CHATTER = re.compile(
    rb"WARNING: All log messages before absl::InitializeLog\(\)"
    rb"|To enable the following instructions: "
    rb"|E\d{4} .*failed call to cuInit"
)


def lowest_severity() -> str:
    """The severity that TF_CPP_MIN_LOG_LEVEL asks for; E where it is no number."""
    level = os.environ.get("TF_CPP_MIN_LOG_LEVEL", "2").strip()
    return SEVERITIES[min(int(level), 3)] if level.isdecimal() else "E"


def worth_showing(line: bytes, lowest: str = "E") -> bool:
    """False for chatter and for a C++ line below `lowest` (I, W, E or F)."""
    if CHATTER.match(line):
        return lowest == "I"
    found = LOG_LINE.match(line)
    if found is None:
        return True
    severity = (found[1] or found[2]).decode()
    return SEVERITIES.index(severity) >= SEVERITIES.index(lowest)


@contextlib.contextmanager
def held_back_stderr(lowest: str = "E") -> Iterator[None]:
    """Hold back what is written to file descriptor 2, then pass on what matters."""
    _flush_stderr()
    try:
        original = os.dup(2)
    except OSError:  # it is closed: there is nobody to spare
        yield
        return
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            _flush_stderr()
            os.dup2(original, 2)
            os.close(original)
            held.seek(0)
            kept = b"".join(line for line in held if worth_showing(line, lowest))
            while kept:
                kept = kept[os.write(2, kept) :]


def _flush_stderr() -> None:
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.flush()


@contextlib.contextmanager
def no_deprecation_notices() -> Iterator[None]:
    """Silence what TensorFlow says about its old names, for calls of our own."""
    from tensorflow.python.util import deprecation

    before = deprecation._PRINT_DEPRECATION_WARNINGS
    deprecation._PRINT_DEPRECATION_WARNINGS = False
    try:
        yield
    finally:
        deprecation._PRINT_DEPRECATION_WARNINGS = before


def _import_tensorflow() -> Any:
    if not imported_late:
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
    with held_back_stderr(lowest_severity()):
        module = importlib.import_module("tensorflow")
        # Done by the first session otherwise, which would then speak of a missing GPU
        module.config.list_physical_devices()
    return module


imported_late: bool = "tensorflow" in sys.modules
"""True when others had imported TensorFlow: what it reads at start-up was not ours."""

tf: Any = _import_tensorflow()
"""TensorFlow 2.21's top module; the TensorFlow 1 API is `tf.compat.v1`."""

functions_in = attrgetter("library.function")
"""The functions that the definition of a graph holds; adding to them changes it."""
