"""How an extra changes the operators of a host call, in the loop and out of it.

Both are copies of what the user wrote, and a copy is where operators can be changed
without a trace in the user's graph.  The core changes none by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol

from npu_lab.device.subgraph import Subgraph
from npu_lab.diagnostics import Diagnostic


class Rewriting(Protocol):
    """What is done to the operators of one host call.

    `key` tells it from others in the same graph.  `variables` are the session
    variables that it needs, with their initial values.  Without `changes` the user's
    operators are run as they are.  `diagnostics` go into the verdict.
    """

    key: Hashable
    variables: Mapping[str, Any]
    changes: bool
    diagnostics: Sequence[Diagnostic]

    def rewrite(self, graph_def: Any) -> None:
        """Change a definition in place, its functions too.

        Each output of a node keeps its name; a session variable is an input called by
        its name.
        """


Rewriter = Callable[[Subgraph], Rewriting | None]
"""Tells how the operators of a host call are changed, if they are."""
