"""What is said of a function's loop, as diagnostics."""

from __future__ import annotations

from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.diagnostics import Diagnostic, diagnose
from npu_lab.extras.tf2 import steps
from npu_lab.extras.tf2._texts import reasons
from npu_lab.extras.tf2.counting import NOT_PUSHED
from npu_lab.extras.tf2.judging import (
    BUILTIN_LOOP,
    HOST_LOOP,
    NO_LOOP,
    Graph,
    Judgement,
)
from npu_lab.extras.tf2.programs import Counted

SHOWN = 3  # names of a list


def plain(graph: Graph, size: int) -> list[Diagnostic]:
    """Of a graph that takes no batch and so has no loop."""
    if size == 1 or graph.kind != "training":
        return []
    why = reasons(["no iterator"])
    return [diagnose("SINK082", function=graph.name, size=size, reasons=why)]


def looped(
    graph: Graph,
    judgement: Judgement,
    size: int,
    asked: int | None,
    total: Counted,
    unread: int,
) -> list[Diagnostic]:
    """Of one that takes batches, after a call that went well.

    `asked` are the passes that the While asks for, None where they are not known or
    count anyhow; `unread` the batches that were pushed and not taken.
    """
    found: list[Diagnostic] = []
    name, mode = graph.name, judgement.mode
    why = reasons(
        judgement.reasons,
        whiles=len(graph.whiles),
        unrelated=_some(graph.unrelated) if graph.consuming else "",
        unsupported=_some(graph.unsupported),
        shapes=_some(graph.unknown_shapes),
    )
    if mode == NO_LOOP:
        if size > 1 and graph.kind == "training":
            found.append(diagnose("SINK082", function=name, size=size, reasons=why))
        return found
    if mode == BUILTIN_LOOP:
        found.append(diagnose("SINK080", function=name, reasons=why))
        if unread:
            facts: dict[str, object] = {"pushed": size, "taken": total.passes}
            facts["unread"] = unread
            found.append(diagnose("SINK079", function=name, **facts))
        return found
    if mode == HOST_LOOP:
        shapes = _some(graph.unknown_shapes)
        facts = {"function": name, "shapes": shapes, "size": size}
        found.append(diagnose("SINK081", **facts))
    if asked is not None and asked != size:
        found.append(diagnose("SINK077", function=name, asked=asked, size=size))
    if size > 1 and (carried := steps.carried(graph.loop, graph.functions)):
        found.append(diagnose("SINK083", function=name, count=len(carried)))
    return found


def failure(
    error: Any, graph: Graph, mode: str, total: Counted, size: int
) -> tuple[Diagnostic, type[Any]] | None:
    """What a failed call had done, and the kind of error; None where it is clear."""
    get_next = ", ".join(p.node.name for p in graph.pulls)
    if (
        isinstance(error, tf.errors.InvalidArgumentError)
        and NOT_PUSHED in error.message
    ):
        facts = {
            "function": graph.name,
            "get_next": get_next,
            "pushed": size,
            "taken": max(total.pulled.values()),
            "mode": mode,
        }
        return diagnose("SINK078", **facts), tf.errors.InternalError
    if isinstance(error, tf.errors.OutOfRangeError) and mode != NO_LOOP:
        facts = {"get_next": get_next, "done": total.passes, "iterations": size}
        return diagnose("SINK030", **facts), tf.errors.OutOfRangeError
    return None


def _some(names: Any) -> str:
    shown = ", ".join(names[:SHOWN])
    return f"{shown}, ..." if len(names) > SHOWN else shown
