"""Broadcasts that come to nothing: made too early, or undone by an initializer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from npu_lab._tensorflow import tf
from npu_lab.diagnostics import diagnose

v1 = tf.compat.v1

SEND = "CollectiveBcastSendV2"
BROADCASTS = (SEND, "CollectiveBcastRecvV2")
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
    carried = {o.inputs[0].op.name: _carrier(o.inputs[1].op) for o in assigned}
    equal = {name for name, carrier in carried.items() if carrier in BROADCASTS}
    variables = v1.global_variables() if assigned else []
    begun = {v.op.name for v in variables if v.initializer.name in subgraph.names}
    if not (equal or begun):
        return None
    # What a receiving rank held before does not matter.
    sent = {name for name in equal if carried[name] == SEND}
    asked = {o.inputs[0].op.name: o for o in subgraph.of_type("VarIsInitializedOp")}
    tests = {name: asked[name].outputs[0] for name in sent & asked.keys()}

    def note() -> None:
        known = _equal.setdefault(session, set())
        lost = sorted((begun - equal) & known)
        known.difference_update(lost)
        if lost:
            session.device.report(diagnose("SINK051", variables=lost))
        found = session.plain_run(session.session, tests) if tests else {}
        empty = {name for name, has_value in found.items() if not has_value} - begun
        if empty:
            session.device.report(diagnose("SINK052", variables=sorted(empty)))
        known.update(equal - empty)

    return note


def _carrier(operation: Any) -> str:
    """The type of the operation that a value comes from."""
    while operation.type in PASSING:
        operation = operation.inputs[0].op
    return str(operation.type)
