"""Lists what a graph takes, and what it may be asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf import text_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze import sources, training
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import PLACEHOLDERS
from npu_lab.extras.freeze.inputs import DATA
from npu_lab.extras.freeze.settling import CONDITIONS

v1 = tf.compat.v1
GRAPH_FILES = (".pb", ".pbtxt")
# What training and saving add to a graph.
SCOPES = re.compile(r"(^|/)(gradients|save|report_uninitialized_variables)(_\d+)?/")
SERVICE = re.compile(
    rf"{training.UPDATES.pattern}|\w*Summary\w*|Assert|Print\w*|Save\w*|NoOp"
)
LOSSES = re.compile(r"\w*CrossEntropy\w*")
BRANCHES = ("then", "else")
SIZES = frozenset({"Shape", "ShapeN", "Size", "Rank"})


class Node(NamedTuple):
    """A tensor: its name (without ``:0``), operator, type and shape."""

    name: str
    operator: str
    type: str
    shape: str


class Listing(NamedTuple):
    """What a graph takes, what it may be asked for, and all that it has."""

    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    nodes: tuple[Node, ...]


def nodes(source: Any, **how: Any) -> Listing:
    """List what is in `source`: all that `freeze` takes, and graph files (.pb, .pbtxt).

    The inputs are placeholders and iterators. The outputs are those that the source
    names; without any, tensors that come from an input and are used by nothing, or by
    training only.

    Args:
        source: what to look at.
        how: as for `freeze`: `model`, `meta`, `tags`, and so on.

    Raises:
        FreezeError: it cannot be opened.
    """
    if isinstance(source, (str, bytes, os.PathLike)):
        path = Path(os.fsdecode(source))
        if path.suffix in GRAPH_FILES:
            return of_graph(imported(path))
    with sources.opened(source, **how) as live:
        return of_graph(live.graph, live.outputs)


def imported(path: Path) -> Any:
    """The graph in a file.

    Raises:
        FreezeError: there is none in it.
    """
    graph_def = v1.GraphDef()
    try:
        content = path.read_bytes()
        if path.suffix == ".pbtxt":
            text_format.Parse(content, graph_def)
        else:
            graph_def.ParseFromString(content)
        if not graph_def.node:
            raise ValueError("no node")  # noqa: TRY301
        graph = tf.Graph()
        with graph.as_default():
            v1.import_graph_def(graph_def, name="")
    except FileNotFoundError as error:
        raise FreezeError("no file", path=path, near="") from error
    except OSError as error:
        raise FreezeError("no read", path=path, detail=error.strerror) from error
    except (DecodeError, text_format.ParseError, ValueError) as error:
        detail = str(error).partition("\n")[0]
        raise FreezeError("bad graph", path=path, detail=detail) from error
    return graph


def of_graph(graph: Any, outputs: Sequence[str] = ()) -> Listing:
    """List a graph; `outputs` are the names of those that are known."""
    operations = graph.get_operations()
    tensors = [t for one in operations for t in one.outputs]
    found = [graph.get_tensor_by_name(n) for n in outputs] or list(_candidates(graph))
    needed = _behind([t.op for t in found]) if found else operations
    given = [t for t in tensors if _is_input(t.op) and t.op in needed]
    return Listing(
        tuple(map(_node, given)), tuple(map(_node, found)), tuple(map(_node, tensors))
    )


def ends(
    graph_def: Any, outputs: Sequence[str]
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The inputs and the outputs of a frozen graph."""
    with tf.Graph().as_default() as graph:
        v1.import_graph_def(graph_def, name="")
    listed = of_graph(graph, outputs)
    return listed.inputs, listed.outputs


def ends_of(graph: Any) -> list[Any]:
    """The tensors that come from an input, and that nothing uses."""
    found = list(_candidates(graph))
    return [t for t in found if not any(o.consumers() for o in t.op.outputs)]


def _is_input(operation: Any) -> bool:
    return operation.type in PLACEHOLDERS or bool(DATA.fullmatch(operation.type))


def _behind(operations: Sequence[Any]) -> set[Any]:
    found: set[Any] = set()
    waiting = list(operations)
    while waiting:
        operation = waiting.pop()
        if operation not in found:
            found.add(operation)
            waiting += [tensor.op for tensor in operation.inputs]
    return found


def _node(tensor: Any) -> Node:
    shape = tensor.shape
    sizes = None if shape.rank is None else shape.as_list()
    shown = (
        "?"
        if sizes is None
        else f"[{', '.join('?' if size is None else str(size) for size in sizes)}]"
    )
    return Node(
        tensor.name.removesuffix(":0"), tensor.op.type, tensor.dtype.name, shown
    )


def _service(operation: Any) -> bool:
    return bool(
        SERVICE.fullmatch(operation.type) or SCOPES.search(f"{operation.name}/")
    )


def _candidates(graph: Any) -> Iterator[Any]:
    """What comes from an input, and nothing but training uses; and scores of losses."""
    operations = graph.get_operations()
    reached: set[Any] = set()
    waiting = [one for one in operations if _is_input(one)]
    while waiting:
        operation = waiting.pop()
        if operation not in reached and not _service(operation):
            reached.add(operation)
            if operation.type not in SIZES:
                waiting += [user for t in operation.outputs for user in t.consumers()]
    scores = {_scores(one) for one in reached if LOSSES.fullmatch(one.type)}
    updating = _updating(graph)
    for operation in operations:
        if operation in scores or (
            operation in reached
            and operation.type not in SIZES
            and not _is_input(operation)
            and _unused(operation)
            and not any(_calls(t.op) & updating for t in operation.inputs)
        ):
            for tensor in operation.outputs:
                if tensor.dtype not in (tf.resource, tf.variant):
                    yield tensor


def _updating(graph: Any) -> set[str]:
    """The functions in which a variable is updated."""
    return {
        function.signature.name
        for function in graph.as_graph_def().library.function
        if any(training.UPDATES.fullmatch(node.op) for node in function.node_def)
    }


def _calls(operation: Any) -> set[str]:
    branches = operation.type in CONDITIONS
    return {operation.get_attr(f"{b}_branch").name for b in BRANCHES if branches}


def _unused(operation: Any) -> bool:
    """Whether nothing takes its values, but for training, and no variable does."""
    users = [one for t in operation.outputs for one in t.consumers()]
    return all(
        _service(one) and not training.UPDATES.fullmatch(one.type) for one in users
    )


def _scores(loss: Any) -> Any:
    """The operation whose scores a loss takes."""
    operation = loss.inputs[0].op
    while operation.type in ("Reshape", "Identity") and not _named(operation):
        operation = operation.inputs[0].op
    return operation


def _named(operation: Any) -> bool:
    """Whether it is no part of a loss or its like: it stands in no scope."""
    return "/" not in operation.name
