"""What the options of a session ask to dump."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from npu_lab.device.options import SessionOptions

ATOMIC = frozenset({"Sum", "Mean", "BiasAddGrad", "Conv2DBackpropFilter"})
"""Operators that add up in memory with atomic additions; *assumed*."""


@dataclass(frozen=True)
class Settings:
    """What is dumped, and where.

    Attributes:
        path: the folder of all dumps.
        everything: dump every operator of the chosen steps (`enable_dump`).
        overflows: dump what overflows (`enable_dump_debug`).
        steps: first and last of each range of steps; none for all.
        inputs, outputs: whether `everything` dumps them.
        atomic: look at atomic additions only.
        figures: write figures about the tensors instead of their values.
        layers: names of the operators; none for all.
        device: the number of the device, for the folder's name.
    """

    path: Path
    everything: bool
    overflows: bool
    steps: tuple[tuple[int, int], ...]
    inputs: bool
    outputs: bool
    atomic: bool
    figures: bool
    layers: frozenset[str]
    device: str

    @classmethod
    def of(cls, options: SessionOptions) -> Settings | None:
        """Read them; None where nothing is to be dumped."""
        everything = bool(options["enable_dump"])
        overflows = bool(options["enable_dump_debug"])
        if not (everything or overflows):
            return None
        number = options["session_device_id"]
        device = os.environ.get("ASCEND_DEVICE_ID") or "0"
        if isinstance(number, int) and number >= 0:
            device = str(number)
        return cls(
            path=Path(str(options["dump_path"])).absolute(),
            everything=everything,
            overflows=overflows,
            steps=_ranges(str(options["dump_step"] or "")),
            inputs=options["dump_mode"] in ("input", "all"),
            outputs=options["dump_mode"] in ("output", "all"),
            atomic=options["dump_debug_mode"] == "atomic_overflow",
            figures=options["dump_data"] == "stats",
            layers=frozenset(str(options["dump_layer"] or "").split()),
            device=device,
        )

    def takes(self, step: int) -> bool:
        """Whether every operator of this step is dumped."""
        if not self.everything:
            return False
        return not self.steps or any(a <= step <= b for a, b in self.steps)


def _ranges(steps: str) -> tuple[tuple[int, int], ...]:
    found = []
    for group in filter(None, steps.split("|")):
        first, _, last = group.partition("-")
        found.append((int(first), int(last or first)))
    return tuple(found)
