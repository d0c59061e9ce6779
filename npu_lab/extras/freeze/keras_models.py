"""Keras models as graphs for inference.

In graph mode the model is built again in a graph of its own, in the learning phase of
inference, and given the weights.  With eager execution it goes through a SavedModel, as
in the guide for TensorFlow 2: rebuilding it in a graph would change its classes.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npu_lab._tensorflow import tf
from npu_lab.extras.freeze.errors import FreezeError
from npu_lab.extras.freeze.graph_defs import HostSession

SUFFIXES = (".h5", ".hdf5", ".keras", ".json")
DESCRIPTION = ".json"
EAGER = ".keras"
"""The files that can only be read, and written, with eager execution."""


@dataclass
class Weighed:
    """A Keras model to be built again, and its weights, from one session to another."""

    model: Any
    weights: list[Any]


def is_model(thing: Any) -> bool:
    """Whether it is a model of tf_keras."""
    from tf_keras.src import models

    return isinstance(thing, models.Model)


def loaded(
    path: Path,
    weights: str | os.PathLike[str] | None,
    custom_objects: Mapping[str, Any] | None,
) -> Any:
    """The model in a file, or the one described there with weights from another.

    In graph mode it is in the default graph; use `exported` at once.
    """
    from tf_keras.src import models

    if not path.is_file():
        raise FreezeError("no file", path=path, near="")
    if path.suffix == EAGER and not tf.executing_eagerly():
        raise FreezeError("eager file", path=path)
    with contextlib.ExitStack() as stack:
        if not tf.executing_eagerly():
            graph = stack.enter_context(tf.Graph().as_default())
            stack.enter_context(HostSession(graph))
        try:
            if path.suffix == DESCRIPTION:
                if weights is None:
                    raise FreezeError("no weights", path=path)
                text = path.read_text("utf-8")
                model = models.model_from_json(text, custom_objects)
                model.load_weights(os.fspath(weights))
            else:
                model = models.load_model(str(path), custom_objects, compile=False)
        except (
            OSError,
            ValueError,
            TypeError,
            KeyError,
            json.JSONDecodeError,
        ) as error:
            if isinstance(error, FreezeError):
                raise
            detail = str(error).partition("\n")[0]
            raise FreezeError("bad Keras", path=path, detail=detail) from error
        if tf.executing_eagerly():
            return model
        return Weighed(model, model.get_weights())


@contextlib.contextmanager
def exported(model: Any) -> Iterator[Any]:
    """What is opened in place of a model: its weights, or a folder that is removed."""
    if not tf.executing_eagerly():
        yield Weighed(model, _weights(model))
        return
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        yield folder


def _weights(model: Any) -> list[Any]:
    if not getattr(model, "built", True) or not model.weights:
        return []
    try:
        with model.weights[0].graph.as_default():
            return list(model.get_weights())
    except (tf.errors.FailedPreconditionError, RuntimeError) as error:
        raise FreezeError("no Keras weights", name=model.name) from error


def for_inference(weighed: Weighed) -> Any:
    """The model built in the default graph and session, in the phase of inference."""
    from tf_keras.src import backend, models

    model = weighed.model
    whole = isinstance(model, models.Sequential) or model._is_graph_network
    if not whole or not getattr(model, "inputs", None):
        raise FreezeError("no Keras graph", name=model.name)
    with backend.deprecated_internal_learning_phase_scope(0):
        built = models.clone_model(model)
        built.set_weights(weighed.weights)
    return built
