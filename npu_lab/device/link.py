"""The link between host and device: a wait injected, for real, into each host call.

It stands for what a real link adds: a fixed delay for each call, and the bytes that
cross over a bandwidth.  The figures are injected, not modelled: the time passes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

LONGEST = 86_400  # seconds; a day


class Link:
    """What each host call waits for; as made it adds nothing.

    `delay` is in seconds a call, `bandwidth` in bytes a second, None where bytes cost
    nothing.
    """

    def __init__(self) -> None:
        self.delay = 0.0
        self.bandwidth: float | None = None

    def cross(self, fed: Sequence[Any] = ()) -> float:
        """Wait for one call and the values it feeds; return the seconds waited."""
        seconds = self.delay
        if self.bandwidth is not None:
            seconds += size(fed) / self.bandwidth
        return _wait(seconds)

    def carry(self, fetched: Any) -> float:
        """Wait for the values a call brings back; return the seconds waited."""
        if self.bandwidth is None:
            return 0.0
        return _wait(size(fetched) / self.bandwidth)


def size(values: Any) -> int:
    """Bytes of everything in `values`, a structure of what a session returns."""
    return sum(_bytes(value) for value in _parts(values))


def _parts(values: Any) -> Iterator[Any]:
    if isinstance(values, Mapping):
        values = values.values()
    elif not isinstance(values, (list, tuple)):
        yield values
        return
    for value in values:
        yield from _parts(value)


def _bytes(value: Any) -> int:
    if value is None:
        return 0
    array = np.asarray(value)
    if array.dtype.kind != "O":
        return array.nbytes
    return sum(len(text) for text in array.flat if isinstance(text, (bytes, str)))


def checked_delay(seconds: object) -> float:
    """`seconds` as a float; ValueError unless it is 0 to a day."""
    number = _number("link_delay", "a number of seconds", seconds)
    if not 0 <= number <= LONGEST:
        message = f"link_delay must be 0 to {LONGEST} seconds, not {seconds!r}"
        raise ValueError(message)
    return number


def checked_bandwidth(bandwidth: object) -> float | None:
    """`bandwidth` as a float of 1 or more, None for no limit; else ValueError."""
    if bandwidth is None:
        return None
    number = _number("bandwidth", "a number of bytes a second or None", bandwidth)
    if number == math.inf:
        return None
    if not number >= 1:
        message = f"bandwidth must be 1 byte a second or more, not {bandwidth!r}"
        raise ValueError(message)
    return number


def _number(name: str, what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"{name} must be {what}, not {value!r}"
        raise TypeError(message)
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _wait(seconds: float) -> float:
    """Wait, and return the seconds really waited."""
    if not seconds:
        return 0.0
    start = time.perf_counter()
    time.sleep(min(seconds, LONGEST))
    return time.perf_counter() - start
