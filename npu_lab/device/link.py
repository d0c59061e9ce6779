"""The link between host and device: a delay injected, for real, into each host call."""

from __future__ import annotations

import math
import time


def checked_delay(seconds: float) -> float:
    """`seconds` as a float; ValueError unless it is finite and not negative."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        message = f"link_delay must be a number of seconds, not {seconds!r}"
        raise TypeError(message)
    if not math.isfinite(seconds) or seconds < 0:
        message = f"link_delay must be 0 seconds or more, not {seconds!r}"
        raise ValueError(message)
    return float(seconds)


def wait(seconds: float) -> float:
    """Wait, and return the seconds really waited: an injected figure, not a model."""
    if not seconds:
        return 0.0
    start = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - start
