"""The overflow mode of the device: saturation, or infinities and NaN."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from npu_lab.device import seam
from npu_lab.extras.tuning.precision._texts import text

SATURATION, INF_NAN = 0, 1
LARGEST = 65504.0  # of float16

_modes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def set_device_sat_mode(mode: int) -> None:
    """Choose what an overflow in float16 gives, in sessions that run from now on.

    Args:
        mode: 0 for saturation (+-65504, and 0 for NaN), 1 for infinities and NaN, which
            is the default of the A2 training product.

    Raises:
        ValueError: another mode, or no device is active.
    """
    if mode not in (SATURATION, INF_NAN) or isinstance(mode, bool):
        raise ValueError(text("sat mode", given=repr(mode)))
    device = seam.active_device()
    if device is None:
        raise ValueError(text("no device"))
    _modes[device] = mode


def is_inf_nan_enabled() -> bool:
    """Whether an overflow gives infinities and NaN."""
    return _modes.get(seam.active_device(), INF_NAN) == INF_NAN
