"""The emulated device: what it counted, found and logged, and the switch for it."""

from __future__ import annotations

import itertools
import json
import os
import platform
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab import files, hostlog
from npu_lab.device import data_queue
from npu_lab.device.link import Link, checked_bandwidth, checked_delay
from npu_lab.device.options import SessionOptions
from npu_lab.device.rewriting import Rewriter
from npu_lab.device.session import DeviceSession
from npu_lab.device.warn import Place, warn
from npu_lab.diagnostics import Diagnostic
from npu_lab.trace import Ledger, Trace, Verdict, chrome, loops


class Device:
    """One emulated NPU, from `activate` to `deactivate`.

    `ledger` counts the crossings, `trace` records when they were, `verdicts` has one
    entry for every compiled run, `diagnostics` all that was found, `log` writes the
    host log.  `on_compiled` is called with the documented line for each compiled graph,
    `before_call` with the kind of each host call (those of `Ledger.calls`) before
    anything is done for it.  `place` is asked for the target of each new session, with
    its ConfigProto and graph; `explain` for the error to raise instead of TensorFlow's,
    with the training steps, or calls of its kind, that the session had done before, and
    the operations behind it.
    `watch` is shown each new kind of call, by its DeviceSession and Subgraph; what it
    returns is called before every such call.
    `observer` carries out each call of `Session.run` on the device that has no
    RunOptions of its own: it gets the session, the program and what to call, which
    takes RunOptions and RunMetadata.
    `rewriter` is asked, for the options of each session that is on the device, how its
    operators are to be changed: for a `Rewriter`, or None.

    What may be changed at any time: `link_delay` (seconds) is waited for at each host
    call, and each byte that is fed or fetched for `bandwidth` (bytes a second, None for
    no limit); `queue_depth` is the number of batches that the host prepares ahead for a
    sunk GetNext, from the next initialisation of an iterator on.
    """

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.trace = Trace()
        self.verdicts: list[Verdict] = []
        self.diagnostics: list[Diagnostic] = []
        self.log = hostlog.HostLog()
        self.link = Link()
        self.queue_depth = data_queue.DEPTH
        self.on_compiled: Callable[[str], None] | None = None
        self.before_call: Callable[[str], None] | None = None
        self.place: Callable[[Any, Any], str] | None = None
        self.explain: Callable[[Any, int, Any], BaseException] | None = None
        self.observer: Callable[[DeviceSession, Any, Callable[..., Any]], Any] | None
        self.observer = None
        self.rewriter: Callable[[SessionOptions], Rewriter | None] | None = None
        self.watch: Callable[[Any, Any], Callable[[], None] | None] = lambda *_: None
        self._lock = threading.Lock()
        self._graph_ids = itertools.count()
        self._sessions: WeakKeyDictionary[Any, DeviceSession] = WeakKeyDictionary()

    @property
    def link_delay(self) -> float:
        """Seconds injected into each host call."""
        return self.link.delay

    @link_delay.setter
    def link_delay(self, seconds: float) -> None:
        self.link.delay = checked_delay(seconds)

    @property
    def bandwidth(self) -> float | None:
        """Bytes a second of the injected link; None where bytes cost nothing."""
        return self.link.bandwidth

    @bandwidth.setter
    def bandwidth(self, bytes_a_second: float | None) -> None:
        self.link.bandwidth = checked_bandwidth(bytes_a_second)

    @property
    def queue_depth(self) -> int:
        """Batches that the host prepares ahead."""
        return self._queue_depth

    @queue_depth.setter
    def queue_depth(self, batches: int) -> None:
        self._queue_depth = data_queue.checked_depth(batches)

    @property
    def undisturbed(self) -> bool:
        """Whether nothing is to be done for a call beside counting it."""
        busy = self.trace.recording or self.link.delay or self.link.bandwidth
        return not busy and self.before_call is None and self.observer is None

    @property
    def loops(self) -> list[Verdict]:
        """The verdicts on what trains or holds IterationOp, one for each such run."""
        return loops(self.verdicts)

    def session(self, session: Any, plain_run: Callable[..., Any]) -> DeviceSession:
        """The device's side of `session`, made on its first host call."""
        with self._lock:
            known = self._sessions.get(session)
            if known is None:
                known = DeviceSession(self, session, plain_run)
                self._sessions[session] = known
        return known

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

    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Write what `trace` recorded as Chrome-trace JSON, which Perfetto opens.

        The lines that this process wrote to the host log meanwhile are in it.

        Raises:
            OSError: it cannot be written; nothing has been changed.
        """
        timeline, zero = self.trace.timeline(), self.trace.zero
        written = chrome.notes(hostlog.read(self.log.folder, pid=os.getpid()), zero)
        meanwhile = [note for note in written if 0 <= note.at <= timeline.end]
        about = {"zero": zero, "host": platform.node()}
        made = chrome.document(timeline, meanwhile, about)
        files.replace(Path(path), json.dumps(made))

    def report(self, diagnostic: Diagnostic, place: Place | None = None) -> None:
        """Record a diagnostic; a warning or an error is also a Python warning.

        The warning names the line of the host call, or `place`.
        """
        self.diagnostics.append(diagnostic)
        if diagnostic.severity in {"warning", "error"}:
            warn(diagnostic, place)
