"""Precision modes that change numbers, and the flag that an overflow sets."""

from __future__ import annotations

from npu_lab.device.options import SessionOptions
from npu_lab.device.rewriting import Rewriter, Rewriting
from npu_lab.device.subgraph import Subgraph
from npu_lab.extras.tuning.dump.writer import Dumper
from npu_lab.extras.tuning.precision import status
from npu_lab.extras.tuning.precision.policy import Policy
from npu_lab.extras.tuning.precision.query import types
from npu_lab.extras.tuning.precision.rewriting import KINDS, Rewritten


def rewriter(options: SessionOptions) -> Rewriter | None:
    """What is done to the operators of a session with these options.

    Raises:
        tf.errors.InternalError: a file that an option names is wrong.
    """
    policy, dumper = Policy.of(options), Dumper.of(options)

    def rewriting(subgraph: Subgraph) -> Rewriting | None:
        watcher = None
        if dumper is not None and subgraph.kind in KINDS:
            watcher = dumper.model(trains=subgraph.trains)
        made = Rewritten(policy, subgraph, watcher)
        return made if made.changes or made.variables or made.diagnostics else None

    return rewriting


__all__ = ["rewriter", "status", "types"]
