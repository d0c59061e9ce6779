"""A run on host and device as spans of time on one clock, measured or modelled.

The host lane holds one span for each host call, from its launch to its return.  The
device lane holds two for each iteration: waiting for GetNext, and computing; of several
ranks also one for each collective, from its rank's arrival to its end.  What lies
between the launch and the first of them, between the last of them and the return, and
between two calls, is time in which the device is idle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["call", "get_next", "compute", "collective"]
Provenance = Literal["measured", "modelled", "assumed"]


class Meeting(NamedTuple):
    """What a collective is, and the keys by which the ranks find each other in it.

    `size` is how many they are.
    """

    name: str
    group: int
    instance: int
    size: int


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of time, in seconds.

    `call` is the number of the host call it belongs to, `iteration` that of the
    training step (None for a call); both count from 0 over the whole run.  A collective
    has its `meeting`; it lies within the computing.
    """

    kind: Kind
    start: float
    end: float
    call: int
    iteration: int | None = None
    meeting: Meeting | None = None

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


@dataclass(frozen=True)
class Timeline:
    """The spans of one run, ordered by start, and where they come from.

    `injected` is the delay in seconds that was waited in each call on purpose; a
    measured timeline with one is to be labelled so.
    """

    spans: tuple[Span, ...]
    provenance: Provenance
    iterations_per_loop: int = 1
    injected: float = 0.0

    def __post_init__(self) -> None:
        for span in self.spans:
            if not span.end >= span.start:
                message = f"A span cannot end before it starts: {span}"
                raise ValueError(message)
        ordered = sorted(self.spans, key=lambda span: (span.start, span.end))
        object.__setattr__(self, "spans", tuple(ordered))

    @cached_property
    def start(self) -> float:
        """When the first span starts."""
        return min((span.start for span in self.spans), default=0.0)

    @cached_property
    def end(self) -> float:
        """When the last span ends."""
        return max((span.end for span in self.spans), default=0.0)

    @property
    def seconds(self) -> float:
        """From the first start to the last end."""
        return self.end - self.start

    @cached_property
    def calls(self) -> tuple[Span, ...]:
        """The host calls."""
        return self.of("call")

    @cached_property
    def iterations(self) -> int:
        """How many training steps ran."""
        return len(self.of("compute"))

    def of(self, *kinds: Kind) -> tuple[Span, ...]:
        """The spans of these kinds."""
        return tuple(span for span in self.spans if span.kind in kinds)

    def total(self, kind: Kind) -> float:
        """Seconds spent in spans of one kind."""
        return sum(span.seconds for span in self.of(kind))

    @cached_property
    def idle(self) -> tuple[tuple[float, float], ...]:
        """The stretches (start, end) in which the device neither waits nor computes."""
        return tuple(_gaps(self.of("get_next", "compute"), self.start, self.end))

    @property
    def idle_seconds(self) -> float:
        """How long the device was idle."""
        return sum(end - start for start, end in self.idle)


def _gaps(
    spans: Iterable[Span], start: float, end: float
) -> Iterable[tuple[float, float]]:
    reached = start
    for span in spans:
        if span.start > reached:
            yield reached, span.start
        reached = max(reached, span.end)
    if end > reached:
        yield reached, end
