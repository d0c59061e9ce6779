"""Gives user code the TF 1.15 view when it imports TensorFlow, and libraries theirs.

While installed, ``builtins.__import__`` looks at the importing file. A script, its
sibling modules and notebook cells are user code; the standard library, what lies in
site-packages and npu_lab itself are libraries. `sys.modules` is not touched, and
``importlib.import_module("tensorflow")``, which passes by ``__import__``, gives
TensorFlow 2 to everybody.
"""

from __future__ import annotations

import builtins
import functools
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from npu_lab.tf1 import absent, face

TUTORIAL_MODULE = "input_data"
CONCERNED = ("tensorflow", TUTORIAL_MODULE)
INSTALLED = {"site-packages", "dist-packages"}
LIBRARY_FOLDERS = tuple(
    os.path.join(os.path.realpath(folder), "")
    for folder in {
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        os.path.dirname(os.path.dirname(__file__)),
    }
)


@functools.cache
def is_library_file(file: str) -> bool:
    """Whether `file` is of the standard library, an installed package or npu_lab."""
    path = os.path.realpath(file)
    installed = not INSTALLED.isdisjoint(path.split(os.sep))
    return installed or path.startswith(LIBRARY_FOLDERS)


def is_user_code(namespace: Mapping[str, Any] | None) -> bool:
    """Whether code with these globals is the user's; notebook cells have no file."""
    if not namespace:
        return False
    file = namespace.get("__file__")
    name = str(namespace.get("__name__"))
    if not isinstance(file, str) and name != "__main__":
        package = name.partition(".")[0]
        if package in sys.stdlib_module_names:
            return False
        file = getattr(sys.modules.get(package), "__file__", None)
    return not isinstance(file, str) or not is_library_file(file)


def _tensorflow(name: str, wanted: Sequence[str]) -> types.ModuleType:
    """What ``import name`` or ``from name import wanted`` gives to user code."""
    path = name.partition(".")[2]
    while path == "compat.v1" or path.startswith("compat.v1."):
        path = path[len("compat.v1.") :]
    module = face.find(path, wanted)
    for each in wanted:
        full = f"{path}.{each}" if path else each
        if reason := absent.explain(full):
            raise ImportError(reason, name=name)
        if each != "*" and not hasattr(module, each):
            face.submodule(module, each)  # from there on it is an attribute
    return module if wanted else face.tf


def _hook(stock: Callable[..., Any], active: list[bool]) -> Callable[..., Any]:
    """An ``__import__`` before `stock`, which does nothing once `active` is empty."""

    def view_import(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if not name.startswith(CONCERNED) or level or not active:
            return stock(name, globals, locals, fromlist, level)
        if name.partition(".")[0] == "tensorflow" and is_user_code(globals):
            return _tensorflow(name, fromlist or ())
        if name == TUTORIAL_MODULE and is_user_code(globals):
            try:
                return stock(name, globals, locals, fromlist, level)
            except ModuleNotFoundError as missing:
                if missing.name != TUTORIAL_MODULE:
                    raise
                return face.find("examples.tutorials.mnist.input_data")
        return stock(name, globals, locals, fromlist, level)

    return view_import


_installed: tuple[Callable[..., Any], Callable[..., Any], list[bool]] | None = None


def install() -> None:
    """Put the hook in front of the present ``__import__``; harmless when installed."""
    global _installed
    if _installed is None:
        stock, active = builtins.__import__, [True]
        hook = _hook(stock, active)
        builtins.__import__ = hook
        _installed = hook, stock, active


def uninstall() -> None:
    """Take the hook out, or make it do nothing where others have wrapped it since."""
    global _installed
    if _installed is not None:
        hook, stock, active = _installed
        active.clear()
        if builtins.__import__ is hook:
            builtins.__import__ = stock
        _installed = None
