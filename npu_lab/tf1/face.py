"""The face of TensorFlow 1.15: module objects laid over TensorFlow 2.21's compat.v1.

A `View` takes a name from its source modules, unless it is listed here or absent:
values of 1.15, and Keras 2 in place of whatever `tf.keras` is. Nothing is put into
`sys.modules`, so other importers keep their TensorFlow 2.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from npu_lab._tensorflow import tf as tensorflow
from npu_lab.tf1 import absent
from npu_lab.tf1.absent_names import ABSENT
from npu_lab.tf1.process import ViewError

VERSION = "1.15.0"
KERAS = "tf_keras.api._v1.keras"
RNN_CELLS = f"{KERAS}.__internal__.legacy.rnn_cell"
RNN_CELL_SOURCE = "tf_keras.src.layers.rnn.legacy_cells"

SOURCES: dict[str, tuple[str, ...]] = {
    "compat.v2": ("tensorflow._api.v2.compat.v2",),
    "compiler": ("tensorflow.compiler",),
    "contrib.summary": ("npu_lab.tf1.contrib_summary",),
    "core": ("tensorflow.core",),
    "keras": (KERAS,),
    "layers": (f"{KERAS}.__internal__.legacy.layers",),
    "nn.rnn_cell": (RNN_CELLS,),
    "python": ("tensorflow.python",),
    "python.keras": (KERAS, "tf_keras.src"),
    "python.keras.engine.network": ("tf_keras.src.engine.functional",),
    "python.keras.layers.advanced_activations": (f"{KERAS}.layers",),
    "python.keras.layers.embeddings": (f"{KERAS}.layers",),
    "python.keras.layers.local": (f"{KERAS}.layers",),
    "python.keras.layers.merge": (f"{KERAS}.layers",),
    "python.keras.layers.recurrent": (f"{KERAS}.layers",),
    "python.keras.layers.wrappers": (f"{KERAS}.layers",),
    "python.keras.optimizer_v2": ("tf_keras.src.optimizers.legacy",),
    "python.layers": ("tf_keras.src.legacy_tf_layers", "tensorflow.python.layers"),
    "python.layers.layers": (f"{KERAS}.__internal__.legacy.layers",),
    "python.ops.rnn_cell": (RNN_CELLS, RNN_CELL_SOURCE),
    "python.ops.rnn_cell_impl": (
        RNN_CELL_SOURCE,
        "tensorflow.python.ops.rnn_cell_impl",
    ),
    "tools": ("tensorflow.tools",),
}
"""Modules behind a name of the view, in the order they are asked."""


def _no_eager(*_: object, **__: object) -> NoReturn:
    raise ViewError(
        "The TF 1.15 view runs graphs only, as the NPU adapter for TensorFlow 1.15 "
        "does. Remove the call that turns eager execution on, or run the program "
        "without the view."
    )


def _from(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(importlib.import_module(module), name)


_POLICY = "tf_keras.src.mixed_precision.policy"
_SCHEDULES = "tf_keras.src.optimizers.schedules.learning_rate_schedule"

VALUES: dict[str, Callable[[], Any]] = {
    "VERSION": lambda: VERSION,
    "__version__": lambda: VERSION,
    "compat.v1": lambda: tf,
    "enable_eager_execution": lambda: _no_eager,
    "enable_v2_behavior": lambda: _no_eager,
    "estimator": lambda: importlib.import_module("npu_lab.tf1.estimator"),
    "examples.tutorials.mnist.input_data": lambda: importlib.import_module(
        "npu_lab.tf1.input_data"
    ),
    "keras.__version__": lambda: "2.2.4-tf",
    "keras.estimator.model_to_estimator": _from(
        "npu_lab.tf1.estimator.keras_models", "model_to_estimator"
    ),
    "keras.experimental.LinearCosineDecay": _from(_SCHEDULES, "LinearCosineDecay"),
    "keras.experimental.NoisyLinearCosineDecay": _from(
        _SCHEDULES, "NoisyLinearCosineDecay"
    ),
    "keras.mixed_precision.experimental.LossScaleOptimizer": _from(
        f"{KERAS}.mixed_precision", "LossScaleOptimizer"
    ),
    "keras.mixed_precision.experimental.Policy": _from(_POLICY, "Policy"),
    "keras.mixed_precision.experimental.global_policy": _from(_POLICY, "global_policy"),
    "keras.mixed_precision.experimental.set_policy": _from(
        _POLICY, "set_global_policy"
    ),
    "version.VERSION": lambda: VERSION,
}
"""What gives a name its value, where 1.15 had another value or another place for it."""


def _beginnings(*tables: dict[str, Any]) -> frozenset[str]:
    parts = [key.split(".") for table in tables for key in table]
    return frozenset(".".join(p[:n]) for p in parts for n in range(1, len(p)))


_SUPPLIED_BELOW = _beginnings(SOURCES, VALUES)
_DIFFERENT_BELOW = _SUPPLIED_BELOW | _beginnings(ABSENT)


class View(types.ModuleType):
    """One module of the view; `path` is its name without "tf."."""

    def __init__(self, path: str, sources: tuple[Any, ...]) -> None:
        super().__init__(f"tensorflow.{path}" if path else "tensorflow")
        self.__dict__.update(_path=path, _sources=sources)

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}" if self._path else name
        if path in VALUES:
            return VALUES[path]()
        if path in SOURCES:
            modules = [importlib.import_module(source) for source in SOURCES[path]]
            return self._keep(name, path, modules)
        if absent.explain(path):
            if absent.explain(absent.asked(path)):
                raise absent.error(path)
            return _passage(path)
        if name == "__all__":
            return [each for each in dir(self) if not each.startswith("_")]
        found = [v for s in self._sources if (v := getattr(s, name, self)) is not self]
        if found and not isinstance(found[0], types.ModuleType):
            return found[0]
        if len(self._sources) > 1:
            found = [m for s in self._sources if (m := submodule(s, name)) is not None]
        if found or path in _SUPPLIED_BELOW:
            return self._keep(name, path, found)
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self
        )

    def _keep(self, name: str, path: str, modules: list[Any]) -> types.ModuleType:
        alone = len(modules) == 1 and path not in _DIFFERENT_BELOW
        self.__dict__[name] = modules[0] if alone else View(path, tuple(modules))
        return self.__dict__[name]

    def __dir__(self) -> list[str]:
        names = {name for source in self._sources for name in dir(source)}
        start = f"{self._path}." if self._path else ""
        names |= {
            key[len(start) :].split(".")[0]
            for key in [*SOURCES, *VALUES]
            if key.startswith(start)
        }
        return sorted(name for name in names if start + name not in ABSENT)

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}: TensorFlow {VERSION} as npu_lab shows it>"


def submodule(module: types.ModuleType, name: str) -> types.ModuleType | None:
    """The module `name` in the package `module`, imported where needed, or None."""
    if isinstance(module, View):
        found = getattr(module, name, None)
        if isinstance(found, types.ModuleType) or len(module._sources) != 1:
            return found if isinstance(found, types.ModuleType) else None
        return submodule(module._sources[0], name)
    found = getattr(module, name, None)
    if isinstance(found, types.ModuleType):
        return found
    full = f"{module.__name__}.{name}"
    if not hasattr(module, "__path__") or importlib.util.find_spec(full) is None:
        return None
    return importlib.import_module(full)


@functools.cache
def _passage(path: str) -> View:
    """An absent module, on the way to something below it that is present."""
    return View(path, ())


def find(path: str, names: Sequence[str] = ()) -> types.ModuleType:
    """The module that ``import tensorflow.<path>`` means in TensorFlow 1.15.

    `names` are those that the code imports from it.

    Raises:
        ModuleNotFoundError: there is none; for an absent one, with the way out.
    """
    module: types.ModuleType = tf
    wanted = [f"{path}.{name}" for name in names] or [path]
    for depth, name in enumerate(parts := path.split(".") if path else []):
        done = ".".join(parts[: depth + 1])
        inner = submodule(module, name)
        if reason := absent.explain(done):
            if all(absent.explain(each) for each in wanted):
                reason = absent.explain(path) or reason
                raise ModuleNotFoundError(reason, name=f"tensorflow.{path}")
            inner = _passage(done)
        if inner is None:
            message = f"No module named 'tensorflow.{done}'"
            raise ModuleNotFoundError(message, name=f"tensorflow.{done}")
        module = inner
    return module


tf: View = View("", (tensorflow.compat.v1,))
"""TensorFlow 1.15 as user code sees it."""
