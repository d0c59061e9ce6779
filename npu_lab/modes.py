"""TensorFlow 1's way or TensorFlow 2's: a process has one of them at a time."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

from npu_lab._texts import text

ROOTS = {"tf1": ("npu_bridge", "hccl"), "tf2": ("npu_device",)}
"""The vendor's packages of each mode."""


class ModeError(RuntimeError, ImportError):
    """The other mode is active, or not installed; the text has the mend."""


class _Refusal(MetaPathFinder):
    """Says what is wrong when the packages of the other mode are imported."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> None:
        other = "tf2" if _current[0] == "tf1" else "tf1"
        if fullname.partition(".")[0] in ROOTS[other]:
            raise ModeError(text(f"mode {other} import", name=fullname))


_current: list[str | None] = [None]
_refusal = _Refusal()


def current() -> str | None:
    """The mode of the active device; None without one."""
    return _current[0]


def set_current(mode: str | None) -> None:
    """Note the mode that a device is activated in, or that it is not any more."""
    _current[0] = mode
    if _refusal in sys.meta_path:
        sys.meta_path.remove(_refusal)
    if mode is not None:
        # Last: what is really there, or has been let in, is found before.
        sys.meta_path.append(_refusal)


def checked(mode: str | None, view: bool | None) -> str:
    """The mode to be in.

    Raises:
        ValueError: there is no such mode.
        ModeError: the other one is active.
    """
    if mode is not None and mode not in ROOTS:
        raise ValueError(text("mode unknown", mode=mode))
    active = _current[0]
    if active is not None and mode not in {None, active}:
        raise ModeError(text("mode active", current=active, asked=mode))
    chosen = active or mode or "tf1"
    if view and chosen == "tf2":
        raise ModeError(text("mode view"))
    return chosen


def of_program(source: str | bytes) -> str:
    """The mode that a program wants: "tf2" if it imports npu_device itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those about the program's own text
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return "tf1"  # Python says so better when it is run
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    roots = {name.partition(".")[0] for name in names}
    return "tf2" if roots.intersection(ROOTS["tf2"]) else "tf1"
