"""Opens what can be frozen: checkpoints and SavedModels; Keras has its own module."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorflow.python.saved_model import loader_impl

from npu_lab._tensorflow import no_deprecation_notices, tf
from npu_lab.extras.freeze import keras_models
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import HostSession, Nodes
from npu_lab.extras.freeze.names import listed, near

v1 = tf.compat.v1
VARIABLES = frozenset({"VarHandleOp", "VariableV2", "Variable"})
SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
CHECKPOINT_PARTS = (".index", ".meta", ".data-00000-of-00001")
STEP = "global_step"


@dataclass
class Live:
    """A model with its session.

    `outputs` are the names of the tensors that it says it gives; `load`, where it is
    needed, gives the variables behind some tensors their values.
    """

    session: Any
    outputs: tuple[str, ...] = ()
    load: Callable[[Sequence[Any]], None] | None = None

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self.session.graph


@contextlib.contextmanager
def opened(
    source: Any,
    *,
    model: Callable[[], Any] | None = None,
    meta: str | os.PathLike[str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    tags: Sequence[str] = ("serve",),
    signature: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
) -> Iterator[Live]:
    """Open `source`; see `freezing.freeze` for what it may be.

    Raises:
        FreezeError: it is none of these, or cannot be opened.
    """
    with contextlib.ExitStack() as stack:
        if keras_models.is_model(source):
            source = stack.enter_context(keras_models.exported(source))
        if isinstance(source, keras_models.Weighed):
            yield stack.enter_context(_keras(source))
            return
        if not isinstance(source, (str, bytes, os.PathLike)):
            raise FreezeError("no source", source=repr(source)[:200])
        path = Path(os.fsdecode(source))
        if model is None and (folder := _saved_model(path)):
            yield stack.enter_context(_exported(folder, tags, signature))
        elif model is None and path.suffix in keras_models.SUFFIXES:
            loaded = keras_models.loaded(path, weights, custom_objects)
            yield stack.enter_context(opened(loaded))
        else:
            yield stack.enter_context(_restored(_prefix(path), model, meta))


def _saved_model(path: Path) -> Path | None:
    """The folder of the SavedModel at `path`, or the newest named for a time."""
    if any((path / name).is_file() for name in SAVED_MODEL):
        return path
    if not path.is_dir() or (path / "checkpoint").is_file():
        return None
    stamped = [one for one in path.iterdir() if one.name.isdecimal()]
    exports = [one for one in stamped if _saved_model(one)]
    return max(exports, key=lambda one: int(one.name), default=None)


def _prefix(path: Path) -> Path:
    """The prefix of the checkpoint at `path`, which may be a folder or a part of it."""
    if path.is_dir():
        newest = v1.train.latest_checkpoint(str(path))
        if newest is None:
            raise FreezeError("empty folder", folder=path)
        return Path(newest)
    for ending in CHECKPOINT_PARTS:
        if path.name.endswith(ending):
            path = path.with_name(path.name.removesuffix(ending))
    if not path.with_name(f"{path.name}.index").is_file():
        there: list[str] = []
        if path.parent.is_dir():
            files = [one.name for one in path.parent.iterdir()]
            there = [name.removesuffix(".index") for name in files]
        raise FreezeError("no file", path=path, near=near(path.name, there))
    return path


@contextlib.contextmanager
def _restored(
    prefix: Path,
    model: Callable[[], Any] | None,
    meta: str | os.PathLike[str] | None,
) -> Iterator[Live]:
    graph = tf.Graph()
    outputs: tuple[str, ...] = ()
    with graph.as_default(), no_deprecation_notices():
        if model is not None:
            outputs = _tensors(model())
            saver = None
        else:
            file = Path(meta or f"{prefix}.meta")
            if not file.is_file():
                raise FreezeError("no meta", path=file)
            try:
                saver = v1.train.import_meta_graph(str(file), clear_devices=True)
            except Exception as error:
                raise FreezeError("bad meta", path=file, detail=error) from error
    with HostSession(graph) as session:

        def load(tensors: Sequence[Any]) -> None:
            used = saver or _saver(graph, tensors, prefix)
            if used is None:
                return
            try:
                used.restore(session, str(prefix))
            except (ValueError, tf.errors.OpError) as error:
                detail = str(error).partition("\n")[0]
                raise FreezeError("no restore", path=prefix, detail=detail) from error

        yield Live(session, outputs, load)


def _tensors(returned: Any) -> tuple[str, ...]:
    """The names of the tensors in what a model function returned."""
    predictions = getattr(returned, "predictions", None)
    flat = tf.nest.flatten(returned if predictions is None else predictions)
    return tuple(one.name for one in flat if isinstance(one, tf.Tensor))


def _saver(graph: Any, tensors: Sequence[Any], prefix: Path) -> Any:
    """A saver for the variables behind `tensors`; None where there are none."""
    nodes = Nodes(graph.as_graph_def().node)
    behind = nodes.behind([tensor.op.name for tensor in tensors])
    handles = {name for name in behind if nodes[name].op in VARIABLES}
    if not handles:
        return None
    with graph.as_default():
        known = {one.op.name: one for one in _variables()}
        in_file = v1.train.load_checkpoint(str(prefix)).get_variable_to_shape_map()
        chosen = [known[name] for name in handles if name in known]
        names = [_name(one) for one in chosen] + sorted(handles - known.keys())
        missing = sorted(name for name in names if name not in in_file)
        if missing:
            key = "object checkpoint" if _of_objects(in_file) else "missing variables"
            found = near(missing[0], in_file)
            raise FreezeError(
                key, path=prefix, names=listed(missing), near=found or listed(in_file)
            )
        for one in chosen:  # a resource variable takes any shape without a word
            part = one._get_save_slice_info()
            shape = part.full_shape if part is not None else one.shape.as_list()
            if (there := in_file[_name(one)]) != list(shape):
                detail = f"{_name(one)} {there} != {list(shape)}"
                raise FreezeError("no restore", path=prefix, detail=detail)
        return v1.train.Saver(chosen)


def _variables() -> list[Any]:
    """The variables of the default graph."""
    keys = v1.GraphKeys
    kinds = (keys.GLOBAL_VARIABLES, keys.LOCAL_VARIABLES, keys.MODEL_VARIABLES)
    return [one for kind in kinds for one in v1.get_collection(kind)]


def _name(variable: Any) -> str:
    """The name in a checkpoint; the parts of a partitioned variable share theirs."""
    part = variable._get_save_slice_info()
    return part.full_name if part is not None else variable.op.name


def _of_objects(names: Mapping[str, Any]) -> bool:
    return any(name.endswith("/.ATTRIBUTES/VARIABLE_VALUE") for name in names)


@contextlib.contextmanager
def _exported(
    folder: Path, tags: Sequence[str], signature: str | None
) -> Iterator[Live]:
    try:
        sets = [
            list(one.meta_info_def.tags)
            for one in loader_impl.parse_saved_model(str(folder)).meta_graphs
        ]
    except OSError as error:
        raise FreezeError("bad export", path=folder, detail=error) from error
    if set(tags) not in [set(one) for one in sets]:
        there = "; ".join(", ".join(one) for one in sets)
        raise FreezeError("no tags", path=folder, tags=", ".join(tags), there=there)
    with HostSession(tf.Graph()) as session, no_deprecation_notices():
        try:
            loaded = v1.saved_model.load(session, tags, str(folder))
        except (OSError, ValueError, KeyError, tf.errors.OpError) as error:
            detail = str(error).partition("\n")[0]
            raise FreezeError("bad export", path=folder, detail=detail) from error
        known = dict(loaded.signature_def)
        if signature is not None and signature not in known:
            raise FreezeError(
                "no signature", path=folder, name=signature, there=listed(sorted(known))
            )
        chosen = signature or _usual(known)
        outputs = known[chosen].outputs if chosen else {}
        yield Live(session, tuple(o.name for _, o in sorted(outputs.items())))


def _usual(signatures: Mapping[str, Any]) -> str | None:
    for name in ("serving_default", "predict", *sorted(signatures)):
        if name in signatures and not name.startswith("__"):
            return name
    return None


@contextlib.contextmanager
def _keras(model: keras_models.Weighed) -> Iterator[Live]:
    graph = tf.Graph()
    with graph.as_default(), HostSession(graph) as session:
        built = keras_models.for_inference(model)
        yield Live(session, tuple(tensor.name for tensor in built.outputs))
