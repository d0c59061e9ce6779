"""Names of a program: where each is bound, and what library names mean."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field

from npu_lab.extras.check.values import Path, Value, unknown

# Bound by `from npu_bridge.npu_init import *`, as far as rules ask for them.
_OF_THE_VENDOR = {
    "util",
    "IterationPerLoop",
    "NPUEstimator",
    "NPURunConfig",
    "SetIterationsVarHook",
    "keras_to_npu",
    "model_to_npu_estimator",
    "npu_config_proto",
    "npu_hooks_append",
    "npu_run_config_init",
    "set_iteration_per_loop",
    "set_keras_session_npu_config",
}
# How everyone calls them; a fragment of a program may leave the import out.
_USUAL = {"tf": "tensorflow", "np": "numpy", "keras": "keras"}
_ALIASES = {
    "npu_lab.tf1": "tensorflow",
    "tf_keras": "keras",
    "tensorflow.keras": "keras",
    "tensorflow.python.keras": "keras",
}
_MIRRORS = ("compat.v1.", "compat.v2.", "compat.", "python.")
# Libraries that do not keep what they are given.
HARMLESS = {
    "builtins",
    "contextlib",
    "datetime",
    "functools",
    "itertools",
    "json",
    "keras",
    "logging",
    "math",
    "npu_bridge",
    "numpy",
    "os",
    "re",
    "shutil",
    "six",
    "sys",
    "tensorflow",
    "time",
    "timeit",
    "tqdm",
}


@dataclass(eq=False)
class Scope:
    """The names of a module, class or function."""

    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    of_module: set[str] = field(default_factory=set)
    of_class: bool = False

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        return self if self.parent is None else self.parent.module

    def find(self, name: str) -> Value:
        """What the name stands for; a name that nobody binds is one unknown value."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and not (scope.of_class and scope is not self):
                return scope.names[name]
            scope = scope.parent
        found = _unbound(name)
        self.module.names[name] = found
        return found

    def bind(self, name: str, value: Value) -> None:
        """Give the name a value, in the module if the function declared it so."""
        where = self.module if name in self.of_module else self
        where.names[name] = value


def _unbound(name: str) -> Value:
    if name in _OF_THE_VENDOR:
        return Path(name, dotted=f"npu_bridge.{name}")
    if name in _USUAL:
        return Path(name, dotted=_USUAL[name])
    if hasattr(builtins, name):
        return Path(name, dotted=f"builtins.{name}")
    return unknown(name)


def library(dotted: str) -> tuple[str, str]:
    """Which library a dotted name is of, and the name inside, without mirror names.

    >>> library("tensorflow.compat.v1.train.Supervisor")
    ('tensorflow', 'train.Supervisor')
    """
    for alias, real in _ALIASES.items():
        if dotted == alias or dotted.startswith(f"{alias}."):
            dotted = real + dotted[len(alias) :]
    root, _, rest = dotted.partition(".")
    for mirror in _MIRRORS:
        rest = rest.removeprefix(mirror)
    if root == "tensorflow" and rest.startswith("keras"):
        return "keras", rest.removeprefix("keras").lstrip(".")
    return root, rest
