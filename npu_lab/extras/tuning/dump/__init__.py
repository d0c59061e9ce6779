"""Dumps of operators' data: what reads them, finds the first overflow and compares.

A session writes them with `enable_dump` or `enable_dump_debug`, and `dump_path`.
"""

from __future__ import annotations

from npu_lab.extras.tuning.dump.comparing import (
    COLUMNS,
    FIGURES,
    compare,
    figures,
    filtered,
    save,
)
from npu_lab.extras.tuning.dump.reading import (
    Dump,
    Tensor,
    dumps,
    first_overflow,
    statistics,
)

__all__ = [
    "COLUMNS",
    "FIGURES",
    "Dump",
    "Tensor",
    "compare",
    "dumps",
    "figures",
    "filtered",
    "first_overflow",
    "save",
    "statistics",
]
