"""Broadcasts that come to nothing: made too early, or undone by an initializer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab._tensorflow import tf
from npu_lab.diagnostics import diagnose

v1 = tf.compat.v1

BROADCASTS = ("CollectiveBcastSendV2", "CollectiveBcastRecvV2")
PASSING = ("Cast", "Identity", "Reshape")
ASSIGNMENTS = ("Assign", "AssignVariableOp")

_equal: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The variables that a broadcast has made equal, by session."""


def watch(session: Any, subgraph: Any) -> Callable[[], None] | None:
    """What to do before each call of this kind; None where it is of no interest.

    Args:
        session: its DeviceSession.
        subgraph: its operations.
    """
    assigned = subgraph.of_type(*ASSIGNMENTS)
    sent = {o.inputs[0].op.name for o in assigned if _broadcast(o.inputs[1].op)}
    variables = v1.global_variables() if assigned else []
    begun = {v.op.name for v in variables if v.initializer.name in subgraph.names}
    if not (sent or begun):
        return None
    asked = {o.inputs[0].op.name: o for o in subgraph.of_type("VarIsInitializedOp")}
    tests = {name: asked[name].outputs[0] for name in sent & asked.keys()}

    def note() -> None:
        known = _equal.setdefault(session, set())
        lost = sorted((begun - sent) & known)
        known.difference_update(lost)
        if lost:
            session.device.report(diagnose("SINK051", variables=lost))
        found = session.plain_run(session.session, tests) if tests else {}
        empty = {name for name, has_value in found.items() if not has_value} - begun
        if empty:
            session.device.report(diagnose("SINK052", variables=sorted(empty)))
        known.update(sent - empty)

    return note


def _broadcast(operation: Any) -> bool:
    while operation.type in PASSING:
        operation = operation.inputs[0].op
    return operation.type in BROADCASTS
