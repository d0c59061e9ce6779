"""Freezes a trained model: its variables become constants, in one .pb file."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorflow.python.ops import gen_resource_variable_ops

from npu_lab import files
from npu_lab._tensorflow import no_deprecation_notices, tf
from npu_lab.extras.freeze import inputs, listing, names, sources, training, verifying
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import PLACEHOLDERS, cut

v1 = tf.compat.v1
HOST_STATE = {
    "python": re.compile(r"(Eager)?PyFunc(Stateless)?"),
    "table": re.compile(r"\w*HashTable\w*|LookupTable\w+"),
}


@dataclass(frozen=True)
class Frozen:
    """What was written.

    Attributes:
        path: the .pb file.
        inputs, outputs: their names, types and shapes.
        constants: how many variables became constants.
        difference: the largest difference from the live model that was seen.
        random: operators that draw random numbers; the two were given the same.
        findings: what belongs to training, where that was allowed.
    """

    path: Path
    inputs: tuple[listing.Node, ...]
    outputs: tuple[listing.Node, ...]
    constants: int
    difference: float
    random: tuple[str, ...] = ()
    findings: tuple[training.Finding, ...] = ()


def freeze(
    source: Any,
    output: str | os.PathLike[str],
    outputs: str | Sequence[str] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    iterator_inputs: Sequence[str] = (),
    feeds: Mapping[str, Any] | None = None,
    model: Callable[[], Any] | None = None,
    meta: str | os.PathLike[str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    tags: Sequence[str] = ("serve",),
    signature: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    allow_training: bool = False,
) -> Frozen:
    """Write `source` as a frozen graph to the file `output`.

    The frozen graph is run beside the live model, on random inputs and on `feeds`; it
    is written where no value differs by more than 1e-6 (of the value, above 1).

    Args:
        source: a checkpoint (prefix, or folder for the newest), a SavedModel such as an
            Estimator exports, a file that Keras saved, a description (.json) with
            `weights`, or a model of tf_keras.
        output: the .pb file. What is there stays until the new one is whole.
        outputs: names of tensors or operations; by default those that the source says.
        constants: values for placeholders that are to be no inputs, by name, such as
            ``{"keep_prob": 1.0}``.
        iterator_inputs: names for the placeholders to put in the place of an iterator's
            components, in their order; without them an iterator is refused.
        feeds: inputs to compare with, by name, besides random ones.
        model: builds the inference graph for a checkpoint, in the default graph; may
            return the outputs. By default the graph is that of the file `meta`.
        meta: by default the .meta file of the checkpoint.
        weights: the file of the weights for a description.
        tags: which graph of a SavedModel.
        signature: whose outputs of a SavedModel; by default serving_default, or else
            predict.
        custom_objects: as Keras wants them.
        allow_training: freeze what belongs to training as it is.

    Raises:
        FreezeError: it cannot be done; nothing has been written.
    """
    path = Path(os.fsdecode(output))
    _check_writable(path)
    with sources.opened(
        source,
        model=model,
        meta=meta,
        weights=weights,
        tags=tags,
        signature=signature,
        custom_objects=custom_objects,
    ) as live:
        wanted = _wanted(live, outputs)
        fixed = _constants(live, constants or {})
        graph_def = _inference_graph(live, wanted, fixed)
        taken = inputs.replace_iterators(live.graph, graph_def, wanted, iterator_inputs)
        behind = [one.name for one in wanted]
        found = training.findings(graph_def, behind)
        if found and not allow_training:
            raise _refusal(graph_def, behind, found)
        _refuse_host_state(graph_def)
        if live.load is not None:
            live.load(wanted)
        graph_def, converted = _converted(live, graph_def, behind)
        content = _serialized(graph_def, path)
        frozen = v1.GraphDef.FromString(content)
        if not any(node.op in PLACEHOLDERS for node in frozen.node):
            raise FreezeError("no inputs", names=names.listed(behind))
        difference = verifying.difference(
            live, frozen, behind, fixed, taken, feeds or {}
        )
        _write(path, content)
        given, gives = listing.ends(frozen, behind)
        return Frozen(
            path,
            given,
            gives,
            converted,
            difference,
            tuple(training.random_operators(frozen, behind)),
            tuple(found),
        )


def _check_writable(path: Path) -> None:
    try:
        if path.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise FreezeError("no write", path=path, detail=error.strerror) from error


def _wanted(live: sources.Live, outputs: str | Sequence[str] | None) -> list[Any]:
    asked = [outputs] if isinstance(outputs, str) else list(outputs or live.outputs)
    if not asked:
        there = [one.name for one in listing.of_graph(live.graph).outputs]
        raise FreezeError("no outputs", there=names.listed(there, most=10))
    found = [names.tensor(live.graph, name) for name in asked]
    for one in found:
        if one.dtype in (tf.resource, tf.variant):
            raise FreezeError("no value", name=one.name, type=one.op.type)
    return found


def _constants(live: sources.Live, constants: Mapping[str, Any]) -> dict[str, Any]:
    made = {}
    for name, value in constants.items():
        operation = names.tensor(live.graph, name).op
        if operation.type not in PLACEHOLDERS:
            raise FreezeError("no placeholder", name=name, type=operation.type)
        made[operation.name] = value
    return made


def _inference_graph(
    live: sources.Live, wanted: Sequence[Any], fixed: Mapping[str, Any]
) -> Any:
    behind = [one.name for one in wanted]
    try:
        return training.settled(live.graph.as_graph_def(), behind, fixed)
    except (TypeError, ValueError) as error:
        if isinstance(error, FreezeError) or not fixed:
            raise
        shown = ", ".join(f"{name}={value!r}" for name, value in fixed.items())
        raise FreezeError("bad constant", given=shown, detail=error) from error


def _refusal(
    graph_def: Any, behind: Sequence[str], found: Sequence[training.Finding]
) -> FreezeError:
    settings, left = training.ending(graph_def, behind)
    errors = []
    if settings:
        given = " ".join(f"--set {name}={value}" for name, value in settings.items())
        ended = [one.name for one in found if one not in left]
        errors.append(
            FreezeError("training set", names=names.listed(ended), given=given)
        )
    for kind in dict.fromkeys(one.kind for one in left):
        shown = names.listed(one.name for one in left if one.kind == kind)
        errors.append(FreezeError(f"training {kind}", names=shown))
    return FreezeError.joined(errors)


def _refuse_host_state(graph_def: Any) -> None:
    bodies = [graph_def.node, *(f.node_def for f in graph_def.library.function)]
    for node in (one for nodes in bodies for one in nodes):
        for key, kinds in HOST_STATE.items():
            if kinds.fullmatch(node.op):
                raise FreezeError(key, name=node.name, type=node.op)


def _converted(
    live: sources.Live, graph_def: Any, behind: Sequence[str]
) -> tuple[Any, int]:
    """The graph with constants, and how many variables it had."""
    variables = [n.name for n in graph_def.node if n.op in sources.VARIABLES]
    _add_reads(live.graph, variables)
    operations = list(dict.fromkeys(name.partition(":")[0] for name in behind))
    try:
        with no_deprecation_notices():
            made = v1.graph_util.convert_variables_to_constants(
                live.session, graph_def, operations
            )
    except tf.errors.FailedPreconditionError as error:
        raise FreezeError("no values", names=names.listed(variables)) from error
    made = cut(made, operations)
    left = [n.name for n in made.node if n.op in sources.VARIABLES]
    if left:
        raise FreezeError("not converted", names=names.listed(left))
    return made, len(variables)


def _add_reads(graph: Any, variables: Sequence[str]) -> None:
    """TensorFlow reads each variable by an operation that must have this name."""
    for name in variables:
        handle = graph.get_operation_by_name(name)
        read = f"{name}/Read/ReadVariableOp"
        known = {one.name for one in graph.get_operations()}
        if handle.type == "VarHandleOp" and read not in known:
            with graph.as_default():
                gen_resource_variable_ops.read_variable_op(
                    handle.outputs[0], tf.as_dtype(handle.get_attr("dtype")), name=read
                )


def _serialized(graph_def: Any, path: Path) -> bytes:
    try:
        content: bytes = graph_def.SerializeToString(deterministic=True)
    except Exception as error:  # protobuf's own classes, for more than 2 GB
        raise FreezeError("too large", path=path) from error
    return content


def _write(path: Path, content: bytes) -> None:
    try:
        files.replace(path, content)
    except OSError as error:
        raise FreezeError("no write", path=path, detail=error.strerror) from error
