"""The trace: what happened when, on host and device, recorded on demand.

The device's part is stamped inside the loop, by the clock that the host's part is read
from: each pass tells when it began, when its batch had arrived and when it ended, and
of each collective when this rank had come to it and when it ended.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from npu_lab.timeline import Meeting, Span, Timeline


class Trace:
    """Records while it is entered, and starts anew each time.

        with device.trace as trace:
            sess.run(train_op)
        trace.timeline()

    A first recorded call of a loop builds a copy of the loop that stamps; it takes
    longer, as a first call does anyhow.  Of a call that fails only the host's part is
    known.
    """

    def __init__(self) -> None:
        self.recording = False
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._spans: list[Span] = []
        self._steps: list[int] = []
        self._injected = 0.0

    @property
    def zero(self) -> float:
        """When the timeline begins: seconds of the system's clock (Unix time)."""
        with self._lock:
            return min((span.start for span in self._spans), default=0.0)

    def __enter__(self) -> Self:
        with self._lock:
            self._clear()
            self.recording = True
        return self

    def __exit__(self, *_: object) -> None:
        self.recording = False

    def add(
        self,
        begun: float,
        ended: float,
        stamps: Sequence[Sequence[float]],
        injected: float,
        meetings: Sequence[Meeting] = (),
    ) -> None:
        """Add a host call: its clock times in seconds, those of its passes.

        A pass is (begun, batch arrived, ended), and (come, ended) for each of the
        `meetings`.  `injected` is the wait in seconds that the call held.
        """
        with self._lock:
            call, done = len(self._steps), sum(self._steps)
            self._spans.append(Span("call", begun, ended, call))
            for number, row in enumerate(stamps, done):
                start, arrived, end, *met = map(float, row)
                self._spans.append(Span("get_next", start, arrived, call, number))
                self._spans.append(Span("compute", arrived, end, call, number))
                for meeting, come, left in zip(
                    meetings, met[::2], met[1::2], strict=bool(met)
                ):
                    span = Span("collective", come, left, call, number, meeting)
                    self._spans.append(span)
            self._steps.append(len(stamps))
            self._injected = max(self._injected, injected)

    def timeline(self) -> Timeline:
        """What was recorded, as measured; it begins at 0."""
        with self._lock:
            spans, steps = tuple(self._spans), max(self._steps, default=1)
        zero = min((span.start for span in spans), default=0.0)
        moved = (
            replace(span, start=span.start - zero, end=span.end - zero)
            for span in spans
        )
        return Timeline(tuple(moved), "measured", max(1, steps), self._injected)
