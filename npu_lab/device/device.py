"""The emulated device: what it counted, found and logged, and the switch for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab import hostlog
from npu_lab.device import link
from npu_lab.device.session import DeviceSession
from npu_lab.device.warn import warn
from npu_lab.diagnostics import Diagnostic
from npu_lab.trace import Ledger, Verdict, loops


class Device:
    """One emulated NPU, from `activate` to `deactivate`.

    `ledger` counts the crossings, `verdicts` has one entry for every compiled run,
    `diagnostics` all that was found, `log` writes the host log.  `link_delay` (seconds)
    is waited for at each host call; it may be changed at any time.  `on_compiled` is
    called with the documented line for each compiled graph.
    """

    def __init__(self, link_delay: float = 0.0) -> None:
        self.ledger = Ledger()
        self.verdicts: list[Verdict] = []
        self.diagnostics: list[Diagnostic] = []
        self.log = hostlog.HostLog()
        self.link_delay = link_delay
        self.on_compiled: Callable[[str], None] | None = None
        self._graph_ids = itertools.count()
        self._sessions: WeakKeyDictionary[Any, DeviceSession] = WeakKeyDictionary()

    @property
    def link_delay(self) -> float:
        """Seconds injected into each host call."""
        return self._link_delay

    @link_delay.setter
    def link_delay(self, seconds: float) -> None:
        self._link_delay = link.checked_delay(seconds)

    @property
    def loops(self) -> list[Verdict]:
        """The verdicts on what trains or holds IterationOp, one for each such run."""
        return loops(self.verdicts)

    def session(self, session: Any, plain_run: Callable[..., Any]) -> DeviceSession:
        """The device's side of `session`, made on its first host call."""
        known = self._sessions.get(session)
        if known is None:
            known = DeviceSession(self, session, plain_run)
            self._sessions[session] = known
        return known

    def wait(self, *, on_device: bool) -> float:
        """Wait for the injected delay of one host call; return the seconds waited."""
        return link.wait(self._link_delay) if on_device else 0.0

    def next_graph_id(self) -> int:
        """The number of the next compiled graph; they count from 0."""
        return next(self._graph_ids)

    def compiled(self, graph: hostlog.CompiledGraph) -> str:
        """Log one compiled graph; return the documented line that says so."""
        hostlog.compiled(self.log, graph)
        message = hostlog.lines.model_compiled(graph.graph_id)
        if self.on_compiled is not None:
            self.on_compiled(message)
        return message

    def report(self, diagnostic: Diagnostic) -> None:
        """Record a diagnostic; a warning or an error is also a Python warning."""
        self.diagnostics.append(diagnostic)
        if diagnostic.severity in {"warning", "error"}:
            warn(diagnostic)
