"""Where the fused gradients are cut, what scripts import as `hccl.split.api`.

The cuts say when a part of the gradients is sent, not what is computed.  Here all dense
gradients of one type are sent together, so what is given is checked, and has no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npu_lab.extras.distributed import groups
from npu_lab.extras.distributed._texts import text
from npu_lab.extras.distributed.groups import WORLD

WHOLE = 100  # per cent
SEGMENTS = 8


def set_split_strategy_by_idx(idxList: Sequence[int], group: str = WORLD) -> None:  # noqa: N803
    """Cut behind the gradients of these numbers, ascending; without effect.

    Raises:
        ValueError: they do not ascend, or there is no such group.
    """
    name = "set_split_strategy_by_idx"
    groups.find(name, group)
    numbers = list(idxList)
    correct = all(isinstance(n, int) and n >= 0 for n in numbers)
    if not (numbers and correct and numbers == sorted(set(numbers))):
        raise _wrong(name, "idxList", idxList, "ascending")


def set_split_strategy_by_size(
    dataSizeList: Sequence[float],  # noqa: N803
    group: str = WORLD,
) -> None:
    """Cut into parts of so many per cent of the bytes; without effect.

    Raises:
        ValueError: they are more than eight or do not make 100, or there is no such
            group.
    """
    name = "set_split_strategy_by_size"
    groups.find(name, group)
    parts = list(dataSizeList)
    known = all(isinstance(p, int | float) and p >= 0 for p in parts)
    if not (known and len(parts) <= SEGMENTS and abs(sum(parts) - WHOLE) < 1e-6):  # noqa: PLR2004
        raise _wrong(name, "dataSizeList", dataSizeList, "per cent")


def _wrong(name: str, argument: str, given: Any, rule: str) -> ValueError:
    told = {"name": name, "argument": argument, "given": given}
    return ValueError(text("argument", rule=text(rule), **told))
