"""Operators and iterations in what TensorFlow recorded of one host call.

Times are nanoseconds since 1970.  Only operators of the user's are kept, under the
user's names; what the device adds, and the control flow of the loop, is left out.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from npu_lab._tensorflow import tf

COPIED = re.compile(r"npu_lab/(?:loop/(?:.*?/)?pass|plain)/(?P<name>.*)")
COUNTED = re.compile(
    r"npu_lab/loop/[^/]*body[^/]*/_\d+/AssignAddVariableOp(?:_(?P<number>\d+))?"
)
REWRITTEN = re.compile(r"(Arithmetic|Constant|Layout|Loop|Dependency|Remapp)\w*/")
LABEL = re.compile(
    r"(?P<name>\S+) = (?:_Mkl(?:Native)?)?(?P<type>\w+)\((?P<inputs>.*)\)"
)
NO_TASK = frozenset(
    "Switch Merge Enter Exit NextIteration LoopCond _Retval _Arg Const NoOp"  # noqa: SIM905
    " VarHandleOp".split()
)
"""Types that a device has no task for."""
OURS = "/npu_lab/"
GET_NEXT = frozenset({"IteratorGetNext", "IteratorGetNextSync"})
# No first operator of a forward pass, by type and by name
IDLE = re.compile(
    r"Const|NoOp|Variable\w*|VarHandleOp|ReadVariableOp|Iterator\w*|Identity\w*|Reshape"
    r"|Case|Placeholder\w*|Shape\w*|Assign\w*|_\w+"
)
BESIDE = re.compile(r"step|Dataset|seed|kernel", re.IGNORECASE)
BACKWARD = "gradients"


Described = tuple[str, str]


class Op(NamedTuple):
    """One execution of an operator; shapes with types of inputs and outputs.

    `inputs` is empty where one of them is not known.
    """

    name: str
    type: str
    start: int
    end: int
    inputs: tuple[Described, ...]
    outputs: tuple[Described, ...]

    @property
    def duration(self) -> int:
        """Nanoseconds."""
        return self.end - self.start


class Iteration(NamedTuple):
    """One training step: where forward began, backward ended, and all ended."""

    ops: list[Op]
    forward: int
    backward: int
    end: int


def iterations(
    step_stats: Any, names: Collection[str], forward: str = "", backward: str = ""
) -> list[Iteration]:
    """The iterations of one host call, in order.

    Args:
        step_stats: of a RunMetadata.
        names: of the operators that the user asked for.
        forward: the operator at which the forward pass begins; "": the first that
            computes on what GetNext gave.
        backward: that at which the backward pass ends; "": the last of the gradients.
    """
    nodes = [n for device in step_stats.dev_stats for n in device.node_stats]
    ops = sorted(_user_ops(nodes, names), key=lambda op: op.start)
    parts: list[list[Op]] = [[]]
    ends = _ends(nodes)
    if ends:
        parts = [[] for _ in ends]
        for op in ops:
            number = bisect.bisect_left(ends, op.start)
            if number < len(parts):
                parts[number].append(op)
    else:
        parts = [ops]
    whole = [part for part in parts if part]
    return [_iteration(part, forward, backward) for part in whole]


def _iteration(ops: list[Op], forward: str, backward: str) -> Iteration:
    pulled = [op for op in ops if op.type in GET_NEXT]
    ready = max((op.end for op in pulled), default=ops[0].start)
    begun = [op.start for op in ops if op.name == forward]
    begun = begun or [
        op.start
        for op in ops
        if op.start >= ready
        and not IDLE.fullmatch(op.type)
        and not BESIDE.search(op.name)
    ]
    done = [op.end for op in ops if op.name == backward]
    done = done or [
        op.end for op in ops if BACKWARD in op.name and not IDLE.fullmatch(op.type)
    ]
    end = max(op.end for op in ops)
    first = min(begun, default=ready)
    return Iteration(
        ops=ops,
        forward=first,
        backward=max(first, max(done, default=end)),
        end=end,
    )


def _ends(nodes: Iterable[Any]) -> list[int]:
    """When each pass of the loop ended: when it was counted."""
    counted: dict[int, list[int]] = {}
    for node in nodes:
        found = COUNTED.fullmatch(node.node_name)
        if found:
            number = int(found["number"] or 0)
            end = node.all_start_nanos + node.op_end_rel_nanos
            counted.setdefault(number, []).append(end)
    return sorted(counted[max(counted)]) if counted else []


def _user_ops(nodes: Sequence[Any], names: Collection[str]) -> Iterable[Op]:
    copies = any(COPIED.fullmatch(node.node_name) for node in nodes)
    outputs = {n.node_name: tuple(map(_described, n.output)) for n in nodes}
    for node in nodes:
        label = LABEL.fullmatch(node.timeline_label)
        if label is None or label["type"] in NO_TASK:
            continue
        copied = COPIED.fullmatch(node.node_name)
        if copied:
            name = copied["name"]
        elif copies or not (node.node_name in names or REWRITTEN.match(node.node_name)):
            continue
        else:
            name = node.node_name
        if OURS in name:  # beside a random operator, to continue its stream
            continue
        yield Op(
            name=name,
            type=label["type"],
            start=node.all_start_nanos + node.op_start_rel_nanos,
            end=node.all_start_nanos + node.op_end_rel_nanos,
            inputs=_inputs(label["inputs"], outputs),
            outputs=outputs[node.node_name],
        )


def _inputs(
    label: str, outputs: Mapping[str, tuple[Described, ...]]
) -> tuple[Described, ...]:
    found = []
    for given in label.split(", "):
        source, _, slot = given.partition(":")
        known, number = outputs.get(source, ()), int(slot or 0)
        if given[:1] not in ("", "^"):
            found.append(known[number] if number < len(known) else ("", ""))
    return tuple(found) if all(kind for _, kind in found) else ()


def _described(output: Any) -> Described:
    described = output.tensor_description
    shape = ",".join(str(dim.size) for dim in described.shape.dim)
    kind = tf.as_dtype(described.dtype).name if described.dtype else ""
    return shape, kind
