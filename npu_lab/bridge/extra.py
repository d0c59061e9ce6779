"""What the bridge gets from an extra, where that is installed.

The core imports no extra: this is the one place that asks for one, by its name.  An
extra gives what the table of `later` lists, under the vendor's names.
"""

from __future__ import annotations

import importlib
from types import ModuleType

EXTRAS = "npu_lab.extras"


def extra(feature: str) -> ModuleType | None:
    """The extra that carries out `feature`, or None where there is none."""
    name = f"{EXTRAS}.{feature.replace(' ', '_')}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name in {EXTRAS, name}:
            return None
        raise
