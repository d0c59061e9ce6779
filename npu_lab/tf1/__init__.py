"""TensorFlow 1.15 by name: ``import npu_lab.tf1 as tf``.

The names of `tf` are those of TensorFlow 1.15, on the TensorFlow 2.21 installed. That
statement, or else the first name taken from here, puts the process into graph mode (see
`npu_lab.tf1.process`). Importing a part, such as `npu_lab.tf1.view`, does not: that one
shows the same names to all user code that imports `tensorflow`.
"""

from __future__ import annotations

from typing import Any

from npu_lab import _tensorflow  # noqa: F401  (quietly, before anyone else does)
from npu_lab.tf1 import calling, face, process


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name not in ("__all__", "__version__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(face.tf, name)
    process.enter(__name__)
    return value


def __dir__() -> list[str]:
    return dir(face.tf)


if calling.plainly_imports(__name__):
    process.enter(__name__)
